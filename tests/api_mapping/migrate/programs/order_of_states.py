import torch
from torch import nn


class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
        self.stem = nn.Sequential(
            nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU(), nn.BatchNorm2d(2)
        )
        self.register_buffer("b", torch.zeros(1))
        self.head = nn.Linear(2, 1)


net = B()
keys = [k for k in net.state_dict() if "num_batches" not in k]
print(keys)
for i, k in enumerate(keys):
    net.state_dict()[k].copy_(torch.full_like(net.state_dict()[k], 0.1 * i))
print([round(v.sum().item(), 3) for k, v in net.state_dict().items() if "num_batches" not in k])
other = B()
print(other.load_state_dict(net.state_dict()))
print(
    [round(p.sum().item(), 3) for p in other.parameters()],
    round(other.stem[3].running_var.sum().item(), 3),
)
print(len(keys))
print(keys[-1])
