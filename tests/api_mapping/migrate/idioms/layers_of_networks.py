from collections import OrderedDict
from typing import Dict, List, Tuple
import torch
import torch.nn as nn
import torch.nn.functional as F
class Features(nn.ModuleDict):
    def __init__(self, model: nn.Module, wanted: Dict[str, str]):
        layers = OrderedDict()
        for name, module in model.named_children():
            layers[name] = module
            if name in wanted:
                break
        super().__init__(layers)
        self.wanted = wanted
    def forward(self, x):
        out = OrderedDict()
        for name, module in self.items():
            x = module(x)
            if name in self.wanted:
                out[self.wanted[name]] = x
        return out
class Backbone(nn.Module):
    def __init__(self, kernel: List[int], stride: Tuple[int, int]):
        super().__init__()
        padding = [k // 2 for k in kernel]
        self.stem = nn.Sequential(nn.Conv2d(3, 4, kernel, stride, padding), nn.ReLU())
        self.body = nn.Sequential(nn.Conv2d(4, 6, kernel_size=kernel), nn.AvgPool2d(kernel, padding=padding))
        self.kernel = torch.ones(6, 1, *kernel)
        self.head = nn.Linear(3, 3)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        size = [3]
        size.append(3)
        self.backbone = Backbone(size, (1, 1))
        self.features = Features(self.backbone, {"stem": "low", "body": "high"})
        self.padding = [1, 1]
    def forward(self, x):
        last = self.features(x)["low"]
        steps = [2, 2]
        weight = torch.ones(4, 1, 3, 3)
        return F.conv2d(last, weight, stride=steps, padding=self.padding, groups=4)
SHAPES = [(2, 3, 9, 9)]
