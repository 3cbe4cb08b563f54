"""Classification with mixup, label smoothing, an averaged model and a warm-up followed by a cosine."""
import argparse
import math
from copy import deepcopy

import numpy as np
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=0.1)
    p.add_argument("--alpha", type=float, default=0.4)
    p.add_argument("--warmup", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=10)
    return p.parse_args([])


class ModelEma(nn.Module):
    def __init__(self, model, decay=0.9):
        super().__init__()
        self.module = deepcopy(model)
        self.module.eval()
        self.decay = decay
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for ema_v, model_v in zip(self.module.state_dict().values(), model.state_dict().values()):
            if ema_v.dtype.is_floating_point:
                ema_v.copy_(ema_v * self.decay + (1.0 - self.decay) * model_v)
            else:
                ema_v.copy_(model_v)


class AverageMeter(object):
    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


class MLPMixerBlock(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.token(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=8, depth=2, classes=4):
        super().__init__()
        self.blocks = nn.Sequential(*[MLPMixerBlock(tokens, dim) for _ in range(depth)])
        self.norm = nn.BatchNorm1d(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.norm(self.blocks(x).mean(1)))


def mixup_data(x, y, lam, index):
    mixed = lam * x + (1 - lam) * x[index, :]
    return mixed, y, y[index]


def accuracy(output, target, topk=(1,)):
    maxk = max(topk)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0)).item() for k in topk]


def main():
    args = get_args()
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 6, 8)).astype("float32")
    y = (x.sum((1, 2)) > 0).astype("int64") + 2 * (x[:, 0, 0] > 0).astype("int64")
    data = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    train_loader = DataLoader(data, batch_size=args.batch_size, drop_last=True)
    model = Mixer()
    for i, (name, p) in enumerate(model.named_parameters()):
        if name.endswith("bias"):
            p.data.zero_()
        elif p.dim() > 1:
            p.data = torch.from_numpy(np.sin(np.arange(p.numel()) + i).reshape(p.shape).astype("float32")) * 0.3
    ema = ModelEma(model)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, nesterov=True, weight_decay=1e-4)
    total = args.epochs * len(train_loader)

    def lr_lambda(step):
        if step < args.warmup:
            return float(step + 1) / args.warmup
        progress = (step - args.warmup) / max(1, total - args.warmup)
        return 0.5 * (1.0 + math.cos(math.pi * progress))

    scheduler = LambdaLR(optimizer, lr_lambda)
    for epoch in range(args.epochs):
        losses, top1 = AverageMeter("loss"), AverageMeter("acc")
        model.train()
        for images, target in train_loader:
            lam = float(rng.beta(args.alpha, args.alpha))
            index = torch.as_tensor(rng.permutation(images.size(0)))
            mixed, a, b = mixup_data(images, target, lam, index)
            output = model(mixed)
            loss = lam * criterion(output, a) + (1 - lam) * criterion(output, b)
            acc1, acc2 = accuracy(output, target, topk=(1, 2))
            losses.update(loss.item(), images.size(0))
            top1.update(acc1, images.size(0))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            ema.update(model)
            scheduler.step()
        print(f"epoch {epoch} {losses.name} {losses.avg:.4f} acc {top1.avg:.2f} lr {scheduler.get_last_lr()[0]:.5f}")
    model.eval()
    with torch.inference_mode():
        for name, net in (("model", model), ("ema", ema.module)):
            out = net(torch.from_numpy(x))
            print(name, accuracy(out, torch.from_numpy(y), (1, 2)), f"{criterion(out, torch.from_numpy(y)):.4f}")


if __name__ == "__main__":
    main()
