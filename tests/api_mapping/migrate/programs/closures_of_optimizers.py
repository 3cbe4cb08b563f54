import torch
from torch import nn


class Signed(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, decay=0.0):
        super().__init__(params, {"lr": lr, "decay": decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.sub_(p.grad.sign(), alpha=group["lr"]).div_(1 + group["lr"] * group["decay"])
                p.mul_(0.9).add_(p.grad, alpha=0.01).clamp_(-1, 1)
        return loss


class Plain(Signed):
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for p in group["params"]:
                p.data.add_(-group["lr"] * p.grad).sub_(torch.zeros_like(p)).div_(p.numel() / 2)
        return loss


def build():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    for i, p in enumerate(net.parameters()):
        p.data.mul_(0).add_(torch.arange(p.numel()).view(p.shape)).sub_(i).div_(10)
    return net


x = torch.linspace(-1, 1, 8).view(4, 2)
for cls, options in ((Signed, {"decay": 0.1}), (Plain, {})):
    net = build()
    opt = cls(
        [{"params": net[0].parameters()}, {"params": net[2].parameters(), "lr": 0.05}], **options
    )

    def closure():
        opt.zero_grad()
        loss = (net(x) - 1).pow(2).mean()
        loss.backward()
        return loss

    losses = [round(opt.step(closure).item(), 4) for _ in range(3)]
    print(cls.__name__, losses, [round(group["lr"], 4) for group in opt.param_groups])
    other = cls(net.parameters(), lr=0.3)
    print(
        len(opt.state_dict()["param_groups"]),
        len(other.param_groups),
        other.param_groups[0]["lr"] > 0.2,
    )


@torch.no_grad()
def adversarial(inputs):
    start = net(inputs).sum()
    with torch.enable_grad():
        moved = inputs.clone().requires_grad_(True)
        (slope,) = torch.autograd.grad(net(moved).sum(), moved)
    return inputs + 0.1 * slope.sign(), start


moved, start = adversarial(x)
print([round(v, 3) for v in moved[0].tolist()], round(start.item(), 4))
print(torch.is_grad_enabled())
