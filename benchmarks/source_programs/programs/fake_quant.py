"""Quantisation-aware training with observers of one's own, then weights in int8 and a dequantised check."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class MinMaxObserver(nn.Module):
    def __init__(self, averaging=0.1):
        super().__init__()
        self.averaging = averaging
        self.register_buffer("min_val", torch.tensor(float("inf")))
        self.register_buffer("max_val", torch.tensor(float("-inf")))

    @torch.no_grad()
    def forward(self, x):
        low, high = torch.aminmax(x.detach())
        if torch.isinf(self.min_val):
            self.min_val.copy_(low)
            self.max_val.copy_(high)
        else:
            self.min_val += self.averaging * (low - self.min_val)
            self.max_val += self.averaging * (high - self.max_val)
        return x

    def qparams(self, qmin, qmax, symmetric):
        low, high = self.min_val.clamp(max=0.0), self.max_val.clamp(min=0.0)
        if symmetric:
            scale = torch.max(-low, high) / (float(qmax - qmin) / 2)
            zero_point = torch.zeros((), dtype=torch.int64)
        else:
            scale = (high - low) / float(qmax - qmin)
            scale = torch.clamp(scale, min=torch.finfo(torch.float32).eps)
            zero_point = qmin - torch.round(low / scale).to(torch.int64)
            zero_point = zero_point.clamp(qmin, qmax)
        return scale, zero_point


class FakeQuantize(nn.Module):
    def __init__(self, qmin, qmax, symmetric):
        super().__init__()
        self.qmin, self.qmax, self.symmetric = qmin, qmax, symmetric
        self.observer = MinMaxObserver()
        self.enabled = True

    def forward(self, x):
        if self.training:
            self.observer(x)
        if not self.enabled:
            return x
        scale, zero_point = self.observer.qparams(self.qmin, self.qmax, self.symmetric)
        q = torch.clamp(torch.round(x / scale) + zero_point, self.qmin, self.qmax)
        return x + ((q - zero_point) * scale - x).detach()


class QuantLinear(nn.Linear):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.weight_fq = FakeQuantize(-128, 127, symmetric=True)
        self.act_fq = FakeQuantize(0, 255, symmetric=False)

    @classmethod
    def from_float(cls, mod):
        new = cls(mod.in_features, mod.out_features, bias=mod.bias is not None)
        new.weight, new.bias = mod.weight, mod.bias
        return new

    def forward(self, x):
        return F.linear(self.act_fq(x), self.weight_fq(self.weight), self.bias)


def swap(module):
    for name, child in module.named_children():
        if type(child) is nn.Linear:
            setattr(module, name, QuantLinear.from_float(child))
        else:
            swap(child)
    return module


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        out = model(x)
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).double().mean().item()


def train(model, x, y, lr, epochs):
    model.train()
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for epoch in range(epochs):
        for xb, yb in zip(torch.chunk(x, 4), torch.chunk(y, 4)):
            opt.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
    return loss.item()


rng = np.random.default_rng(4)
x = torch.as_tensor(rng.normal(size=(32, 6)), dtype=torch.float32)
y = torch.as_tensor((rng.normal(size=(6, 3)).T @ x.numpy().T).argmax(0))
model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Sequential(nn.Linear(10, 8), nn.ReLU()), nn.Linear(8, 3))
for i, p in enumerate(model.parameters()):
    p.data = torch.as_tensor(np.sin(np.arange(p.numel()) * 0.9 + i), dtype=torch.float32).view(p.shape) * (0.4 if p.dim() > 1 else 0.0)
print("float", round(train(model, x, y, 0.1, 4), 4), [round(v, 4) for v in evaluate(model, x, y)])
qat = swap(model)
print([type(m).__name__ for m in qat.modules() if isinstance(m, nn.Linear)])
print("qat", round(train(qat, x, y, 0.02, 2), 4), [round(v, 4) for v in evaluate(qat, x, y)])
total, worst = 0, 0.0
for name, module in qat.named_modules():
    if isinstance(module, QuantLinear):
        scale, zero = module.weight_fq.observer.qparams(-128, 127, True)
        w_int8 = torch.clamp(torch.round(module.weight.detach() / scale), -128, 127).to(torch.int8)
        back = w_int8.float() * scale
        worst = max(worst, (back - module.weight).abs().max().item() / scale.item())
        total += w_int8.numel() * w_int8.element_size()
        s, z = module.act_fq.observer.qparams(0, 255, False)
        print(name, round(scale.item(), 5), round(s.item(), 5), z.item(), int(w_int8.sum()))
print(total, worst <= 0.5001, len([k for k in qat.state_dict() if k.endswith("min_val")]))
for module in qat.modules():
    if isinstance(module, FakeQuantize):
        module.enabled = False
print("off", [round(v, 4) for v in evaluate(qat, x, y)])
