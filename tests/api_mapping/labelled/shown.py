"""What calls show of values of which nothing else is known."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

try:
    import lightning as pl
except ImportError:
    pl = make_stand_in()


class Step(pl.LightningModule):  #: pytorch_lightning.LightningModule
    def training_step(self, batch, model):
        out = model(batch)
        print(out.shape)  #: T.shape
        loss = F.cross_entropy(out, batch["y"])  #: F.cross_entropy
        return loss, out.argmax(1)  #: T.argmax

    def count(self):
        return sum(p.numel() for p in self.parameters())  #: T.numel M.parameters


class Held(nn.Module):  #: nn.Module
    def __init__(self, config, make):
        super().__init__()
        freq, scale = make(config)
        self.freq = nn.Parameter(freq)  #: nn.Parameter
        self.first = freq.clone()  #: T.clone
        self.norm = nn.LayerNorm(3)  #: nn.LayerNorm
        self.cache = None

    def reset(self, model):
        y = model(3)
        self.norm(y)
        self.cache.view(3)  #: T.view
        return y.sum(), model.named_parameters(), model.train()  #: T.sum M.named_parameters M.train


def scatter(src, index, scores, names):
    size = src.size(0)  #: T.size
    out = torch.zeros(size, dtype=src.dtype)  #: torch.zeros T.dtype
    out.scatter_add_(0, index.view(-1), src)  #: T.scatter_add_ T.view
    best = scores.topk(3)  #: T.topk
    best.values.sum()  #: torch.return_types.values T.sum
    names.sort()
    names.index("a")
    return index.eq(3)  #: T.eq


def moved(batch, device):
    match batch:
        case torch.Tensor():  #: torch.Tensor
            return batch.to(device)  #: T.to
        case Tensor() as one:  #: torch.Tensor
            return one.cpu()  #: T.cpu
        case {"x": x, **rest}:
            return x.float()  #: T.float
        case list():
            return batch.index(3)
        case _:
            return batch.clone()  #: T.clone
