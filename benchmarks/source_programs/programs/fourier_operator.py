"""A Fourier neural operator for 1-D heat flow, and a low-pass filter and a spectrogram by torch.fft."""
import operator
from functools import reduce

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralConv1d(nn.Module):
    def __init__(self, in_channels, out_channels, modes1):
        super(SpectralConv1d, self).__init__()
        self.in_channels, self.out_channels, self.modes1 = in_channels, out_channels, modes1
        self.scale = 1 / (in_channels * out_channels)
        grid = torch.arange(in_channels * out_channels * modes1).float().view(in_channels, out_channels, modes1)
        self.weights1 = nn.Parameter(self.scale * torch.complex(torch.cos(grid), torch.sin(grid)))

    def compl_mul1d(self, input, weights):
        return torch.einsum("bix,iox->box", input, weights)

    def forward(self, x):
        batchsize = x.shape[0]
        x_ft = torch.fft.rfft(x)
        out_ft = torch.zeros(batchsize, self.out_channels, x.size(-1) // 2 + 1, device=x.device, dtype=torch.cfloat)
        out_ft[:, :, : self.modes1] = self.compl_mul1d(x_ft[:, :, : self.modes1], self.weights1)
        return torch.fft.irfft(out_ft, n=x.size(-1))


class FNO1d(nn.Module):
    def __init__(self, modes, width):
        super(FNO1d, self).__init__()
        self.fc0 = nn.Linear(2, width)
        self.conv0, self.conv1 = SpectralConv1d(width, width, modes), SpectralConv1d(width, width, modes)
        self.w0, self.w1 = nn.Conv1d(width, width, 1), nn.Conv1d(width, width, 1)
        self.fc1 = nn.Linear(width, 1)
        for k, p in enumerate(self.parameters()):
            if not p.is_complex():
                p.data = torch.sin(torch.arange(p.numel()).float() + k).view(p.shape) * 0.3

    def forward(self, x):
        grid = self.get_grid(x.shape, x.device)
        x = self.fc0(torch.cat((x, grid), dim=-1)).permute(0, 2, 1)
        x = F.gelu(self.conv0(x) + self.w0(x))
        x = self.conv1(x) + self.w1(x)
        return self.fc1(x.permute(0, 2, 1))

    def get_grid(self, shape, device):
        batchsize, size_x = shape[0], shape[1]
        gridx = torch.tensor(np.linspace(0, 1, size_x), dtype=torch.float)
        return gridx.reshape(1, size_x, 1).repeat([batchsize, 1, 1]).to(device)


class LpLoss(object):
    def __init__(self, p=2):
        self.p = p

    def __call__(self, x, y):
        num_examples = x.size()[0]
        diff_norms = torch.norm(x.reshape(num_examples, -1) - y.reshape(num_examples, -1), self.p, 1)
        y_norms = torch.norm(y.reshape(num_examples, -1), self.p, 1)
        return torch.sum(diff_norms / y_norms)


def count_params(model):
    return sum(reduce(operator.mul, list(p.size()), 1) for p in model.parameters())


def heat(u, t=0.002):
    freq = torch.fft.rfftfreq(u.shape[-1], d=1.0 / u.shape[-1])
    decay = torch.exp(-t * (2 * np.pi * freq) ** 2)
    return torch.fft.irfft(torch.fft.rfft(u) * decay, n=u.shape[-1])


class UnitGaussianNormalizer(object):
    def __init__(self, x, eps=0.00001):
        self.mean, self.std, self.eps = torch.mean(x, 0), torch.std(x, 0), eps

    def encode(self, x):
        return (x - self.mean) / (self.std + self.eps)

    def decode(self, x):
        return x * (self.std + self.eps) + self.mean


s = 16
grid = torch.linspace(0, 2 * np.pi, s + 1)[:-1]
u = torch.stack([torch.sin(grid * (1 + i % 3)) + 0.5 * torch.cos(grid * (i % 4)) for i in range(12)])
v = heat(u)
print(u.shape, round(v.abs().mean().item(), 4))
norm = UnitGaussianNormalizer(v)
x, y = u.unsqueeze(-1), norm.encode(v)
model = FNO1d(4, 6)
print(count_params(model))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
myloss = LpLoss()
for ep in range(4):
    model.train()
    train_mse = train_l2 = 0
    for xx, yy in zip(x.split(4), y.split(4)):
        optimizer.zero_grad()
        out = model(xx).squeeze(-1)
        mse = F.mse_loss(out, yy, reduction="mean")
        l2 = myloss(norm.decode(out), norm.decode(yy))
        l2.backward()
        optimizer.step()
        train_mse += mse.item()
        train_l2 += l2.item()
    scheduler.step()
    print(ep, round(train_mse / 3, 4), round(train_l2 / 12, 4))
signal = torch.sin(torch.arange(64).float() * 0.2) + 0.3 * torch.sin(torch.arange(64).float() * 2.5)
spectrum = torch.fft.fft(signal)
power = spectrum.abs() ** 2
mask = torch.fft.fftfreq(64).abs() < 0.1
clean = torch.fft.ifft(spectrum * mask).real
print(int(power[:32].argmax()), round(clean.std().item(), 4), round(torch.angle(spectrum[2]).item(), 4))
spec = torch.stft(signal, n_fft=16, hop_length=8, window=torch.hann_window(16), return_complex=True)
print(tuple(spec.shape), round(spec.abs().sum().item(), 3))
shifted = torch.fft.fftshift(torch.fft.fft2(u[:4, :4])).real
print([round(a, 3) for a in shifted[0].tolist()])
