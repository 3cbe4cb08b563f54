"""NeRF in two dimensions: positional encoding, rays, stratified samples, volume rendering, resampling by pdf."""
from typing import Tuple

import numpy as np
import torch
from torch import nn


class PositionalEncoder(nn.Module):
    def __init__(self, d_input: int, n_freqs: int, log_space: bool = True):
        super().__init__()
        self.d_output = d_input * (1 + 2 * n_freqs)
        self.embed_fns = [lambda x: x]
        if log_space:
            freq_bands = 2.0 ** torch.linspace(0.0, n_freqs - 1, n_freqs)
        else:
            freq_bands = torch.linspace(2.0 ** 0.0, 2.0 ** (n_freqs - 1), n_freqs)
        for freq in freq_bands:
            self.embed_fns.append(lambda x, freq=freq: torch.sin(x * freq))
            self.embed_fns.append(lambda x, freq=freq: torch.cos(x * freq))

    def forward(self, x) -> torch.Tensor:
        return torch.concat([fn(x) for fn in self.embed_fns], dim=-1)


class NeRF(nn.Module):
    def __init__(self, d_input, d_filter=16, n_layers=3, skip=(1,)):
        super().__init__()
        self.skip = skip
        self.layers = nn.ModuleList(
            [nn.Linear(d_input, d_filter)]
            + [nn.Linear(d_filter + d_input, d_filter) if i in skip else nn.Linear(d_filter, d_filter) for i in range(n_layers - 1)])
        self.output = nn.Linear(d_filter, 4)

    def forward(self, x):
        x_input = x
        for i, layer in enumerate(self.layers):
            x = nn.functional.relu(layer(x))
            if i in self.skip:
                x = torch.cat([x, x_input], dim=-1)
        return self.output(x)


def get_rays(height, width, focal, c2w) -> Tuple[torch.Tensor, torch.Tensor]:
    i, j = torch.meshgrid(torch.arange(width, dtype=torch.float32), torch.arange(height, dtype=torch.float32), indexing="ij")
    i, j = i.transpose(-1, -2), j.transpose(-1, -2)
    directions = torch.stack([(i - width * 0.5) / focal, -(j - height * 0.5) / focal, -torch.ones_like(i)], dim=-1)
    rays_d = torch.sum(directions[..., None, :] * c2w[:3, :3], dim=-1)
    return c2w[:3, -1].expand(rays_d.shape), rays_d


def cumprod_exclusive(tensor):
    cumprod = torch.cumprod(tensor, -1)
    cumprod = torch.roll(cumprod, 1, -1)
    cumprod[..., 0] = 1.0
    return cumprod


def raw2outputs(raw, z_vals, rays_d, white_bkgd=False):
    dists = z_vals[..., 1:] - z_vals[..., :-1]
    dists = torch.cat([dists, 1e2 * torch.ones_like(dists[..., :1])], dim=-1)
    dists = dists * torch.norm(rays_d[..., None, :], dim=-1)
    alpha = 1.0 - torch.exp(-nn.functional.relu(raw[..., 3]) * dists)
    weights = alpha * cumprod_exclusive(1.0 - alpha + 1e-10)
    rgb_map = torch.sum(weights[..., None] * torch.sigmoid(raw[..., :3]), dim=-2)
    depth_map, acc_map = torch.sum(weights * z_vals, dim=-1), torch.sum(weights, dim=-1)
    if white_bkgd:
        rgb_map = rgb_map + (1.0 - acc_map[..., None])
    return rgb_map, depth_map, acc_map, weights


def sample_pdf(bins, weights, n_samples):
    pdf = (weights + 1e-5) / torch.sum(weights + 1e-5, -1, keepdims=True)
    cdf = torch.cumsum(pdf, dim=-1)
    cdf = torch.concat([torch.zeros_like(cdf[..., :1]), cdf], dim=-1)
    u = torch.linspace(0.0, 1.0, n_samples, device=cdf.device).expand(list(cdf.shape[:-1]) + [n_samples]).contiguous()
    inds = torch.searchsorted(cdf, u, right=True)
    below = torch.clamp(inds - 1, min=0)
    above = torch.clamp(inds, max=cdf.shape[-1] - 1)
    inds_g = torch.stack([below, above], dim=-1)
    matched_shape = list(inds_g.shape[:-1]) + [cdf.shape[-1]]
    cdf_g = torch.gather(cdf.unsqueeze(-2).expand(matched_shape), dim=-1, index=inds_g)
    bins_g = torch.gather(bins.unsqueeze(-2).expand(matched_shape), dim=-1, index=inds_g)
    denom = cdf_g[..., 1] - cdf_g[..., 0]
    denom = torch.where(denom < 1e-5, torch.ones_like(denom), denom)
    return bins_g[..., 0] + (u - cdf_g[..., 0]) / denom * (bins_g[..., 1] - bins_g[..., 0])


def render(model, encoder, origins, directions, noise, n_fine=4, near=1.0, far=3.0):
    z = torch.linspace(near, far, 6).expand(origins.shape[0], 6)
    mids = 0.5 * (z[..., 1:] + z[..., :-1])
    upper, lower = torch.concat([mids, z[..., -1:]], -1), torch.concat([z[..., :1], mids], -1)
    z = lower + (upper - lower) * noise
    points = origins[..., None, :] + directions[..., None, :] * z[..., :, None]
    coarse = raw2outputs(model(encoder(points)), z, directions)
    with torch.no_grad():
        fine = sample_pdf(0.5 * (z[..., 1:] + z[..., :-1]), coarse[3][..., 1:-1], n_fine)
    z, _ = torch.sort(torch.cat([z, fine], dim=-1), dim=-1)
    points = origins[..., None, :] + directions[..., None, :] * z[..., :, None]
    return coarse[0], raw2outputs(model(encoder(points)), z, directions)


rng = np.random.default_rng(1)
encoder = PositionalEncoder(3, 3)
model = NeRF(encoder.d_output)
for i, p in enumerate(model.parameters()):
    if p.dim() == 2:
        p.data = torch.sin(torch.arange(p.numel()).float() * 0.7 + i).view(p.shape) * 0.3
    else:
        p.data = torch.full_like(p, 0.05)
pose = torch.eye(4)
pose[2, 3] = 2.0
rays_o, rays_d = get_rays(4, 5, 4.0, pose)
print(tuple(rays_o.shape), tuple(rays_d.shape), round(rays_d.norm().item(), 4), encoder.d_output)
image = torch.stack([torch.linspace(0, 1, 20), torch.linspace(1, 0, 20), torch.full((20,), 0.5)], -1)
rays_o, rays_d = rays_o.reshape([-1, 3]), rays_d.reshape([-1, 3])
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
mse2psnr = lambda x: -10.0 * torch.log(x) / torch.log(torch.Tensor([10.0]))
for step in range(5):
    batch = torch.from_numpy(rng.choice(20, 10, replace=False))
    noise = torch.from_numpy(rng.random((10, 6))).float()
    coarse, (rgb, depth, acc, _) = render(model, encoder, rays_o[batch], rays_d[batch], noise)
    loss = torch.nn.functional.mse_loss(rgb, image[batch])
    total = loss + torch.nn.functional.mse_loss(coarse, image[batch])
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    print(step, round(total.item(), 4), round(mse2psnr(loss.detach()).item(), 3), round(depth.mean().item(), 4))
model.eval()
with torch.no_grad():
    outs = [render(model, encoder, o, d, 0.5)[1][0] for o, d in zip(rays_o.split(8), rays_d.split(8))]
print(tuple(torch.cat(outs).reshape(4, 5, 3).shape), round(torch.cat(outs).mean().item(), 4))
