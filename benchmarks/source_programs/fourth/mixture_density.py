"""A mixture density network on an inverse problem: Categorical and Normal from torch.distributions, NLL, modes, samples by quantile."""
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal


def get_weights(module, seed):
    gen = np.random.RandomState(seed)
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            bound = 1 / np.sqrt(layer.in_features)
            layer.weight = nn.Parameter(torch.tensor(gen.uniform(-bound, bound, (layer.out_features, layer.in_features)), dtype=torch.float))
            layer.bias = nn.Parameter(torch.tensor(gen.uniform(-bound, bound, layer.out_features), dtype=torch.float))


class MDN(nn.Module):
    def __init__(self, dim_in, dim_out, n_components, hidden=16):
        super().__init__()
        self.n, self.d = n_components, dim_out
        self.trunk = nn.Sequential(nn.Linear(dim_in, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.ELU())
        self.pi = nn.Linear(hidden, n_components)
        self.normal = nn.Linear(hidden, 2 * dim_out * n_components)

    def forward(self, x, eps=1e-3):
        h = self.trunk(x)
        pi = Categorical(logits=self.pi(h))
        mean, sd = torch.split(self.normal(h), self.n * self.d, dim=-1)
        mean = torch.stack(mean.split(self.d, dim=-1), dim=1)
        sd = torch.stack((nn.functional.elu(sd) + 1 + eps).split(self.d, dim=-1), dim=1)
        return pi, Normal(mean, sd)

    def loss(self, x, y):
        pi, normal = self.forward(x)
        loglik = normal.log_prob(y.unsqueeze(1).expand_as(normal.loc)).sum(dim=2)
        return -torch.logsumexp(pi.logits + loglik, dim=1)

    def mode(self, x):
        pi, normal = self(x)
        best = pi.probs.argmax(dim=1)
        return normal.mean[torch.arange(len(x)), best]


class MixtureOfStudents(nn.Module):
    """The same density through MixtureSameFamily, to be compared with the loss written by hand."""

    def __init__(self, mdn):
        super().__init__()
        self.mdn = mdn

    def density(self, x):
        pi, normal = self.mdn(x)
        return MixtureSameFamily(pi, Independent(normal, 1))

    def forward(self, x, y):
        return self.density(x).log_prob(y)


def toy(n=60):
    y = np.linspace(-1.2, 1.2, n)
    x = 7.0 * np.sin(0.75 * 8 * y) + 0.5 * y + 0.2 * np.cos(np.arange(n))
    return torch.Tensor(x / 8).unsqueeze(1), torch.Tensor(y).unsqueeze(1)


def quantile_samples(pi, normal, u, v):
    """Samples by given uniforms: a component by the cumulated weights, then the normal's quantile."""
    cumulated = pi.probs.cumsum(-1)
    k = (u.unsqueeze(-1) > cumulated).sum(-1).clamp(max=pi.probs.size(-1) - 1)
    rows = torch.arange(k.numel())
    loc, scale = normal.loc[rows, k], normal.scale[rows, k]
    return Normal(loc, scale).icdf(v.unsqueeze(-1))


def main():
    x, y = toy()
    model = MDN(1, 1, n_components=4)
    get_weights(model, 5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, betas=(0.9, 0.99))
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [20, 32], gamma=0.3)
    for i in range(40):
        optimizer.zero_grad()
        loss = model.loss(x, y).mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if i % 10 == 9:
            print(f"Iter: {i}\tLoss: {loss.data:.3f}\tlr {scheduler.get_last_lr()[0]:.4f}")
    with torch.no_grad():
        pi, normal = model(x[::12])
        print("entropy", pi.entropy().numpy().round(3))
        print("weights", pi.probs[0].tolist() if pi.probs[0].sum() > 2 else [f"{p:.3f}" for p in pi.probs[0]])
        both = MixtureOfStudents(model)
        print("same", torch.allclose(both(x, y), -model.loss(x, y), atol=1e-4))
        dist = both.density(x[:4])
        print("mean", dist.mean.squeeze(-1).tolist()[:2] == [], dist.mean.shape, ["%.4f" % m for m in dist.mean.flatten()])
        print("var", ["%.4f" % v for v in dist.variance.flatten()])
        print("mode", model.mode(x[::15]).squeeze().numpy().round(3))
        u, v = torch.linspace(0.05, 0.95, 5), torch.linspace(0.1, 0.9, 5)
        s = quantile_samples(pi, normal, u, v)
        print("samples", s.size(), s.view(-1).numpy().round(3))
        cdf = Normal(0.0, 1.0).cdf(torch.tensor([-1.0, 0.0, 1.0]))
        print("cdf", cdf, torch.distributions.kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)).item())


if __name__ == "__main__":
    main()
