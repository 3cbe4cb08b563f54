import math

import numpy as np
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, StepLR


class Regressor(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.layer1 = nn.Linear(dim, 32)
        self.norm = nn.LayerNorm(32)
        self.act = nn.GELU()
        self.layer2 = nn.Linear(32, 1)

    def forward(self, x):
        return self.layer2(self.act(self.norm(self.layer1(x))))


def get_lr(optimizer):
    for param_group in optimizer.param_groups:
        return param_group["lr"]


def warmup_cosine(warmup_steps, total_steps):
    def lr_lambda(step):
        if step < warmup_steps:
            return float(step + 1) / float(max(1, warmup_steps))
        progress = (step - warmup_steps) / max(1, total_steps - warmup_steps)
        return 0.5 * (1.0 + math.cos(math.pi * progress))

    return lr_lambda


rng = np.random.RandomState(9)
inputs = torch.from_numpy(rng.randn(5, 16, 12).astype(np.float32))
targets = inputs[:, :, :3].sum(dim=-1, keepdim=True)
criterion = nn.MSELoss()
curve, rates = [], []

# 1. StepLR once per epoch
model = Regressor()
optimizer = optim.Adam(model.parameters(), lr=0.02)
scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
for epoch in range(4):
    for x, y in zip(inputs, targets):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    scheduler.step()
    rates.append(scheduler.get_last_lr()[0])
    print("epoch", epoch, "lr", scheduler.get_last_lr(), "loss", loss.item())

# 2. Cosine per step, down to a floor
model = Regressor()
optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = CosineAnnealingLR(optimizer, T_max=20, eta_min=1e-4)
for step in range(20):
    x, y = inputs[step % 5], targets[step % 5]
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    curve.append(loss.item())
    rates.append(optimizer.param_groups[0]["lr"])

# 3. Warm-up, then cosine
model = Regressor()
optimizer = optim.AdamW(model.parameters(), lr=0.01)
scheduler = LambdaLR(optimizer, lr_lambda=warmup_cosine(5, 20))
for step in range(20):
    x, y = inputs[step % 5], targets[step % 5]
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step()
    curve.append(loss.item())
    rates.append(get_lr(optimizer))

# 4. By hand, as in the ImageNet example
model = Regressor()
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    lr = 0.1 * (0.1 ** (epoch // 2))
    for param_group in optimizer.param_groups:
        param_group["lr"] = lr
    for x, y in zip(inputs, targets):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
print(f"lr at the end: {get_lr(optimizer):.6f}")
curve += [float(rate) for rate in rates]
