import numpy as np
import torch
from torch import nn
def plain(z):
    return ~z
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tensor([True, False, True]))
        self.flags = torch.tensor([3, 5])
    def forward(self, x, given=None):
        if given is None:
            given = torch.tensor([3, 5])
        keep = x > 0
        other = keep & ~(x > 1)
        allowed = torch.tril(torch.ones(2, 3, dtype=torch.bool))
        return [~given, x[~keep], ~other, ~self.mask, ~self.flags, x * ~allowed, ~allowed.unsqueeze(0), x.masked_fill(~torch.isnan(x), 0)]
def check(net: Net):
    full = ~torch.full((2,), True)
    i, b, u = torch.tensor([1, 2, 3]), torch.tensor([True, False]), torch.tensor([1, 255], dtype=torch.uint8)
    found = [~i, ~b, ~u, plain(i), plain(b), plain(u), ~i & 1, -1 * ~i, ~(i & 2), ~i[0], (~i).sum(), ~b.any()]
    m = i.bool()
    m = ~m
    m |= ~m
    lengths = ~torch.zeros(2, dtype=torch.long)
    bits = [~v for v in (i, b)]
    return found + [full, m, lengths, ~i.to(torch.bool), ~i.type(torch.int32), *bits, ~5, plain(5), bool((~np.array([True]))[0])]
