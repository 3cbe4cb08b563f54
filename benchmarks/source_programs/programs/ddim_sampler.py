"""Diffusion on 1-D signals: cosine schedule, classifier-free guidance, DDIM sampling without noise."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def exists(x):
    return x is not None


def default(val, d):
    if exists(val):
        return val
    return d() if callable(d) else d


def extract(a, t, x_shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))


def cosine_beta_schedule(timesteps, s=0.008):
    steps = timesteps + 1
    x = torch.linspace(0, timesteps, steps, dtype=torch.float64)
    alphas_cumprod = torch.cos(((x / timesteps) + s) / (1 + s) * math.pi * 0.5) ** 2
    alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
    betas = 1 - (alphas_cumprod[1:] / alphas_cumprod[:-1])
    return torch.clip(betas, 0, 0.999)


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half_dim = self.dim // 2
        emb = math.log(10000) / (half_dim - 1)
        emb = torch.exp(torch.arange(half_dim, device=x.device) * -emb)
        emb = x[:, None] * emb[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x


class Block(nn.Module):
    def __init__(self, dim, time_dim, groups=2):
        super().__init__()
        self.proj = nn.Conv1d(dim, dim, 3, padding=1)
        self.norm = nn.GroupNorm(groups, dim)
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(time_dim, dim * 2))

    def forward(self, x, time_emb=None):
        scale, shift = self.mlp(time_emb).unsqueeze(-1).chunk(2, dim=1)
        x = self.norm(self.proj(x)) * (scale + 1) + shift
        return F.silu(x)


class Unet1D(nn.Module):
    def __init__(self, dim=8, classes=3):
        super().__init__()
        self.init_conv = nn.Conv1d(1, dim, 3, padding=1)
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, 2 * dim), nn.GELU())
        self.classes_emb = nn.Embedding(classes, dim)
        self.null_classes_emb = nn.Parameter(torch.zeros(dim))
        self.down = nn.Conv1d(dim, dim, 4, 2, 1)
        self.block1, self.mid = Block(dim, 3 * dim), Residual(Block(dim, 3 * dim))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.final = nn.Conv1d(2 * dim, 1, 1)

    def forward(self, x, time, classes, keep_mask):
        cond = torch.where(keep_mask[:, None], self.classes_emb(classes), self.null_classes_emb[None])
        t = torch.cat((self.time_mlp(time), cond), dim=-1)
        x = self.init_conv(x)
        r = x.clone()
        x = self.mid(self.down(self.block1(x, t)), t)
        return self.final(torch.cat((self.up(x), r), dim=1))

    def forward_with_cond_scale(self, x, time, classes, cond_scale=1.5):
        keep = torch.ones(x.shape[0], dtype=torch.bool)
        logits = self.forward(x, time, classes, keep)
        null_logits = self.forward(x, time, classes, ~keep)
        return null_logits + (logits - null_logits) * cond_scale


class GaussianDiffusion(nn.Module):
    def __init__(self, model, seq_length, timesteps=20):
        super().__init__()
        self.model, self.seq_length, self.num_timesteps = model, seq_length, timesteps
        betas = cosine_beta_schedule(timesteps)
        alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)
        register_buffer = lambda name, val: self.register_buffer(name, val.to(torch.float32))
        register_buffer("alphas_cumprod", alphas_cumprod)
        register_buffer("sqrt_alphas_cumprod", torch.sqrt(alphas_cumprod))
        register_buffer("sqrt_one_minus", torch.sqrt(1.0 - alphas_cumprod))
        snr = alphas_cumprod / (1 - alphas_cumprod)
        register_buffer("loss_weight", snr.clamp(max=5) / snr)

    def q_sample(self, x_start, t, noise=None):
        noise = default(noise, lambda: torch.zeros_like(x_start))
        return extract(self.sqrt_alphas_cumprod, t, x_start.shape) * x_start + extract(self.sqrt_one_minus, t, x_start.shape) * noise

    def forward(self, img, t, noise, classes, keep):
        x = self.q_sample(x_start=img, t=t, noise=noise)
        loss = F.mse_loss(self.model(x, t, classes, keep), noise, reduction="none")
        loss = loss.flatten(1).mean(1) * extract(self.loss_weight, t, loss.shape[:1])
        return loss.mean()

    @torch.no_grad()
    def ddim_sample(self, img, classes, sampling_timesteps=4):
        times = torch.linspace(-1, self.num_timesteps - 1, steps=sampling_timesteps + 1)
        times = list(reversed(times.int().tolist()))
        for time, time_next in zip(times[:-1], times[1:]):
            time_cond = torch.full((img.shape[0],), time, dtype=torch.long)
            pred_noise = self.model.forward_with_cond_scale(img, time_cond, classes)
            alpha = self.alphas_cumprod[time]
            x_start = ((img - (1 - alpha).sqrt() * pred_noise) / alpha.sqrt()).clamp_(-1.0, 1.0)
            if time_next < 0:
                img = x_start
                continue
            alpha_next = self.alphas_cumprod[time_next]
            img = x_start * alpha_next.sqrt() + (1 - alpha_next).sqrt() * pred_noise
        return img


rng = np.random.default_rng(0)
diffusion = GaussianDiffusion(Unet1D(), seq_length=16)
for name, p in diffusion.model.named_parameters():
    if p.ndim > 1:
        p.data = torch.as_tensor(rng.normal(0, 0.25, p.shape), dtype=torch.float32)
    elif name.endswith("bias"):
        p.data.zero_()
opt = torch.optim.Adam(diffusion.parameters(), lr=1e-2)
wave = np.stack([np.sin(np.arange(16) * (k % 3 + 1) * 0.4) for k in range(6)])[:, None]
images, labels = torch.from_numpy(wave).float(), torch.tensor([k % 3 for k in range(6)])
for step in range(5):
    t = torch.from_numpy(rng.integers(0, 20, 6)).long()
    noise = torch.from_numpy(rng.normal(size=(6, 1, 16))).float()
    keep = torch.from_numpy(rng.random(6) > 0.3)
    loss = diffusion(images, t, noise, labels, keep)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
sampled = diffusion.ddim_sample(torch.from_numpy(rng.normal(size=(3, 1, 16))).float(), torch.arange(3))
print(list(sampled.shape), sampled.mean().item(), sampled.abs().max().item())
