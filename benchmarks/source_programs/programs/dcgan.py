"""DCGAN in the manner of PyTorch's example, with spectral_norm in the critic and fixed noise."""
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.nn.utils import spectral_norm

nz, ngf, ndf, nc = 6, 4, 4, 1
real_label, fake_label = 1.0, 0.0


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        w = m.weight_orig if hasattr(m, "weight_orig") else m.weight
        w.data.copy_(torch.from_numpy(0.2 * np.cos(np.arange(w.numel()) * 2.1).reshape(tuple(w.shape))))
    elif classname.find("BatchNorm") != -1:
        nn.init.constant_(m.weight, 1.0)
        nn.init.constant_(m.bias, 0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            spectral_norm(nn.Conv2d(ndf, ndf * 2, 3, 1, 1, bias=False)),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
        )

    def forward(self, input):
        return self.main(input).view(-1, 1).squeeze(1)


def main():
    device = torch.device("cpu")
    netG = Generator().to(device)
    netG.apply(weights_init)
    netD = Discriminator().to(device)
    netD.apply(weights_init)
    for module in netD.modules():
        if hasattr(module, "weight_u"):
            module.weight_u.copy_(torch.nn.functional.normalize(torch.ones_like(module.weight_u), dim=0))
            module.weight_v.copy_(torch.nn.functional.normalize(torch.ones_like(module.weight_v), dim=0))
    criterion = nn.BCEWithLogitsLoss()
    rs = np.random.RandomState(7)
    fixed_noise = torch.from_numpy(rs.randn(4, nz, 1, 1)).float().to(device)
    optimizerD = optim.Adam(netD.parameters(), lr=0.002, betas=(0.5, 0.999))
    optimizerG = optim.Adam(netG.parameters(), lr=0.002, betas=(0.5, 0.999))
    G_losses, D_losses = [], []
    for i in range(4):
        real = torch.from_numpy(np.tanh(rs.randn(4, 1, 8, 8) + 0.5)).float().to(device)
        # (1) Update D network
        netD.zero_grad()
        b_size = real.size(0)
        label = torch.full((b_size,), real_label, dtype=torch.float, device=device)
        output = netD(real).view(-1)
        errD_real = criterion(output, label)
        errD_real.backward()
        D_x = output.sigmoid().mean().item()
        noise = torch.from_numpy(rs.randn(b_size, nz, 1, 1)).float().to(device)
        fake = netG(noise)
        label.fill_(fake_label)
        output = netD(fake.detach()).view(-1)
        errD_fake = criterion(output, label)
        errD_fake.backward()
        D_G_z1 = output.sigmoid().mean().item()
        errD = errD_real + errD_fake
        optimizerD.step()
        # (2) Update G network
        netG.zero_grad()
        label.fill_(real_label)
        output = netD(fake).view(-1)
        errG = criterion(output, label)
        errG.backward()
        D_G_z2 = output.sigmoid().mean().item()
        optimizerG.step()
        print("[%d/%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f D(G(z)): %.4f / %.4f"
              % (i, 4, errD.item(), errG.item(), D_x, D_G_z1, D_G_z2))
        G_losses.append(errG.item())
        D_losses.append(errD.item())
    with torch.no_grad():
        fake = netG(fixed_noise).detach().cpu()
    print(fake.shape[-1], fake.mean().item(), fake.std().item())
    print(round(sum(G_losses) / len(G_losses), 4), round(np.mean(D_losses), 4))


if __name__ == "__main__":
    main()
