"""A mixture of Gaussians by expectation maximisation and by gradients: log densities, distributions, masked means, a histogram."""
import math

import numpy as np
import torch
from torch.distributions import Categorical, MixtureSameFamily, MultivariateNormal, Normal, kl_divergence


class GaussianMixture(torch.nn.Module):
    def __init__(self, k, d, eps=1e-4):
        super().__init__()
        self.k, self.d, self.eps = k, d, eps
        self.mu = torch.nn.Parameter(torch.zeros(1, k, d), requires_grad=False)
        self.var = torch.nn.Parameter(torch.ones(1, k, d), requires_grad=False)
        self.pi = torch.nn.Parameter(torch.ones(1, k, 1) / k, requires_grad=False)

    def init_from(self, x):
        order = x[:, 0].sort().indices
        picks = torch.linspace(0, len(x) - 1, self.k).round().long()
        self.mu.data = x[order[picks]].unsqueeze(0)

    def log_prob(self, x):
        prec = torch.rsqrt(self.var)
        inner = torch.sum(((x - self.mu) * prec) ** 2, dim=2, keepdim=True)
        log_det = torch.sum(torch.log(prec), dim=2, keepdim=True)
        return -0.5 * (self.d * math.log(2 * math.pi) + inner) + log_det

    def e_step(self, x):
        weighted = self.log_prob(x.unsqueeze(1)) + torch.log(self.pi)
        norm = torch.logsumexp(weighted, dim=1, keepdim=True)
        return norm.mean(), weighted - norm

    def m_step(self, x, log_resp):
        x = x.unsqueeze(1)
        resp = torch.exp(log_resp)
        total = resp.sum(dim=0, keepdim=True) + self.eps
        mu = (resp * x).sum(0, keepdim=True) / total
        var = (resp * (x - mu) ** 2).sum(0, keepdim=True) / total + self.eps
        self.mu.data, self.var.data, self.pi.data = mu, var, total / x.shape[0]

    def fit(self, x, iters=20, tol=1e-4):
        last = -float("inf")
        for i in range(iters):
            log_lik, resp = self.e_step(x)
            self.m_step(x, resp)
            if abs(log_lik.item() - last) < tol:
                break
            last = log_lik.item()
        return i, last

    def predict(self, x, probs=False):
        _, resp = self.e_step(x)
        return resp.exp().squeeze(-1) if probs else resp.squeeze(-1).argmax(1)


rng = np.random.RandomState(2)
truth = np.repeat([0, 1, 2], [20, 15, 25])
points = np.array([[-2.0, 0], [1.5, 2], [2, -2]])[truth] + 0.6 * rng.randn(60, 2)
x = torch.from_numpy(points).float()
model = GaussianMixture(3, 2)
model.init_from(x)
iters, final = model.fit(x)
labels = model.predict(x)
print(iters, round(final, 4), torch.bincount(labels, minlength=3).tolist())
means = torch.stack([x[labels == c].mean(0) for c in range(3)])
print([[round(v, 3) for v in row] for row in means.tolist()])
table = torch.zeros(3, 3, dtype=torch.long)
table.index_put_((torch.from_numpy(truth), labels), torch.ones(60, dtype=torch.long), accumulate=True)
print(table.tolist(), round(model.predict(x, probs=True).max(1)[0].mean().item(), 4))
logits = torch.zeros(3, requires_grad=True)
locs = (means + 0.5).clone().requires_grad_(True)
log_scale = torch.zeros(3, 2, requires_grad=True)
optimizer = torch.optim.Adam([{"params": [locs, log_scale]}, {"params": [logits], "lr": 0.1}], lr=0.05)
for step in range(10):
    optimizer.zero_grad()
    log_comp = Normal(locs, log_scale.exp()).log_prob(x[:, None, :]).sum(-1)
    nll = -torch.logsumexp(log_comp + logits.log_softmax(0), dim=1).mean()
    nll.backward()
    optimizer.step()
    if step % 3 == 0:
        print(step, round(nll.item(), 4))
print([round(v, 3) for v in logits.softmax(0).tolist()])
kl = kl_divergence(Normal(locs[0].detach(), 1.0), Normal(locs[1].detach(), torch.tensor([1.0, 2.0])))
print([round(v, 3) for v in kl.tolist()], round(Categorical(logits=logits.detach()).entropy().item(), 4))
hist = torch.histc(x[:, 0], bins=5, min=-4, max=4)
print(hist.tolist(), torch.bucketize(x[:5, 0], torch.tensor([-1.0, 1.0])).tolist())
