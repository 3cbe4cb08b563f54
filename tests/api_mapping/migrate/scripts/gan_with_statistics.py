"""A generator with batch normalisation, whose samples both networks learn from."""
import numpy as np
import torch
from torch import nn, optim

rng = np.random.RandomState(0)
real_batches = [torch.from_numpy(rng.randn(8, 3).astype(np.float32)) for _ in range(20)]
codes = [torch.from_numpy(rng.randn(8, 4).astype(np.float32)) for _ in range(20)]


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(4, 8, bias=False),
            nn.BatchNorm1d(8),
            nn.ReLU(),
            nn.Linear(8, 3),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, x):
        return self.main(x)


G, D = Generator(), Discriminator()
opt_g = optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.999))
opt_d = optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
losses = []
samples = []

for real, z in zip(real_batches, codes):
    # one forward pass for both
    fake = G(z)

    opt_d.zero_grad()
    loss_d = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    loss_d.backward()
    opt_d.step()

    opt_g.zero_grad()
    loss_g = bce(D(fake), ones)
    loss_g.backward()
    opt_g.step()
    losses += [loss_d.item(), loss_g.item()]

G.eval()
with torch.no_grad():
    for z in codes:
        samples.append(G(z).sum().item())
