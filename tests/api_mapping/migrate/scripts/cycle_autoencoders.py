"""Two autoencoders trained together by one optimizer over both models' parameters."""
import itertools

import numpy as np
import torch
import torch.nn as nn


class AutoEncoder(nn.Module):
    def __init__(self, dim, code):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, code), nn.PReLU())
        self.decoder = nn.Linear(code, dim)

    def encode(self, x):
        return self.encoder(x)

    def forward(self, x):
        z = self.encode(x)
        return self.decoder(z), z


class Wrapper:
    def __init__(self, lr=1e-2):
        self.net_a = AutoEncoder(12, 4)
        self.net_b = AutoEncoder(18, 4)
        self.criterion_rec = nn.L1Loss()
        self.criterion_code = nn.MSELoss()
        self.optim = torch.optim.Adam(
            itertools.chain(self.net_a.parameters(), self.net_b.parameters()), lr=lr
        )

    def set_input(self, a, b):
        self.real_a = a
        self.real_b = b

    def forward(self):
        self.rec_a, self.code_a = self.net_a(self.real_a)
        self.rec_b, self.code_b = self.net_b(self.real_b)

    def backward(self):
        self.loss_rec = self.criterion_rec(self.rec_a, self.real_a)
        self.loss_rec += self.criterion_rec(self.rec_b, self.real_b)
        self.loss_code = self.criterion_code(self.code_a, self.code_b)
        self.loss = self.loss_rec + 0.1 * self.loss_code
        self.loss.backward()

    def optimize_parameters(self):
        self.forward()
        self.optim.zero_grad()
        self.backward()
        self.optim.step()


rng = np.random.RandomState(3)
view_a = rng.randn(20, 16, 12).astype(np.float32)
view_b = rng.randn(20, 16, 18).astype(np.float32)
both = Wrapper()
losses = []
for a, b in zip(view_a, view_b):
    both.set_input(torch.from_numpy(a), torch.from_numpy(b))
    both.optimize_parameters()
    losses.append(both.loss.item())
print("last losses", both.loss_rec.item(), both.loss_code.item())

# list(a.parameters()) + list(b.parameters()), and two backward calls for one step
enc, dec = nn.Linear(12, 3), nn.Linear(3, 12)
params = list(enc.parameters()) + list(dec.parameters())
opt = torch.optim.Adam(params, lr=0.01)
for a in view_a:
    a = torch.from_numpy(a)
    opt.zero_grad()
    code = enc(a)
    reconstruction = ((dec(code) - a) ** 2).mean()
    reconstruction.backward(retain_graph=True)
    sparsity = 0.01 * code.abs().mean()
    sparsity.backward()
    opt.step()
    losses.append((reconstruction + sparsity).item())
