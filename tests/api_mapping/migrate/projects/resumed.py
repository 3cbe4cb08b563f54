"""Trains with every optimizer and schedule; goes on from what it has saved."""

import json
import sys

import torch
from torch import nn
import numpy as np
KINDS = {
 "SGD": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01, nesterov=True),
 "plain": lambda p: torch.optim.SGD(p, lr=0.05),
 "Adam": lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True),
 "AdamW": lambda p: torch.optim.AdamW(p, lr=0.01, betas=(0.8, 0.95), weight_decay=0.1),
 "Adamax": lambda p: torch.optim.Adamax(p, lr=0.01),
 "NAdam": lambda p: torch.optim.NAdam(p, lr=0.01),
 "RAdam": lambda p: torch.optim.RAdam(p, lr=0.01),
 "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.01),
 "RMSmomentum": lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.9),
 "RMScentered": lambda p: torch.optim.RMSprop(p, lr=0.01, centered=True),
 "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.05),
 "Adadelta": lambda p: torch.optim.Adadelta(p, lr=0.5),
 "ASGD": lambda p: torch.optim.ASGD(p, lr=0.05),
 "Rprop": lambda p: torch.optim.Rprop(p, lr=0.01),
}
SCHED = {
 "step": lambda o: torch.optim.lr_scheduler.StepLR(o, 2, 0.5),
 "multi": lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [2, 5], 0.1),
 "cos": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 9),
 "warm": lambda o: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3, 2),
 "exp": lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.9),
 "linear": lambda o: torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=6),
 "one": lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=10),
 "lambda": lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda e: 0.9 ** e),
 "const": lambda o: torch.optim.lr_scheduler.ConstantLR(o, factor=1.0),
 "plateau": lambda o: torch.optim.lr_scheduler.ReduceLROnPlateau(o, factor=0.5, patience=0),
 "seq": lambda o: torch.optim.lr_scheduler.SequentialLR(o, [torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=3), torch.optim.lr_scheduler.ExponentialLR(o, 0.9)], milestones=[3]),
}
X = torch.tensor(np.random.RandomState(0).randn(16, 5).astype(np.float32))
Y = torch.tensor(np.random.RandomState(1).randn(16, 2).astype(np.float32))

class Net(nn.Module):
    """Its weights are called alike: fc.weight, body.fc.weight, body.0.weight."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(5, 7)
        self.body = nn.Sequential(nn.Linear(7, 7), nn.Tanh())
        self.body.add_module("fc", nn.Linear(7, 2))

    def forward(self, x):
        return self.body(torch.tanh(self.fc(x)))


def run(kind, sched, path, start, stop):
    torch.manual_seed(0)
    net = Net()
    optimizer = KINDS[kind](net.parameters())
    scheduler = SCHED[sched](optimizer)
    if start:
        ckpt = torch.load(path)
        net.load_state_dict(ckpt["model"])
        optimizer.load_state_dict(ckpt["optimizer"])
        scheduler.load_state_dict(ckpt["scheduler"])
        start = ckpt["epoch"] + 1
    losses = []
    for epoch in range(start, stop):
        loss = ((net(X) - Y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if sched == "plateau":
            scheduler.step(loss.item())
        else:
            scheduler.step()
        losses.append(loss.item())
    if not start:
        saved = {"model": net.state_dict(), "optimizer": optimizer.state_dict()}
        saved |= {"scheduler": scheduler.state_dict(), "epoch": epoch}
        torch.save(saved, path)
    return losses

def main():
    side, start, stop = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    pairs = [(kind, "cos") for kind in KINDS]
    pairs += [("SGD", sched) for sched in SCHED if sched != "cos"]
    if len(sys.argv) > 4:
        pairs = [pair for pair in pairs if "_".join(pair) in sys.argv[4].split(",")]
    found = {f"{k}_{s}": run(k, s, f"{k}_{s}.{side}", start, stop) for k, s in pairs}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
