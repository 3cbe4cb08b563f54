"""A BatchNorm written by hand, which asks whether gradients are enabled; statistics made anew."""

import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, size))
        self.moving_mean = torch.zeros(1, size)

    def forward(self, x):
        if not torch.is_grad_enabled():
            return self.gamma * (x - self.moving_mean)
        mean = x.mean(dim=0)
        self.moving_mean = (0.9 * self.moving_mean + 0.1 * mean).detach()
        return self.gamma * (x - mean)


x = torch.linspace(-1, 2, 12).view(4, 3)
net = nn.Sequential(BatchNorm(3), nn.Linear(3, 3), nn.BatchNorm1d(3))
for i, p in enumerate(net.parameters()):
    p.data.copy_(torch.cos(torch.arange(p.numel()).float() + i).view(p.shape))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = net(x).pow(3).mean()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        print(step, f"{loss.item():.4f} {net(x).abs().sum().item():.3f}", torch.is_grad_enabled())
print("mean", [round(v, 4) for v in net[0].moving_mean.flatten().tolist()], torch.is_grad_enabled())


@torch.no_grad()
def enabled():
    return torch.is_grad_enabled()


print("decorated", enabled())
for m in net.modules():
    if type(m) == nn.BatchNorm1d:
        m.reset_running_stats()
    elif type(m) in (nn.Linear, nn.Bilinear):
        m.bias.data.zero_()
print("anew", net[2].running_mean.tolist(), net[2].running_var.tolist(), net[1].bias.sum().item())
