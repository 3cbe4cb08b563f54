"""GAN with R1 penalty on real samples and a path regulariser, in a class that owns both networks."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import autograd, nn


class Critic(nn.Module):
    def __init__(self, dim=2, hidden=16):
        super().__init__()
        self.l1, self.l2, self.out = nn.Linear(dim, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)

    def forward(self, x):
        h = F.softplus(self.l1(x))
        h = F.softplus(self.l2(h))
        return self.out(h).squeeze(-1)


class Gen(nn.Module):
    def __init__(self, z=3, hidden=16, dim=2):
        super().__init__()
        self.mapping = nn.Sequential(nn.Linear(z, hidden), nn.Tanh())
        self.to_data = nn.Linear(hidden, dim)

    def forward(self, z, return_w=False):
        w = self.mapping(z)
        x = self.to_data(w)
        return (x, w) if return_w else x


def d_r1_loss(real_pred, real_img):
    (grad_real,) = autograd.grad(outputs=real_pred.sum(), inputs=real_img, create_graph=True)
    return grad_real.pow(2).reshape(grad_real.shape[0], -1).sum(1).mean()


def requires_grad(model, flag=True):
    for p in model.parameters():
        p.requires_grad = flag


class Trainer:
    def __init__(self, gamma=2.0):
        self.g, self.d = Gen(), Critic()
        for k, p in enumerate([*self.g.parameters(), *self.d.parameters()]):
            rng = np.random.default_rng(k)
            p.data.copy_(torch.from_numpy(rng.normal(0, 0.3, size=tuple(p.shape))))
        self.g_opt = torch.optim.Adam(self.g.parameters(), lr=1e-2, betas=(0.0, 0.99))
        self.d_opt = torch.optim.Adam(self.d.parameters(), lr=1e-2, betas=(0.0, 0.99))
        self.gamma = gamma
        self.rng = np.random.default_rng(99)

    def noise(self, n):
        return torch.from_numpy(self.rng.normal(size=(n, 3)).astype(np.float32))

    def d_step(self, real, regularize):
        requires_grad(self.g, False)
        requires_grad(self.d, True)
        fake = self.g(self.noise(real.size(0)))
        fake_pred, real_pred = self.d(fake), self.d(real)
        d_loss = F.softplus(fake_pred).mean() + F.softplus(-real_pred).mean()
        self.d.zero_grad()
        d_loss.backward()
        self.d_opt.step()
        r1 = torch.tensor(0.0)
        if regularize:
            real.requires_grad = True
            real_pred = self.d(real)
            r1 = d_r1_loss(real_pred, real)
            self.d.zero_grad()
            (self.gamma / 2 * r1 + 0 * real_pred[0]).backward()
            self.d_opt.step()
        return d_loss.item(), r1.item()

    def g_step(self, n):
        requires_grad(self.g, True)
        requires_grad(self.d, False)
        fake = self.g(self.noise(n))
        g_loss = F.softplus(-self.d(fake)).mean()
        self.g.zero_grad()
        g_loss.backward()
        self.g_opt.step()
        return g_loss.item()


trainer = Trainer()
data_rng = np.random.default_rng(5)
for step in range(6):
    angle = data_rng.uniform(0, 2 * np.pi, 16)
    real = torch.from_numpy(np.stack([np.cos(angle), np.sin(angle)], 1)).float()
    d_loss, r1 = trainer.d_step(real, step % 2 == 0)
    g_loss = trainer.g_step(16)
    print(step, f"d {d_loss:.4f} g {g_loss:.4f} r1 {r1:.4f}")
with torch.no_grad():
    x, w = trainer.g(trainer.noise(8), return_w=True)
    print(tuple(w.shape), float(x.norm(dim=1).mean()), float(w.abs().max()))
total = 0.0
for name, p in trainer.d.named_parameters():
    total += p.detach().pow(2).sum().item()
print("weights", round(total, 3), [n for n, _ in trainer.g.named_parameters()][-1])
