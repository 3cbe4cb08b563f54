import numpy as np
import torch


def adam(params, states, hyperparams):
    beta1, beta2, eps = 0.9, 0.999, 1e-6
    for p, (v, s) in zip(params, states):
        with torch.no_grad():
            v[:] = beta1 * v + (1 - beta1) * p.grad
            s[:] = beta2 * s + (1 - beta2) * torch.square(p.grad)
            v_bias_corr = v / (1 - beta1 ** hyperparams["t"])
            s_bias_corr = s / (1 - beta2 ** hyperparams["t"])
            p[:] -= hyperparams["lr"] * v_bias_corr / (torch.sqrt(s_bias_corr) + eps)
        p.grad.data.zero_()
    hyperparams["t"] += 1


def sgd3(params, states, hp):
    for p in params:
        p.data.sub_(hp["lr"] * p.grad)
        p.grad.data.zero_()


def sgd4(params, states, hp):
    for p in params:
        p.data -= hp["lr"] * p.grad.data
        p.grad = None


def sgd5(params, states, hp):
    with torch.no_grad():
        for p in params:
            p[:] = p - hp["lr"] * p.grad
            p.grad.zero_()


def sgd6(params, states, hp):
    for i in range(len(params)):
        params[i].data = params[i].data - hp["lr"] * params[i].grad.data
        params[i].grad.zero_()


def sgd7(params, states, hp):
    for i in range(len(params)):
        params[i].data -= hp["lr"] * params[i].grad
    for p in params:
        p.grad = None


def init_adam_states(n):
    v_w, v_b = torch.zeros((n, 1)), torch.zeros(1)
    s_w, s_b = torch.zeros((n, 1)), torch.zeros(1)
    return ((v_w, s_w), (v_b, s_b))


STEPS = {f.__name__: f for f in (adam, sgd3, sgd4, sgd5, sgd6, sgd7)}
rng = np.random.RandomState(0)
x = torch.tensor(rng.randn(16, 3), dtype=torch.float32)
y = torch.tensor(rng.randn(16, 1), dtype=torch.float32)
for name, step in STEPS.items():
    w = torch.zeros((3, 1), requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    states = init_adam_states(3)
    hp = {"lr": 0.1, "t": 1}
    for i in range(3):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        step([w, b], states, hp)
        print(name, f"{loss.item():.5f}")
    print([round(v, 4) for v in w.detach().reshape(-1).tolist()], round(b.item(), 4))


def minibatch_sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


def picked(name):
    return {"sgd": minibatch_sgd}[name]


w = torch.zeros((3, 1), requires_grad=True)
for _ in range(3):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    picked("sgd")([w], 0.1, batch_size=2)
    print(f"{loss.item():.5f}")
