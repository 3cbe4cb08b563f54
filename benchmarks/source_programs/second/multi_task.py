"""Several tasks with learned uncertainties: heads in a ModuleDict, weights in a ParameterDict, groups of rates, a frozen trunk."""
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F

TASKS = {"depth": 1, "kind": 3, "edge": 2}


class Residual(nn.Module):
    def __init__(self, d, norm=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.norm = norm(d)
        self.fc = nn.Linear(d, d)
        self.gamma = nn.Parameter(torch.full((d,), 0.5))

    def forward(self, x):
        return x + self.gamma * F.silu(self.fc(self.norm(x)))


class MultiTask(nn.Module):
    def __init__(self, inputs=5, d=8, depth=3):
        super().__init__()
        self.stem = nn.Linear(inputs, d)
        self.trunk = nn.Sequential(*[Residual(d) for _ in range(depth)])
        self.heads = nn.ModuleDict({name: nn.Linear(d, n) for name, n in TASKS.items()})
        self.log_vars = nn.ParameterDict({name: nn.Parameter(torch.zeros(())) for name in TASKS})
        self.apply(self.init_weights)

    @staticmethod
    def init_weights(m):
        if isinstance(m, nn.Linear):
            with torch.no_grad():
                v = torch.arange(m.weight.numel(), dtype=torch.float)
                m.weight.copy_(torch.sin(v * 0.31 + m.out_features).reshape(m.weight.shape) * 0.4)
            nn.init.zeros_(m.bias)

    def features(self, x, upto=None):
        x = self.stem(x)
        blocks = self.trunk if upto is None else self.trunk[:upto]
        return blocks(x)

    def forward(self, x):
        z = self.features(x)
        return {name: head(z) for name, head in self.heads.items()}

    def loss(self, outputs, targets):
        parts = {
            "depth": F.smooth_l1_loss(outputs["depth"].squeeze(-1), targets["depth"]),
            "kind": F.cross_entropy(outputs["kind"], targets["kind"]),
            "edge": F.binary_cross_entropy_with_logits(outputs["edge"], targets["edge"]),
        }
        total = sum(torch.exp(-self.log_vars[k]) * v + self.log_vars[k] for k, v in parts.items())
        return total, {k: v.item() for k, v in parts.items()}


def freeze(module, flag=True):
    for p in module.parameters():
        p.requires_grad_(not flag)


def groups(model, base):
    decay, plain = [], []
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        (plain if p.ndim <= 1 or name.endswith(".bias") else decay).append(p)
    return [{"params": decay, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0, "lr": base * 2}]


x = torch.cos(torch.arange(60).float() * 0.45).view(12, 5)
targets = {
    "depth": x.sum(1) * 0.5,
    "kind": torch.arange(12) % 3,
    "edge": torch.stack([x[:, 0] > 0, x[:, 1] > 0.2], dim=1).float(),
}
model = MultiTask()
print(sum(p.numel() for p in model.parameters() if p.requires_grad), sorted(model.log_vars.keys()))
freeze(model.trunk[:1])
optimizer = torch.optim.AdamW(groups(model, 0.02), lr=0.02)
print([len(g["params"]) for g in optimizer.param_groups], [g["lr"] for g in optimizer.param_groups])
warm = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm, decay], milestones=[2])
for epoch in range(6):
    outputs = model(x)
    loss, parts = model.loss(outputs, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    print(epoch, f"{loss.item():.4f}", {k: round(v, 3) for k, v in parts.items()})
with torch.no_grad():
    print({k: round(v.exp().item(), 4) for k, v in model.log_vars.items()})
    print(round(model.features(x, upto=2).sum().item(), 3), round(model.features(x).sum().item(), 3))
print([n for n, p in model.named_parameters() if not p.requires_grad])
