"""A convolutional VAE on small images: noise from NumPy, an annealed KL weight, samples at the end."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

LATENT = 4


class Blobs(Dataset):
    """Gaussian blobs on a grid of 8 x 8."""

    def __init__(self, n):
        ys, xs = np.mgrid[0:8, 0:8]
        centres = np.random.RandomState(3).uniform(1, 6, (n, 2))
        self.images = np.stack([np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / 4.0) for cx, cy in centres])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i]).float().unsqueeze(0)


class VAE(nn.Module):
    def __init__(self, latent=LATENT):
        super(VAE, self).__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 4, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(4), nn.LeakyReLU(0.2),
            nn.Conv2d(4, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.LeakyReLU(0.2), nn.Flatten())
        self.fc_mu = nn.Linear(32, latent)
        self.fc_logvar = nn.Linear(32, latent)
        self.fc_up = nn.Linear(latent, 32)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 4, 4, 2, 1), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Sigmoid())

    def reparameterize(self, mu, logvar, eps):
        std = torch.exp(0.5 * logvar)
        return mu + eps * std

    def decode(self, z):
        return self.decoder(self.fc_up(z).view(-1, 8, 2, 2))

    def forward(self, x, eps=None):
        h = self.encoder(x)
        mu, logvar = self.fc_mu(h), self.fc_logvar(h)
        z = mu if eps is None else self.reparameterize(mu, logvar, eps)
        return self.decode(z), mu, logvar


def init_weights(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear)):
        n = m.weight.numel()
        with torch.no_grad():
            m.weight.copy_(torch.linspace(-1, 1, n).mul(7).sin().view_as(m.weight) * 0.3)
        if m.bias is not None:
            nn.init.zeros_(m.bias)


def vae_loss(recon, x, mu, logvar, beta=1.0):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + beta * kld, bce, kld


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VAE().to(device)
    model.apply(init_weights)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    loader = DataLoader(Blobs(24), batch_size=8, shuffle=False)
    noise = np.random.RandomState(0)
    for epoch in range(1, 4):
        model.train()
        train_loss, kl_total = 0.0, 0.0
        beta = min(1.0, epoch / 3)
        for batch_idx, data in enumerate(loader):
            data = data.to(device)
            eps = torch.tensor(noise.randn(data.size(0), LATENT), dtype=torch.float32, device=device)
            optimizer.zero_grad()
            recon, mu, logvar = model(data, eps)
            loss, bce, kld = vae_loss(recon, data, mu, logvar, beta)
            loss.backward()
            train_loss += loss.item()
            kl_total += kld.item()
            optimizer.step()
        n = len(loader.dataset)
        print("epoch {:d} loss {:.4f} kl {:.4f}".format(epoch, train_loss / n, kl_total / n))
    model.eval()
    with torch.no_grad():
        grid = torch.stack([torch.cos(torch.arange(LATENT) * math.pi * k / 4) for k in range(4)]).to(device)
        sample = model.decode(grid).cpu()
        print("samples", tuple(sample.shape), [round(v, 4) for v in sample.mean(dim=(1, 2, 3)).tolist()])
        recon, mu, _ = model(next(iter(loader)).to(device))
        print("mu", mu.abs().mean().item(), "mse", F.mse_loss(recon, next(iter(loader))).item())


if __name__ == "__main__":
    main()
