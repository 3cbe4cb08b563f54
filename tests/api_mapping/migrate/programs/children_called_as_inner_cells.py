"""Modules of one's own whose children are called as the cells that MindSpore's layers are made of."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.bn2d = nn.BatchNorm2d(2)
        self.weight = nn.Parameter(torch.full((2,), 3.0))
        self.bias = nn.Parameter(torch.full((2,), 1.0))
        self.affine = False


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.bn2d = nn.BatchNorm2d(2)
        self.volume = nn.BatchNorm3d(2)


def fill(m):
    if hasattr(m, "weight") and m.weight is not None:
        m.weight.data.fill_(2.0)
    if hasattr(m, "bias") and m.bias is not None:
        m.bias.data.fill_(4.0)


for m in (Encoder(), nn.BatchNorm3d(2), nn.LayerNorm(3)):
    print(m.weight.sum().item(), m.bias.sum().item())
print([m.affine for m in (Encoder(), nn.BatchNorm3d(2), nn.BatchNorm2d(3, affine=False))])
encoder, holder = Encoder(), Holder()
encoder.apply(fill)
print([(name, p.sum().item()) for name, p in encoder.named_parameters()])
print([name for name, _ in holder.named_parameters()])
print([name for name in holder.state_dict() if "num_batches" not in name])
holder.load_state_dict({name: v * 0 + 2 for name, v in holder.state_dict().items()})
print(sum(p.sum().item() for p in holder.parameters()), holder.bn2d.running_mean.sum().item())
