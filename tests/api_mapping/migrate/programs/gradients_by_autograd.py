import torch
import torch.nn.functional as F
from torch import nn


def rounded(values):
    if isinstance(values, list):
        return [rounded(value) for value in values]
    return round(values, 4) + 0.0 if isinstance(values, float) else values


def agrad():
    net = nn.Linear(3, 1)
    with torch.no_grad():
        net.weight.fill_(0.5)
        net.bias.fill_(0.1)
    x = torch.ones(2, 3)
    loss = net(x).pow(2).mean()
    grads = torch.autograd.grad(loss, list(net.parameters()))
    for g in grads:
        print(rounded(g.tolist()))


def wgangp():
    class Critic(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(4, 8)
            self.fc2 = nn.Linear(8, 1)

        def forward(self, x):
            return self.fc2(torch.tanh(self.fc1(x)))

    def gradient_penalty(critic, real, fake, alpha):
        interp = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
        scores = critic(interp)
        grads = torch.autograd.grad(
            outputs=scores,
            inputs=interp,
            grad_outputs=torch.ones_like(scores),
            create_graph=True,
            retain_graph=True,
        )[0]
        return ((grads.norm(2, dim=1) - 1) ** 2).mean()

    critic = Critic()
    for i, p in enumerate(critic.parameters()):
        nn.init.constant_(p, 0.1 * (i + 1))
    opt = torch.optim.SGD(critic.parameters(), lr=0.1)
    real = torch.linspace(-1, 1, 12).reshape(3, 4)
    fake = torch.linspace(0, 2, 12).reshape(3, 4)
    alpha = torch.tensor([[0.2], [0.5], [0.7]])
    for step in range(3):
        opt.zero_grad()
        loss = (
            critic(fake).mean()
            - critic(real).mean()
            + 10 * gradient_penalty(critic, real, fake, alpha)
        )
        loss.backward()
        opt.step()
        print(round(loss.item(), 4))


def hvp():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([0.5, -1.0])
    y = (x**3).sum() + x.prod()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    hv = torch.autograd.grad((g * v).sum(), x)[0]
    print(rounded(g.tolist()), rounded(hv.tolist()))


def pinn():
    class PINN(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1))

        def forward(self, t):
            return self.net(t)

    net = PINN()
    for p in net.parameters():
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    t = torch.linspace(0, 1, 8).reshape(-1, 1).requires_grad_(True)
    for epoch in range(4):
        opt.zero_grad()
        u = net(t)
        u_t = torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)[0]
        u_tt = torch.autograd.grad(u_t, t, torch.ones_like(u_t), create_graph=True)[0]
        loss = ((u_tt + u) ** 2).mean() + (u[0, 0] - 1) ** 2
        loss.backward()
        opt.step()
        print(epoch, f"{loss.item():.3f}")


def pinn2():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))

        def forward(self, x, t):
            return self.layers(torch.cat([x, t], dim=1))

    def residual(net, x, t):
        u = net(x, t)
        u_x = torch.autograd.grad(
            u, x, grad_outputs=torch.ones_like(u), retain_graph=True, create_graph=True
        )[0]
        u_t = torch.autograd.grad(
            u, t, grad_outputs=torch.ones_like(u), retain_graph=True, create_graph=True
        )[0]
        u_xx = torch.autograd.grad(
            u_x, x, grad_outputs=torch.ones_like(u_x), retain_graph=True, create_graph=True
        )[0]
        return u_t + u * u_x - 0.01 * u_xx

    net = Net()
    for p in net.parameters():
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    x = torch.linspace(-1, 1, 4).reshape(-1, 1)
    t = torch.linspace(0, 1, 4).reshape(-1, 1)
    x.requires_grad = True
    t.requires_grad = True
    for epoch in range(3):
        opt.zero_grad()
        f = residual(net, x, t)
        loss = (f**2).mean()
        loss.backward()
        opt.step()
        print(f"{loss.item():.3f}")


def gradpen_class():
    class GP:
        def __init__(self, D, lam):
            self.D = D
            self.lam = lam

        def __call__(self, real, fake, eps):
            x_hat = eps * real + (1 - eps) * fake
            x_hat.requires_grad_(True)
            d = self.D(x_hat)
            grads = torch.autograd.grad(
                d,
                x_hat,
                torch.ones(d.size()),
                create_graph=True,
                retain_graph=True,
                only_inputs=True,
            )[0]
            grads = grads.view(grads.size(0), -1)
            return self.lam * ((grads.norm(2, dim=1) - 1) ** 2).mean()

    D = nn.Sequential(nn.Linear(3, 5), nn.LeakyReLU(0.2), nn.Linear(5, 1))
    G = nn.Linear(2, 3)
    for i, p in enumerate([*D.parameters(), *G.parameters()]):
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    gp = GP(D, 10.0)
    optD = torch.optim.Adam(D.parameters(), lr=0.01, betas=(0.5, 0.9))
    optG = torch.optim.Adam(G.parameters(), lr=0.01, betas=(0.5, 0.9))
    z = torch.linspace(-1, 1, 8).reshape(4, 2)
    real = torch.linspace(-1, 2, 12).reshape(4, 3)
    eps = torch.tensor([[0.1], [0.4], [0.6], [0.9]])
    for it in range(3):
        for _ in range(2):
            fake = G(z).detach()
            lossD = D(fake).mean() - D(real).mean() + gp(real, fake, eps)
            optD.zero_grad()
            lossD.backward()
            optD.step()
        lossG = -D(G(z)).mean()
        optG.zero_grad()
        lossG.backward()
        optG.step()
        print(f"{lossD.item():.3f} {lossG.item():.3f}")


def r1():
    def r1_penalty(d, real):
        real = real.detach().requires_grad_(True)
        logits = d(real)
        (grad,) = torch.autograd.grad(outputs=logits.sum(), inputs=real, create_graph=True)
        return grad.pow(2).reshape(grad.shape[0], -1).sum(1).mean()

    d = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 1))
    for p in d.parameters():
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    opt = torch.optim.SGD(d.parameters(), lr=0.1)
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    for i in range(3):
        loss = nn.functional.softplus(-d(x)).mean() + 5 * r1_penalty(d, x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.3f}")


def intermediate():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x**2
    y = (h * 3).sum() + h.prod()
    (gh,) = torch.autograd.grad(y, h, retain_graph=True)
    (gx,) = torch.autograd.grad(y, x)
    print(rounded(gh.tolist()), rounded(gx.tolist()))


def two_inputs():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)

    def energy(a, b):
        return (a * b**2).sum()

    e = energy(a, b)
    ga, gb = torch.autograd.grad(e, [a, b])
    print(rounded(ga.tolist()), rounded(gb.tolist()))
    force = -torch.autograd.grad(energy(a, b), a)[0]
    print(rounded(force.tolist()))


def score():
    class Energy(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))

        def forward(self, x):
            return self.net(x).squeeze(-1)

        def score(self, x):
            x = x.requires_grad_()
            logp = -self.net(x).sum()
            return torch.autograd.grad(logp, x, create_graph=True)[0]

    m = Energy()
    for p in m.parameters():
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    opt = torch.optim.Adam(m.parameters(), lr=0.05)
    x = torch.linspace(-1, 1, 6).reshape(3, 2)
    for i in range(3):
        s = m.score(x)
        loss = (s**2).sum(-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.3f}")


def adversarial_step():
    net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
    for i, p in enumerate(net.parameters()):
        with torch.no_grad():
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * 0.5)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.linspace(0, 1, 8).reshape(2, 4)
    y = torch.tensor([0, 2])
    for i in range(3):
        xa = x.clone().detach().requires_grad_(True)
        for _ in range(2):
            l = F.cross_entropy(net(xa), y)
            g = torch.autograd.grad(l, [xa])[0]
            xa = xa.detach() + 0.05 * torch.sign(g)
            xa = torch.clamp(xa, 0, 1).requires_grad_(True)
        opt.zero_grad()
        loss = F.cross_entropy(net(xa), y)
        loss.backward()
        opt.step()
        print(f"{loss.item():.3f}")


agrad()
wgangp()
hvp()
pinn()
pinn2()
gradpen_class()
r1()
intermediate()
two_inputs()
score()
adversarial_step()
