"""WGAN with gradient penalty in functions: compute_gradient_penalty as in PyTorch-GAN, n_critic, two Adam optimisers."""
import numpy as np
import torch
import torch.autograd as autograd
import torch.nn as nn

rng = np.random.RandomState(7)
Tensor = torch.FloatTensor


def mlp(*sizes):
    layers = []
    for i, o in zip(sizes, sizes[1:]):
        layers += [nn.Linear(i, o), nn.LeakyReLU(0.2)]
    net = nn.Sequential(*layers[:-1])
    for p in net.parameters():
        p.data.copy_(torch.from_numpy(rng.uniform(-0.5, 0.5, tuple(p.shape))))
    return net


def compute_gradient_penalty(D, real_samples, fake_samples):
    """Calculates the gradient penalty loss for WGAN GP"""
    alpha = Tensor(rng.random_sample((real_samples.size(0), 1)))
    interpolates = (alpha * real_samples + ((1 - alpha) * fake_samples)).requires_grad_(True)
    d_interpolates = D(interpolates)
    fake = torch.ones(real_samples.size(0), 1, requires_grad=False)
    gradients = autograd.grad(
        outputs=d_interpolates,
        inputs=interpolates,
        grad_outputs=fake,
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    gradients = gradients.view(gradients.size(0), -1)
    gradient_penalty = ((gradients.norm(2, dim=1) - 1) ** 2).mean()
    return gradient_penalty


generator, discriminator = mlp(2, 8, 3), mlp(3, 8, 8, 1)
optimizer_G = torch.optim.Adam(generator.parameters(), lr=0.01, betas=(0.5, 0.9))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=0.01, betas=(0.5, 0.9))
lambda_gp, n_critic = 10, 2
for i in range(6):
    real = torch.from_numpy(rng.normal(1.0, 0.3, (12, 3)).astype("float32"))
    optimizer_D.zero_grad()
    z = Tensor(rng.normal(0, 1, (12, 2)))
    fake = generator(z)
    gp = compute_gradient_penalty(discriminator, real.data, fake.data)
    d_loss = -torch.mean(discriminator(real)) + torch.mean(discriminator(fake)) + lambda_gp * gp
    d_loss.backward()
    optimizer_D.step()
    optimizer_G.zero_grad()
    if i % n_critic == 0:
        g_loss = -torch.mean(discriminator(generator(z)))
        g_loss.backward()
        optimizer_G.step()
        print("[%d] D %.4f G %.4f gp %.4f" % (i, d_loss.item(), g_loss.item(), gp.item()))
print(round(sum(p.abs().sum().item() for p in generator.parameters()), 3))
