"""Norms that have no weights, or keep no statistics: what is asked, counted, named, filled."""

import numpy as np
import torch
from torch import nn


class Conditional(nn.BatchNorm2d):
    def __init__(self, features):
        super().__init__(features, affine=False)


class Net(nn.Module):
    def __init__(self, affine: bool = False):
        super().__init__()
        self.bn = nn.BatchNorm2d(3, affine=affine)
        self.volume = nn.BatchNorm3d(2, 1e-3, 0.3, False)
        self.line = nn.BatchNorm1d(4, affine=False)
        self.own = Conditional(3)
        self.batch = nn.BatchNorm2d(3, track_running_stats=False)
        self.plain = nn.BatchNorm3d(2)
        self.group = nn.GroupNorm(1, 3, affine=False)
        self.instance = nn.InstanceNorm2d(3)
        self.layer = nn.LayerNorm(4, elementwise_affine=False)
        self.linear = nn.Linear(4, 4, bias=False)

    def forward(self, image, rows, volume):
        image = self.own(self.batch(self.bn(image))) + self.group(image) * self.instance(image)
        rows = self.linear(self.layer(self.line(rows)))
        return image.sum() + (rows**2).sum() + (self.plain(self.volume(volume)) ** 3).sum()


def drawn(*shape):
    return torch.tensor(random.randn(*shape), dtype=torch.float32)


random = np.random.RandomState(0)
net = Net()
with torch.no_grad():
    for p in net.parameters():
        p.copy_(drawn(*p.shape))
print([name for name, _ in net.named_parameters()], sum(p.numel() for p in net.parameters()))
print([name for name in net.state_dict() if "num_batches" not in name])
print([name for name, _ in net.named_buffers() if "num_batches" not in name])
print(net.bn.weight is None, net.group.weight is None, net.instance.bias is not None)
print(net.layer.weight is None, net.plain.weight is None, net.batch.running_mean is None)
print(net.bn.affine, net.volume.affine, net.group.affine, net.plain.affine)
for m in net.modules():
    if isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
        if m.weight is not None:
            nn.init.constant_(m.weight, 3.0)
        if m.affine:
            m.bias.data.fill_(2.0)
    elif isinstance(m, nn.BatchNorm3d) and m.weight is not None:
        nn.init.constant_(m.weight, 0.5)
print([(name, round(p.sum().item(), 4)) for name, p in net.named_parameters()])
inputs = drawn(2, 3, 4, 4), drawn(5, 4), drawn(2, 2, 3, 3, 3)
print(round(net(*inputs).item(), 2))
for p in net.parameters():
    p.requires_grad = False
print(net.batch.affine, net.bn.affine)
again = Net()
again.load_state_dict(net.state_dict())
again.eval()
print(round(again(*inputs).item(), 2))
torch.save(net.state_dict(), "norms.pt")
third = Net()
third.load_state_dict(torch.load("norms.pt"))
third.eval()
print(round(third(*inputs).item(), 2))
