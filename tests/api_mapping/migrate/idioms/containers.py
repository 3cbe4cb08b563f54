from collections import OrderedDict
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))
        self.seq = nn.Sequential(OrderedDict([("fc", nn.Linear(3, 3)), ("act", nn.ReLU())]))
        self.seq.add_module("fc2", nn.Linear(3, 3))
        self.branches = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Sequential(nn.Linear(3, 3), nn.Tanh())})
        self.branches["c"] = nn.Identity()
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3) * (i + 1)) for i in range(2)])
        self.named = nn.ParameterDict({"left": nn.Parameter(torch.zeros(3)), "right": nn.Parameter(torch.ones(3))})
        self.nested = nn.ModuleList([nn.ModuleList([nn.Linear(3, 3), nn.ReLU()]) for _ in range(2)])
        self.nested.append(nn.ModuleList([nn.Linear(3, 3), nn.Sigmoid()]))
        layers = []
        for i in range(2):
            layers += [nn.Linear(3, 3), nn.ReLU(inplace=True)]
        layers.append(nn.Linear(3, 3))
        self.mlp = nn.Sequential(*layers)
        for i in range(2):
            setattr(self, f"extra{i}", nn.Linear(3, 3))
            self.add_module("more%d" % i, nn.Linear(3, 3))
        self.register_parameter("gain", nn.Parameter(torch.ones(1)))
        self.register_parameter("bias", None)
    def forward(self, x):
        for i, block in enumerate(self.blocks):
            x = block(x) * self.scales[i]
        x = self.seq(x)
        x = x + sum(f(x) for f in self.branches.values())
        for k, f in self.branches.items():
            if k in ("a", "c"):
                x = x + f(x)
        for key in self.branches:
            x = self.branches[key](x)
        x = x * self.named["right"] + self.named["left"]
        for fc, act in self.nested:
            x = act(fc(x))
        for layer in self.mlp[:-1]:
            x = layer(x)
        x = self.mlp[-1](x)
        x = self.mlp[1:3](x)
        for i in range(2):
            x = getattr(self, f"extra{i}")(x)
            x = getattr(self, "more%d" % i)(x)
        if self.bias is not None:
            x = x + self.bias
        x = self._modules["blocks"][0](x)
        return x * self.gain * len(self.blocks) * len(self.mlp)
def check(net: nn.Module):
    out = [n for n, _ in net.named_children()]
    out.append([n for n, _ in net.named_modules()])
    out.append(len(list(net.modules())))
    out.append(len(list(net.children())))
    out.append(sum(1 for m in net.modules() if isinstance(m, nn.Linear)))
    out.append([n for n, p in net.named_parameters()])
    out.append("blocks" in net._modules)
    out.append([type(m).__name__ for m in net.children()])
    return out
