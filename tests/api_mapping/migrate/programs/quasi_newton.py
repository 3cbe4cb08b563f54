"""L-BFGS: closures that are called many times a step, with and without a line search."""

import math

import torch
import torch.nn as nn
from torch import optim


class Wave(nn.Module):
    """A small network that is fitted to a differential equation: u'' = -u."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(1, 6)
        self.out = nn.Linear(6, 1)
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.sin(torch.arange(p.numel()) * 1.3 + i).view_as(p) * 0.7)

    def forward(self, t):
        return self.out(torch.tanh(self.hidden(t)))


def fit_wave(max_iter, line_search=None):
    net = Wave()
    t = torch.linspace(0, 2, 9).view(-1, 1)
    goal = torch.sin(t)
    optimizer = optim.LBFGS(net.parameters(), 1, max_iter, line_search_fn=line_search)
    calls = 0

    def closure():
        nonlocal calls
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(t), goal)
        loss.backward()
        calls += 1
        return loss

    for epoch in range(3):
        loss = optimizer.step(closure)
        print(f"wave {epoch} {math.log10(loss.item()):.2f}")
    return calls


class Fitter:
    def __init__(self, rate):
        self.a = nn.Parameter(torch.tensor(0.5))
        self.b = nn.Parameter(torch.tensor([0.1, 0.2]))
        self.optimizer = torch.optim.LBFGS([self.a, self.b], lr=rate, max_iter=3, history_size=2)
        self.x = torch.stack([torch.arange(5.0), torch.arange(5.0).pow(2) / 4], dim=1)
        self.y = 1.5 + self.x @ torch.tensor([0.3, -0.6])

    def loss(self):
        return ((self.a + self.x @ self.b - self.y) ** 2).mean()

    def fit(self, steps):
        for step in range(steps):

            def closure():
                self.optimizer.zero_grad()
                loss = self.loss()
                loss.backward()
                return loss

            self.optimizer.step(closure)
            print(f"line {step} {self.loss().item():.4f} {self.a.item():.3f}")


def rosenbrock(line_search):
    xy = torch.tensor([-1.0, 1.5], requires_grad=True)
    opt = optim.LBFGS([xy], lr=0.8, max_iter=5, line_search_fn=line_search)
    scheduler = optim.lr_scheduler.StepLR(opt, 2, gamma=0.5)

    def closure():
        opt.zero_grad()
        f = (1 - xy[0]) ** 2 + 4 * (xy[1] - xy[0] ** 2) ** 2
        f.backward()
        return f

    for _ in range(4):
        f = opt.step(closure)
        scheduler.step()
        print(f"{line_search} {f.item():.3f} lr {scheduler.get_last_lr()[0]:.2f}")
    print([round(v, 2) for v in xy.tolist()])


def clamped(image, steps):
    """An image that stays between 0 and 1, as style transfer has it."""
    image = image.clone().requires_grad_(True)
    optimizer = optim.LBFGS([image], max_iter=3)
    goal = torch.linspace(-0.5, 1.5, image.numel()).view_as(image)
    runs = [0]
    while runs[0] < steps:

        def closure():
            with torch.no_grad():
                image.clamp_(0, 1)
            optimizer.zero_grad()
            loss = (image - goal).pow(2).sum() + (image[:, 1:] - image[:, :-1]).abs().sum()
            loss.backward()
            runs[0] += 1
            return loss

        optimizer.step(closure)
    with torch.no_grad():
        image.clamp_(0, 1)
    return image, runs[0]


def main():
    print("calls", fit_wave(4) > 3)
    print("calls", fit_wave(4, "strong_wolfe") > 3)
    fitter = Fitter(0.5)
    fitter.fit(3)
    state = fitter.optimizer.state_dict()
    print(state["param_groups"][0]["max_iter"], state["param_groups"][0]["lr"])
    again = Fitter(0.5)
    again.a.data.copy_(fitter.a.data)
    again.b.data.copy_(fitter.b.data)
    again.optimizer.load_state_dict(state)
    again.fit(2)
    rosenbrock("strong_wolfe")
    rosenbrock(None)
    image, runs = clamped(torch.full((2, 4), 0.5), 6)
    print(runs, [round(v, 3) for v in image.flatten().tolist()])


main()
