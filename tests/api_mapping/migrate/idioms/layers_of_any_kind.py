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
class Gained(nn.Conv2d):
    def __init__(self, cin, cout):
        super().__init__(cin, cout, 3, padding=1)
        self.gain = nn.Parameter(torch.ones(cout, 1, 1, 1))
        self.reset_parameters()
    def reset_parameters(self):
        if hasattr(self, "gain"):
            nn.init.constant_(self.gain, 2.0)
        super().reset_parameters()
    def forward(self, x):
        return F.conv2d(x, self.weight * self.gain, self.bias, self.stride, self.padding)
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
        self.head = parts["last"](4)
        self.head.weight.data.fill_(1.5)
        self.head.bias.data = self.head.bias.data + 0.25
        self.device = self.head.weight.device
    def forward(self, x):
        x = x.to(self.head.weight.dtype) * self.head.weight.mean() + self.head.weight.shape[0]
        x = F.group_norm(self.conv(x), 2, self.last.weight, bias=self.last.bias)
        return self.head(self.last(self.norm(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Block(norm=CountedNorm, last=OneGroup, fill="narrow")
        self.two = Block(norm=OneGroup, last=nn.BatchNorm2d, fill="narrow")
        self.sum = SummedNorm(4)
        self.more = Gained(4, 3)
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
    gained = Gained(4, 3)
    assert 0 < gained.bias.abs().max() < 1 / 6 and gained.gain.min() == 2
    return [norm.running_mean, norm.running_var, counts, conv.bias, group.weight, batch.bias]
