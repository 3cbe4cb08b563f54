"""Short scripts in one file: steps on one line, polynomial fits, logistic regression, closures in loops."""
import math

import torch
from torch import nn, optim


def poly3(x, w):
    return w[0] + w[1] * x + w[2] * x ** 2 + w[3] * x ** 3


# a polynomial by hand, with .grad
x = torch.linspace(-math.pi, math.pi, 50)
y = torch.sin(x)
w = torch.tensor([0.1, 0.2, -0.1, 0.05], requires_grad=True)
for t in range(200):
    loss = (poly3(x, w) - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 1e-3 * w.grad
        w.grad = None
    if t % 50 == 49: print(t, round(loss.item(), 4))
print([round(v, 4) for v in w.tolist()])

# two scalars, each with its own gradient
a, b = torch.zeros((), requires_grad=True), torch.zeros((), requires_grad=True)
for _ in range(20):
    ((a * x + b - y) ** 2).sum().backward()
    with torch.no_grad():
        a -= 1e-3 * a.grad; b -= 1e-3 * b.grad
        a.grad.zero_(); b.grad.zero_()
print(f"{a.item():.4f} {b.item():.4f}")

# nn.Sequential with steps on one line
p = torch.tensor([1, 2, 3])
xx = x.unsqueeze(-1).pow(p)
model = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0, 1))
nn.init.zeros_(model[0].weight); nn.init.zeros_(model[0].bias)
opt = optim.RMSprop(model.parameters(), lr=1e-2)
loss_fn = nn.MSELoss(reduction="sum")
for t in range(60):
    opt.zero_grad(); loss = loss_fn(model(xx), y); loss.backward(); opt.step()
print(round(loss.item(), 3), [round(v, 3) for v in model[0].weight[0].tolist()])
for t in range(3): opt.zero_grad(); loss_fn(model(xx), y).backward(); opt.step()
print(round(loss_fn(model(xx), y).item(), 3))

# logistic regression, labels from a rule
pts = torch.stack([torch.sin(torch.arange(40.0) * 1.3), torch.cos(torch.arange(40.0) * 0.7)], 1)
lab = (pts @ torch.tensor([1.0, -2.0]) > 0.2).float()
clf = nn.Linear(2, 1)
nn.init.constant_(clf.weight, 0.1), nn.init.constant_(clf.bias, 0.0)
sgd = optim.SGD(clf.parameters(), lr=1.0, momentum=0.5)
for epoch in range(5):
    out = clf(pts).squeeze(); l = nn.functional.binary_cross_entropy_with_logits(out, lab)
    sgd.zero_grad(); l.backward(); sgd.step()
    acc = ((out > 0) == lab.bool()).float().mean(); print("epoch", epoch, "loss %.4f acc %.3f" % (l.item(), acc))

# LBFGS with a closure on Rosenbrock, gradient checked against autograd
v = nn.Parameter(torch.tensor([-1.0, 1.5]))
rosen = lambda q: (1 - q[0]) ** 2 + 10 * (q[1] - q[0] ** 2) ** 2
g, = torch.autograd.grad(rosen(v), v)
print([round(i, 3) for i in g.tolist()])
lbfgs = optim.LBFGS([v], lr=0.5, max_iter=8, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad(); f = rosen(v); f.backward(); return f


for _ in range(4): lbfgs.step(closure)
print([round(i, 3) for i in v.tolist()], round(rosen(v).item(), 5))

# a custom clamp in the gradient and a schedule by hand
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
for i, q in enumerate(net.parameters()): q.data = torch.linspace(-1, 1, q.numel()).view(q.shape) * (i + 1) * 0.3
adam = optim.Adam(net.parameters(), lr=0.05)
for step in range(10):
    for gp in adam.param_groups: gp["lr"] = 0.05 * 0.9 ** step
    loss = (net(x[:, None]).squeeze(1) - y).abs().mean(); adam.zero_grad(); loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), 0.1); adam.step()
print(round(loss.item(), 4), adam.param_groups[0]["lr"])
