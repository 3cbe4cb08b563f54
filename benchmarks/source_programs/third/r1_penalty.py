"""R1 and zero-centred penalties in a helper of the training step, lazily; logits with a module's own gradient method."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import grad


class D(nn.Module):
    def __init__(self, n=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, n), nn.Softplus(), nn.Linear(n, n), nn.Softplus(), nn.Linear(n, 1))
        for i, p in enumerate(self.parameters()):
            nn.init.constant_(p, 0.0)
            p.data += torch.sin(torch.arange(p.numel()).float() * 2.3 + i).reshape(p.shape) * 0.3

    def forward(self, x):
        return self.net(x).view(-1)

    def score(self, x):
        """The gradient of the energy with respect to x."""
        x = x.detach().requires_grad_(True)
        energy = self(x).sum()
        return grad(energy, x, create_graph=self.training)[0]


def zero_centered_gradient_penalty(samples, critics):
    gradient, = grad(outputs=critics.sum(), inputs=samples, create_graph=True)
    return gradient.square().sum([1])


def d_step(d, opt, real, fake, gamma):
    real = real.detach().requires_grad_(True)
    fake = fake.detach().requires_grad_(True)
    real_logits, fake_logits = d(real), d(fake)
    r1 = zero_centered_gradient_penalty(real, real_logits)
    r2 = zero_centered_gradient_penalty(fake, fake_logits)
    adv = F.softplus(-(real_logits - fake_logits))
    loss = (adv + gamma / 2 * (r1 + r2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item(), r1.mean().item(), r2.mean().item()


net = D()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, betas=(0.0, 0.99))
angle = torch.arange(20).float() * 0.7
for it in range(4):
    real = torch.stack([angle.cos(), angle.sin()], 1)
    fake = 0.3 * torch.stack([(angle + it).sin(), angle.cos()], 1)
    print(it, *[f"{v:.5f}" for v in d_step(net, optimizer, real, fake, 1.0)])

# score matching by the same network
for it in range(3):
    s = net.score(real)
    sm = (s + real).pow(2).sum(1).mean()
    optimizer.zero_grad(); sm.backward(); optimizer.step()
    print("score", it, round(sm.item(), 5))
net.eval()
print(net.score(real[:2]).shape, round(net.score(real).norm().item(), 4))
