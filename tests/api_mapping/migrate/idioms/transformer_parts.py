import math
from functools import partial
from collections import namedtuple
from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.utils.checkpoint as cp
from torch.utils.checkpoint import checkpoint
from typing import Any, Callable, Dict, Final, List, Optional, Sequence, Tuple, Type, Union
Out = namedtuple("Out", ["logits", "aux"])
def get_activation(name):
    return {"relu": nn.ReLU, "gelu": nn.GELU, "silu": nn.SiLU}[name]()
def conv3x3(cin: int, cout: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> nn.Conv2d:
    return nn.Conv2d(cin, cout, kernel_size=3, stride=stride, padding=dilation, groups=groups, bias=False, dilation=dilation)
def drop_path(x, drop_prob: float = 0., training: bool = False, scale_by_keep: bool = True):
    if drop_prob == 0. or not training:
        return x
    keep_prob = 1 - drop_prob
    shape = (x.shape[0],) + (1,) * (x.ndim - 1)
    random_tensor = x.new_empty(shape).bernoulli_(keep_prob)
    if keep_prob > 0.0 and scale_by_keep:
        random_tensor.div_(keep_prob)
    return x * random_tensor
class DropPath(nn.Module):
    def __init__(self, drop_prob=None):
        super(DropPath, self).__init__()
        self.drop_prob = drop_prob
    def forward(self, x):
        return drop_path(x, self.drop_prob, self.training)
class LayerScale(nn.Module):
    inplace: Final[bool]
    def __init__(self, dim, init=1e-2, inplace=False):
        super().__init__()
        self.inplace = inplace
        self.gamma = nn.Parameter(init * torch.ones(dim))
    def forward(self, x):
        return x.mul_(self.gamma) if self.inplace else x * self.gamma
class Block(nn.Module):
    def __init__(self, dim, norm_layer: Callable[..., nn.Module] = partial(nn.LayerNorm, eps=1e-6), act_layer: Type[nn.Module] = nn.GELU, use_checkpoint=False):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.fc = nn.Linear(dim, dim)
        self.act = act_layer()
        self.ls = LayerScale(dim) if True else nn.Identity()
        self.drop_path = DropPath(0.1) if dim > 2 else nn.Identity()
        self.use_checkpoint = use_checkpoint
    def _inner(self, x):
        return x + self.drop_path(self.ls(self.act(self.fc(self.norm1(x)))))
    def forward(self, x):
        if self.use_checkpoint and self.training:
            return checkpoint(self._inner, x, use_reentrant=False)
        return self._inner(x)
@dataclass
class Config:
    dim: int = 6
    depth: int = 2
    act: str = "gelu"
class Net(nn.Module):
    def __init__(self, config: Config = Config(), **kwargs: Any) -> None:
        super().__init__()
        self.config = config
        dpr = [x.item() for x in torch.linspace(0, 0.1, config.depth)]
        self.stem = conv3x3(3, config.dim)
        self.bn = nn.BatchNorm2d(config.dim)
        self.act = get_activation(config.act)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.flat = nn.Flatten(1)
        self.blocks = nn.Sequential(*[Block(config.dim, use_checkpoint=True) for i in range(config.depth)])
        self.head = nn.Linear(config.dim, 4) if config.dim > 0 else nn.Identity()
        self.table = nn.Parameter(torch.zeros((2 * 3 - 1) * (2 * 3 - 1), 2))
        coords = torch.stack(torch.meshgrid([torch.arange(3), torch.arange(3)], indexing="ij"))
        coords_flatten = torch.flatten(coords, 1)
        rel = coords_flatten[:, :, None] - coords_flatten[:, None, :]
        rel = rel.permute(1, 2, 0).contiguous()
        rel[:, :, 0] += 3 - 1
        rel[:, :, 1] += 3 - 1
        rel[:, :, 0] *= 2 * 3 - 1
        self.register_buffer("index", rel.sum(-1))
        nn.init.trunc_normal_(self.table, std=.02)
        self.apply(self._init_weights)
        for n, p in self.named_parameters():
            if n.endswith("fc.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * config.depth))
    def _init_weights(self, m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            if isinstance(m, nn.Linear) and m.bias is not None:
                nn.init.constant_(m.bias, 0)
        elif isinstance(m, (nn.LayerNorm, nn.GroupNorm, nn.BatchNorm2d)):
            nn.init.constant_(m.bias, 0)
            nn.init.constant_(m.weight, 1.0)
        elif isinstance(m, nn.Conv2d):
            fan_out = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
            fan_out //= m.groups
            m.weight.data.normal_(0, math.sqrt(2.0 / fan_out))
            if m.bias is not None:
                m.bias.data.zero_()
    @torch.jit.ignore
    def no_weight_decay(self) -> Dict[str, int]:
        return {}
    def forward(self, x: torch.Tensor) -> Out:
        torch._assert(x.dim() == 4, f"expected 4 axes, got {x.shape}")
        assert isinstance(x, torch.Tensor)
        x = self.act(self.bn(self.stem(x)))
        y = self.flat(self.pool(x))
        y = self.blocks(y)
        bias = self.table[self.index.view(-1)].view(9, 9, -1).permute(2, 0, 1).contiguous()
        out = Out(logits=self.head(y), aux=None)
        return out.logits + bias.unsqueeze(0).sum() * 0
SHAPES = [(2, 3, 5, 5)]
def check(net: Net):
    groups = [
        {"params": [p for n, p in net.named_parameters() if "bn" not in n and p.requires_grad]},
        {"params": [p for n, p in net.named_parameters() if "bn" in n and p.requires_grad]},
    ]
    n = sum(p.numel() for p in net.parameters() if p.requires_grad)
    m = sum([param.nelement() for param in net.parameters()])
    return [len(g["params"]) for g in groups] + [n, m, net.bn.num_features, net.stem.kernel_size, net.stem.padding, net.blocks[0].fc.in_features, net.stem.weight.shape[0]]
