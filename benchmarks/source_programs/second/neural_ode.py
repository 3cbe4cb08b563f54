"""A neural differential equation: Runge-Kutta steps over a function of modules, a spiral fitted, and the flow's Jacobian trace."""
import torch
import torch.nn as nn
from torch import optim


class Field(nn.Module):
    def __init__(self, dim=2, hidden=10):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.Softplus(), nn.Linear(hidden, dim))
        self.nfe = 0
        for i, m in enumerate(self.net):
            if isinstance(m, nn.Linear):
                with torch.no_grad():
                    m.weight.copy_(torch.sin(torch.arange(m.weight.numel()) * 0.53 + i).view_as(m.weight) * 0.3)
                    m.bias.zero_()

    def forward(self, t, y):
        self.nfe += 1
        return self.net(y ** 3) + 0.0 * t


class Spiral(nn.Module):
    def __init__(self):
        super().__init__()
        self.A = nn.Parameter(torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]), requires_grad=False)

    def forward(self, t, y):
        return torch.mm(y ** 3, self.A)


def rk4_step(f, t, dt, y):
    half = dt * 0.5
    k1 = f(t, y)
    k2 = f(t + half, y + half * k1)
    k3 = f(t + half, y + half * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + (k1 + 2 * (k2 + k3) + k4) * dt / 6.0


def euler_step(f, t, dt, y):
    return y + dt * f(t, y)


METHODS = {"rk4": rk4_step, "euler": euler_step}


def odeint(f, y0, t, method="rk4"):
    step = METHODS[method]
    ys = [y0]
    for t0, t1 in zip(t[:-1], t[1:]):
        ys.append(step(f, t0, t1 - t0, ys[-1]))
    return torch.stack(ys)


class RunningAverage:
    def __init__(self, momentum=0.9):
        self.momentum, self.val, self.avg = momentum, None, 0

    def update(self, val):
        self.avg = val if self.val is None else self.avg * self.momentum + val * (1 - self.momentum)
        self.val = val


def divergence(f, t, y):
    rows = torch.autograd.functional.jacobian(lambda v: f(t, v.unsqueeze(0)).squeeze(0), y)
    return rows.diagonal().sum()


true_y0 = torch.tensor([[2.0, 0.0]])
t = torch.linspace(0.0, 2.0, 21)
with torch.no_grad():
    true_y = odeint(Spiral(), true_y0, t)
print(true_y.shape, [round(v, 4) for v in true_y[-1, 0].tolist()])
field = Field()
optimizer = optim.RMSprop(field.parameters(), lr=5e-3)
meter = RunningAverage()
for itr in range(1, 13):
    start = torch.tensor([(itr * 3 + k * 5) % 16 for k in range(4)])
    batch_y0, batch_t = true_y[start], t[:5]
    batch_y = torch.stack([true_y[start + i] for i in range(5)], dim=0)
    optimizer.zero_grad()
    pred_y = odeint(field, batch_y0.squeeze(1), batch_t)
    loss = torch.mean(torch.abs(pred_y - batch_y.squeeze(2)))
    loss.backward()
    optimizer.step()
    meter.update(loss.item())
    if itr % 4 == 0:
        with torch.no_grad():
            full = odeint(field, true_y0, t, method="euler" if itr == 4 else "rk4")
            print(f"Iter {itr:04d} | {loss.item():.5f} | {meter.avg:.5f} | {(full - true_y).abs().mean():.5f}")
print(field.nfe, round(divergence(field, t[0], torch.tensor([0.5, -0.3])).item(), 4))
