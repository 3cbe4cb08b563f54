import torch
import torch.nn as nn
import torch.nn.functional as F
def fill_(tensor, low, high):
    with torch.no_grad():
        tensor.uniform_(low, high)
        tensor.erfinv_()
        tensor.mul_(2.0)
        tensor.clamp_(min=0.25, max=0.25)
    return tensor
FILLS = {"narrow": fill_}
class CountedNorm(nn.BatchNorm2d):
    def __init__(self, channels, **options):
        super().__init__(channels, **options)
        self.act = nn.ReLU()
    def forward(self, x):
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            if self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                factor = 1.0 / float(self.num_batches_tracked)
        use_batch = self.training or self.running_mean is None
        x = F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, use_batch, factor, self.eps)
        return self.act(x)
class SummedNorm(nn.BatchNorm2d):
    def forward(self, x):
        self.num_batches_tracked = self.num_batches_tracked + 1
        return x * float(self.num_batches_tracked)
class OneGroup(nn.GroupNorm):
    def __init__(self, channels, **options):
        super().__init__(1, channels, **options)
class Block(nn.Module):
    def __init__(self, **parts):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = parts["norm"](4, device=None, dtype=None)
        self.last = parts["last"](4)
        nn.init.constant_(self.last.weight, 0.5)
        nn.init.constant_(self.last.bias.data, 0.125)
        FILLS[parts["fill"]](self.conv.bias, -0.5, 0.5)
    def forward(self, x):
        return self.last(self.norm(self.conv(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Block(norm=CountedNorm, last=OneGroup, fill="narrow")
        self.two = Block(norm=OneGroup, last=nn.BatchNorm2d, fill="narrow")
        self.sum = SummedNorm(4)
        self.more = nn.Conv2d(4, 3, 1)
    def forward(self, x):
        for _ in range(3):
            x = self.more(self.one(x))
        return self.sum(self.sum(self.two(x)))
SHAPES = [(2, 3, 5, 5)]
TRAIN = True
def check(net: Net):
    norm: CountedNorm = net.one.norm
    summed: SummedNorm = net.sum
    fresh = Net()
    conv: nn.Conv2d = fresh.one.conv
    group: OneGroup = fresh.one.last
    batch: nn.BatchNorm2d = fresh.two.last
    counts = [int(norm.num_batches_tracked), int(summed.num_batches_tracked)]
    return [norm.running_mean, norm.running_var, counts, conv.bias, group.weight, batch.bias]
