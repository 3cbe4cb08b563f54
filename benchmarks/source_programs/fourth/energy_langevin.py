"""An energy-based model: Langevin chains with gradients of the inputs, a replay buffer, contrastive divergence, score matching."""
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class Energy(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, hidden), Swish(), nn.Linear(hidden, hidden), Swish(), nn.Linear(hidden, 1))
        for n, p in enumerate(self.parameters()):
            v = torch.arange(p.numel(), dtype=torch.float32).reshape(p.shape)
            p.data = torch.sin(0.7 * v + n) * (0.5 if p.dim() > 1 else 0.05)

    def forward(self, x):
        return self.layers(x).squeeze(dim=-1)


class Sampler:
    def __init__(self, model, sample_size, max_len=64):
        super().__init__()
        self.model = model
        self.sample_size = sample_size
        self.max_len = max_len
        self.noise = np.random.RandomState(1)
        random.seed(3)
        self.examples = [torch.from_numpy(self.noise.uniform(-1, 1, (1, 2))).float() for _ in range(self.sample_size)]

    def sample_new_exmps(self, steps=10, step_size=0.1):
        n_new = self.sample_size // 4
        rand = torch.from_numpy(self.noise.uniform(-1, 1, (n_new, 2))).float()
        old = torch.cat(random.choices(self.examples, k=self.sample_size - n_new), dim=0)
        inp = torch.cat([rand, old], dim=0).detach()
        out = self.generate_samples(self.model, inp, steps=steps, step_size=step_size)
        self.examples = list(out.chunk(self.sample_size, dim=0)) + self.examples
        self.examples = self.examples[:self.max_len]
        return out

    def generate_samples(self, model, inp, steps=10, step_size=0.1, return_each=False):
        is_training = model.training
        model.eval()
        for p in model.parameters():
            p.requires_grad = False
        inp.requires_grad = True
        had_gradients_enabled = torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        each = []
        for _ in range(steps):
            noise = torch.from_numpy(self.noise.randn(*inp.shape)).float()
            inp.data.add_(noise * 0.02)
            inp.data.clamp_(min=-2.0, max=2.0)
            energy = model(inp)
            energy.sum().backward()
            inp.grad.data.clamp_(-0.5, 0.5)
            inp.data.add_(-step_size * inp.grad.data)
            inp.grad.detach_()
            inp.grad.zero_()
            if return_each:
                each.append(inp.clone().detach())
        for p in model.parameters():
            p.requires_grad = True
        model.train(is_training)
        torch.set_grad_enabled(had_gradients_enabled)
        return torch.stack(each, dim=0) if return_each else inp.detach()


def ring(n, shift=0.0):
    angle = torch.linspace(0, 6.2832, n + 1)[:-1] + shift
    radius = 1 + 0.1 * torch.sin(5 * angle)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


def contrastive_step(model, sampler, batch, optimizer, alpha=0.1):
    fake = sampler.sample_new_exmps(steps=8, step_size=0.2)
    inp = torch.cat([batch, fake], dim=0)
    real_out, fake_out = model(inp).chunk(2, dim=0)
    reg_loss = alpha * (real_out ** 2 + fake_out ** 2).mean()
    cdiv_loss = real_out.mean() - fake_out.mean()
    loss = reg_loss + cdiv_loss
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
    optimizer.step()
    return loss.item(), cdiv_loss.item()


def denoising_score_matching(model, x, noise, sigma=0.3):
    perturbed = (x + sigma * noise).requires_grad_()
    energy = model(perturbed).sum()
    score = -torch.autograd.grad(energy, perturbed, create_graph=True)[0]
    target = -noise / sigma
    return 0.5 * sigma ** 2 * F.mse_loss(score, target, reduction="none").sum(dim=1).mean()


model = Energy()
sampler = Sampler(model, sample_size=16)
optimizer = optim.Adam(model.parameters(), lr=1e-2, betas=(0.0, 0.999))
scheduler = optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.97)
for step in range(12):
    loss, cdiv = contrastive_step(model, sampler, ring(16, step * 0.1), optimizer)
    if step % 4 == 3:
        scheduler.step()
        print(f"cd {step + 1:2d} loss {loss:.4f} cdiv {cdiv:.4f} buffer {len(sampler.examples)}")
score_model = Energy(12)
optimizer = optim.Adam(score_model.parameters(), lr=2e-2)
rng = np.random.RandomState(7)
for step in range(12):
    noise = torch.from_numpy(rng.randn(20, 2).astype(np.float32))
    loss = denoising_score_matching(score_model, ring(20, step * 0.2), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        print(f"dsm {step + 1:2d} {loss.item():.4f}")
chain = sampler.generate_samples(score_model, torch.zeros(3, 2) + 0.3, steps=5, step_size=0.1, return_each=True)
print(chain.shape, chain[-1].numpy().round(3), model.training)
with torch.no_grad():
    inside, outside = score_model(ring(8)).mean(), score_model(2 * ring(8)).mean()
print("energies %.3f %.3f" % (inside, outside))
