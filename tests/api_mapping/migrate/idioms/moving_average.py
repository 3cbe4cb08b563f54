import copy
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.bn = nn.BatchNorm1d(4)
        self.head = nn.Linear(4, 2)
    def forward(self, x):
        return self.head(self.bn(self.fc(x)))
@torch.no_grad()
def update(ema, model, decay=0.9):
    for ema_p, p in zip(ema.parameters(), model.parameters()):
        ema_p.mul_(decay).add_(p, alpha=1 - decay)
    for ema_b, b in zip(ema.buffers(), model.buffers()):
        ema_b.copy_(b)
class EMA:
    def __init__(self, model: nn.Module, decay=0.9):
        self.model = model
        self.decay = decay
        self.shadow = {}
        for name, param in model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = param.data.clone()
    def update(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = (1.0 - self.decay) * param.data + self.decay * self.shadow[name]
    def apply_shadow(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                param.data = self.shadow[name]
def freeze(model: Net):
    for p in model.parameters():
        p.requires_grad = False
    for param in model.head.parameters():
        param.requires_grad_(True)
def check(net: nn.Module):
    ema = copy.deepcopy(net)
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(0.5)
            p.add_(torch.ones_like(p))
    update(ema, net)
    out = [p for p in ema.parameters()]
    e = EMA(net)
    for p in net.parameters():
        p.data.add_(1.0)
    e.update()
    e.apply_shadow()
    out += [p for p in net.parameters()]
    freeze(net)
    out += [p.requires_grad for p in net.parameters()]
    out.append(sum(p.numel() for p in net.parameters() if p.requires_grad))
    out.append(len(list(net.parameters())))
    out.append([n for n, _ in net.named_parameters()])
    decay, no_decay = [], []
    for name, p in net.named_parameters():
        if name.endswith(".bias") or p.ndim == 1:
            no_decay.append(name)
        else:
            decay.append(name)
    out += [decay, no_decay]
    return out
