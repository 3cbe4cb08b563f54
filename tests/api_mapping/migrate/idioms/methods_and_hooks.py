import torch
from torch import nn, Tensor
from typing import List, Optional
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, x):
        return self.features(x)
    def features(self, x):
        raise NotImplementedError
class Mixin:
    def scale(self, x):
        return x * self.factor
class Net(Mixin, Base):
    factor: float = 2.0
    names: List[str] = ["a"]
    def __init__(self, flag=True):
        super().__init__()
        self.out = nn.Linear(3, 2)
        self.feats = {}
        self.fc.register_forward_hook(self.save("fc"))
        self.run = self._forward_a if flag else self._forward_b
    def save(self, name):
        def hook(module, inputs, output):
            self.feats[name] = output.detach()
        return hook
    def _forward_a(self, x):
        return self.fc(x)
    def _forward_b(self, x):
        return x
    def features(self, x):
        return self.scale(self.run(x))
    def forward(self, x, *args, **kwargs):
        y = super().forward(x)
        return self.out(y) + self.feats["fc"].sum()
    @property
    def device(self):
        return next(self.parameters()).device
    @property
    def dtype(self) -> torch.dtype:
        return next(self.parameters()).dtype
    @staticmethod
    def make():
        return Net()
    def extra_repr(self) -> str:
        return f"factor={self.factor}"
    def train(self, mode=True):
        super().train(mode)
        self.fc.eval()
        return self
    @torch.jit.ignore
    def no_weight_decay(self):
        return {"pos_embed"}
    @torch.no_grad()
    def predict(self, x: Tensor, k: Optional[int] = None) -> Tensor:
        self.eval()
        return self(x).argmax(dim=1)
def check(net: Net):
    x = torch.ones(2, 3)
    net.train()
    out = [net.training, net.fc.training, net.predict(x), net.training, net.no_weight_decay() == {"pos_embed"}]
    out.append("factor=2.0" in repr(net))
    out.append(x.to(net.device).to(net.dtype))
    sd = net.state_dict()
    net.load_state_dict(sd, strict=True)
    net.load_state_dict({k: v for k, v in sd.items() if "out" not in k}, strict=False)
    net.requires_grad_(False)
    out.append([p.requires_grad for p in net.parameters()])
    return out
