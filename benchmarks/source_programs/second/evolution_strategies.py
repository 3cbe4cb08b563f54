"""Evolution strategies without gradients: parameters as one vector, antithetic noise, ranks, and a comparison with a gradient."""
import numpy as np
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

torch.manual_seed(0)


def make_policy(sizes, activation=nn.Tanh):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(activation())
    return nn.Sequential(*layers)


class Task:
    """Follow a target by a point with inertia."""

    def __init__(self, steps=12):
        self.steps = steps
        t = torch.linspace(0, 3, steps)
        self.target = torch.stack([torch.sin(t), torch.cos(t)], dim=-1)

    def rollout(self, policy):
        pos, vel = torch.zeros(2), torch.zeros(2)
        cost = torch.zeros(())
        for k in range(self.steps):
            obs = torch.cat([pos, vel, self.target[k]])
            vel = 0.8 * vel + 0.3 * policy(obs)
            pos = pos + vel
            cost = cost + (pos - self.target[k]).norm()
        return cost / self.steps


def ranks(values):
    order = np.argsort(values)
    out = np.empty(len(values), dtype=np.float32)
    out[order] = np.linspace(-0.5, 0.5, len(values))
    return out


class EvolutionStrategy:
    def __init__(self, policy, task, population=8, sigma=0.1, lr=0.3):
        self.policy, self.task = policy, task
        self.population, self.sigma, self.lr = population, sigma, lr
        self.theta = parameters_to_vector(policy.parameters()).detach().clone()
        self.velocity = torch.zeros_like(self.theta)
        self.rng = np.random.RandomState(11)

    @torch.no_grad()
    def score(self, theta):
        vector_to_parameters(theta, self.policy.parameters())
        return -self.task.rollout(self.policy).item()

    def step(self):
        noise = torch.from_numpy(self.rng.randn(self.population, self.theta.numel())).float()
        noise = torch.cat([noise, -noise])
        scores = np.array([self.score(self.theta + self.sigma * e) for e in noise])
        weights = torch.as_tensor(ranks(scores))
        grad = (weights[:, None] * noise).sum(0) / (2 * self.population * self.sigma)
        self.velocity.mul_(0.5).add_(grad, alpha=self.lr)
        self.theta += self.velocity
        return scores.max(), grad.norm().item()


policy = make_policy([6, 5, 2])
for k, p in enumerate(policy.parameters()):
    with torch.no_grad():
        p.set_(torch.sin(torch.arange(p.numel()).float() + k).view(p.shape) * 0.2)
task = Task()
before = task.rollout(policy)
print(round(before.item(), 4), parameters_to_vector(policy.parameters()).shape)
es = EvolutionStrategy(policy, task)
for generation in range(4):
    best, norm = es.step()
    print(generation, round(float(best), 4), round(norm, 4))
print("mean", round(-es.score(es.theta), 4), round(es.theta.abs().mean().item(), 4))
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
for _ in range(3):
    cost = task.rollout(policy)
    optimizer.zero_grad()
    cost.backward()
    optimizer.step()
print("gradient", round(cost.item(), 4))
