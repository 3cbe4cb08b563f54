"""RealNVP on two moons: coupling layers with masks, log-determinants, distributions, sampling by the inverse."""
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Independent, MultivariateNormal, Normal, kl_divergence


def mlp(inp, hidden, out, final=None):
    layers = [nn.Linear(inp, hidden), nn.LeakyReLU(), nn.Linear(hidden, out)]
    if final is not None:
        layers.append(final)
    return nn.Sequential(*layers)


class Flow(nn.Module):
    def forward(self, x):
        raise NotImplementedError

    def inverse(self, z):
        raise NotImplementedError


class CouplingLayer(Flow):
    def __init__(self, mask, hidden=12):
        super().__init__()
        self.register_buffer("mask", mask)
        self.s = mlp(mask.numel(), hidden, mask.numel(), nn.Tanh())
        self.t = mlp(mask.numel(), hidden, mask.numel())

    def forward(self, x):
        x_ = x * self.mask
        s = self.s(x_) * (1 - self.mask)
        t = self.t(x_) * (1 - self.mask)
        z = x_ + (1 - self.mask) * (x * s.exp() + t)
        return z, s.sum(dim=1)

    def inverse(self, z):
        z_ = self.mask * z
        s = self.s(z_) * (1 - self.mask)
        t = self.t(z_) * (1 - self.mask)
        x = z_ + (1 - self.mask) * (z - t) * torch.exp(-s)
        return x, -s.sum(-1)


class ActNorm(Flow):
    def __init__(self, dim):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.register_buffer("initialized", torch.tensor(0, dtype=torch.uint8))

    def forward(self, x):
        if self.training and not self.initialized:
            with torch.no_grad():
                std = x.std(0, unbiased=False)
                self.log_scale.data = -torch.log(std + 1e-6)
                self.shift.data = -(x * torch.exp(self.log_scale)).mean(0)
                self.initialized.fill_(1)
        return x * self.log_scale.exp() + self.shift, self.log_scale.sum().expand(x.shape[0])

    def inverse(self, z):
        return (z - self.shift) * torch.exp(-self.log_scale), -self.log_scale.sum().expand(z.shape[0])


class NormalizingFlow(nn.Module):
    def __init__(self, prior, flows):
        super().__init__()
        self.prior = prior
        self.flows = nn.ModuleList(flows)

    def forward(self, x):
        log_det = torch.zeros(x.shape[0])
        for flow in self.flows:
            x, ld = flow(x)
            log_det += ld
        return x, self.prior.log_prob(x), log_det

    def inverse(self, z):
        log_det = torch.zeros(z.size(0))
        for flow in self.flows[::-1]:
            z, ld = flow.inverse(z)
            log_det = log_det + ld
        return z, log_det


def two_moons(n, rng):
    angle = rng.uniform(0, np.pi, n)
    flip = rng.randint(0, 2, n)
    x = np.where(flip, 1 - np.cos(angle), np.cos(angle))
    y = np.where(flip, 0.5 - np.sin(angle), np.sin(angle))
    return (np.stack([x, y], 1) + rng.normal(0, 0.05, (n, 2))).astype(np.float32)


rng = np.random.RandomState(0)
masks = [torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0])] * 2
flows = [ActNorm(2)] + [CouplingLayer(m) for m in masks]
prior = MultivariateNormal(torch.zeros(2), torch.eye(2))
model = NormalizingFlow(prior, flows)
for i, p in enumerate(model.parameters()):
    if p.dim() == 2:
        p.data.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.9 + i).view(p.shape) * 0.4)
    elif i > 1:
        p.data.zero_()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-5)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
print(sum(1 for _ in model.buffers()), len(list(model.parameters())))
for k in range(6):
    model.train()
    x = torch.from_numpy(two_moons(32, rng))
    zs, prior_logprob, log_det = model(x)
    loss = -torch.mean(prior_logprob + log_det)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    print(k, round(loss.item(), 4), round(log_det.mean().item(), 4))
model.eval()
with torch.no_grad():
    z = torch.from_numpy(rng.randn(16, 2)).float()
    samples, back_det = model.inverse(z)
    again, _, log_det = model(samples)
    print(torch.allclose(again, z, atol=1e-3), torch.allclose(log_det, -back_det, atol=1e-3))
    print([round(v, 4) for v in samples.mean(0).tolist()])
base = Independent(Normal(torch.zeros(3, 2), torch.ones(3, 2) * 2), 1)
print(base.batch_shape, base.event_shape, [round(v, 4) for v in base.log_prob(torch.ones(3, 2)).tolist()])
q, p = Normal(torch.tensor([0.5]), torch.tensor([0.8])), Normal(torch.tensor([0.0]), torch.tensor([1.0]))
print(round(kl_divergence(q, p).item(), 4), round(q.cdf(torch.tensor([1.0])).item(), 4), round(q.entropy().item(), 4))
