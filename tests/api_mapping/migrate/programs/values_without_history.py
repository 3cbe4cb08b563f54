"""Values that functions give without their history: what computes them is no part of a loss."""

import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() * 0.7 + i).view(p.shape)

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Sampler:
    def __init__(self, model):
        self.model = model
        self.examples = [torch.ones(1, 2) * i for i in range(3)]

    def new(self, steps, each=False):
        start = torch.cat(self.examples[:2], dim=0).detach()
        out = self.walk(self.model, start, steps, each)
        self.examples = list(out.chunk(2, dim=0)) + self.examples[:2]
        return out

    def walk(self, model, inp, steps, each=False):
        was_training = model.training
        model.eval()
        for p in model.parameters():
            p.requires_grad = False
        inp.requires_grad = True
        states = []
        for _ in range(steps):
            energy = model(inp)
            energy.sum().backward()
            inp.grad.data.clamp_(-0.5, 0.5)
            inp.data.add_(-0.1 * inp.grad.data)
            inp.grad.detach_()
            inp.grad.zero_()
            if each:
                states.append(inp.clone().detach())
        for p in model.parameters():
            p.requires_grad = True
        model.train(was_training)
        return torch.stack(states, dim=0) if each else inp.detach()


def step(model, sampler, batch, optimizer):
    fake = sampler.new(steps=3)
    real_out, fake_out = model(torch.cat([batch, fake], dim=0)).chunk(2, dim=0)
    loss = 0.1 * (real_out**2 + fake_out**2).mean() + real_out.mean() - fake_out.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


model = Energy()
sampler = Sampler(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(4):
    print(f"{step(model, sampler, torch.ones(2, 2) * (i - 1), optimizer):.3f}", model.training)
print(len(sampler.examples), [f"{v:.3f}" for v in sampler.examples[0].flatten()])
print([f"{p.sum().item():.3f}" for p in model.parameters()])
delta = torch.zeros(1, 2)
same = delta
delta.data = torch.full((1, 2), 0.25)
print(same.tolist(), (same + sampler.examples[0].data).shape[1])
print([f"{v:.3f}" for v in sampler.walk(model, torch.zeros(1, 2), 2, True).flatten()])
