"""A physics-informed network for a damped oscillator: derivatives of the network in its input, learned friction, then L-BFGS."""
import numpy as np
import torch
import torch.nn as nn


def oscillator(d, w0, x):
    w = np.sqrt(w0 ** 2 - d ** 2)
    phi = np.arctan(-d / w)
    A = 1 / (2 * np.cos(phi))
    return torch.exp(-d * x) * 2 * A * torch.cos(phi + w * x)


class FCN(nn.Module):
    """Defines a connected network"""

    def __init__(self, N_INPUT, N_OUTPUT, N_HIDDEN, N_LAYERS):
        super().__init__()
        activation = nn.Tanh
        self.fcs = nn.Sequential(*[nn.Linear(N_INPUT, N_HIDDEN), activation()])
        self.fch = nn.Sequential(*[nn.Sequential(*[nn.Linear(N_HIDDEN, N_HIDDEN), activation()]) for _ in range(N_LAYERS - 1)])
        self.fce = nn.Linear(N_HIDDEN, N_OUTPUT)

    def forward(self, x):
        x = self.fcs(x)
        x = self.fch(x)
        x = self.fce(x)
        return x


def set_weights(net, seed):
    rng = np.random.RandomState(seed)
    for p in net.parameters():
        if p.dim() == 2:
            bound = np.sqrt(6.0 / sum(p.shape))
            p.data = torch.tensor(rng.uniform(-bound, bound, tuple(p.shape)), dtype=torch.float32)
        else:
            p.data = torch.tensor(rng.uniform(-0.1, 0.1, tuple(p.shape)), dtype=torch.float32)


def physics_residual(model, t, mu, k):
    u = model(t)
    dudt = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    d2udt2 = torch.autograd.grad(dudt, t, torch.ones_like(dudt), create_graph=True)[0]
    return d2udt2 + mu * dudt + k * u


def forward_problem(d=1.0, w0=6.0):
    pinn = FCN(1, 1, 12, 2)
    set_weights(pinn, 123)
    t_boundary = torch.tensor(0.0).view(-1, 1).requires_grad_(True)
    t_physics = torch.linspace(0, 1, 15).view(-1, 1).requires_grad_(True)
    mu, k = 2 * d, w0 ** 2
    t_test = torch.linspace(0, 1, 50).view(-1, 1)
    u_exact = oscillator(d, w0, t_test)
    optimiser = torch.optim.Adam(pinn.parameters(), lr=1e-2)
    for i in range(61):
        optimiser.zero_grad()
        lambda1, lambda2 = 1e-1, 1e-4
        u = pinn(t_boundary)
        loss1 = (torch.squeeze(u) - 1) ** 2
        dudt = torch.autograd.grad(u, t_boundary, torch.ones_like(u), create_graph=True)[0]
        loss2 = (torch.squeeze(dudt) - 0) ** 2
        loss3 = torch.mean(physics_residual(pinn, t_physics, mu, k) ** 2)
        loss = loss1 + lambda1 * loss2 + lambda2 * loss3
        loss.backward()
        optimiser.step()
        if i % 20 == 0:
            u = pinn(t_test).detach()
            print(f"step {i}: boundary {loss1.item():.4f} {loss2.item():.4f} physics {loss3.item():.3f} error {torch.mean((u - u_exact) ** 2):.4f}")
    return pinn


def inverse_problem(d=1.5, w0=5.0):
    """Finds the friction from noisy observations."""
    t_obs = torch.linspace(0, 1, 12).view(-1, 1)
    noise = torch.from_numpy(np.random.RandomState(4).randn(12, 1) * 0.02).float()
    u_obs = oscillator(d, w0, t_obs) + noise
    pinn = FCN(1, 1, 10, 2)
    set_weights(pinn, 7)
    t_physics = torch.linspace(0, 1, 12).view(-1, 1).requires_grad_(True)
    mu = nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.Adam([*pinn.parameters(), mu], lr=2e-2)
    mus = []
    for i in range(60):
        optimiser.zero_grad()
        residual = physics_residual(pinn, t_physics, mu, w0 ** 2)
        loss = torch.mean((pinn(t_obs) - u_obs) ** 2) + 1e-3 * torch.mean(residual ** 2)
        loss.backward()
        optimiser.step()
        mus.append(mu.item())
    print("mu", [round(m, 4) for m in mus[::20]], f"{loss:.5f}")
    return pinn


def refine(net, x, y, rounds=3):
    """The last mile by L-BFGS with a closure."""
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4, history_size=10, tolerance_grad=1e-9)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        return loss

    for r in range(rounds):
        loss = optimizer.step(closure)
        print(f"lbfgs {r} {loss.item():.5f}")


if __name__ == "__main__":
    net = forward_problem()
    other = inverse_problem()
    t = torch.linspace(0, 1, 20)[:, None]
    refine(other, t, oscillator(1.5, 5.0, t))
    with torch.no_grad():
        print(net(t)[::5].flatten().tolist() == [], (other(t) - oscillator(1.5, 5.0, t)).abs().max().item() < 1.0)
        print("%.4f %.4f" % (net(t).mean(), other(t).std()))
