import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("count", torch.tensor(0.0), persistent=False)
        self.register_buffer("mask", None)
        for i in range(2):
            self.register_buffer(f"table_{i}", torch.full((3,), float(i)))
        self.momentum = 0.1
        self.w = nn.Parameter(torch.ones(3))
    def forward(self, x):
        if self.mask is None or self.mask.size(0) != x.size(0):
            self.mask = torch.ones(x.size(0), 1)
        with torch.no_grad():
            self.mean = self.mean * (1 - self.momentum) + self.momentum * x.mean(0)
            self.count += 1
            self.mean[0] = 5.0
        t = getattr(self, f"table_{1}") + self.table_0
        return (x - self.mean) * self.w * self.mask + t
def check(net: Net):
    net.mean = torch.ones(3)
    net.count.add_(2)
    net.mean.copy_(net.mean * 3)
    return [net.mean, net.count, len(list(net.buffers())), sorted(k for k, _ in net.named_buffers()), sorted(net.state_dict().keys())]
