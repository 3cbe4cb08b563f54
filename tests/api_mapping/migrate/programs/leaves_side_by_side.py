import torch

x = torch.linspace(-1, 1, 9)
y = 2 * x + 1
a, b = torch.zeros((), requires_grad=True), torch.zeros((), requires_grad=True)
for _ in range(10):
    ((a * x + b - y) ** 2).sum().backward()
    with torch.no_grad():
        a -= 1e-2 * a.grad
        b -= 1e-2 * b.grad
        a.grad.zero_()
        b.grad.zero_()
print(f"{a.item():.4f} {b.item():.4f}")


def fit(steps):
    w, c = torch.ones(2, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(steps):
        loss = ((w[0] * x + w[1] * x**2 + c - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            c -= 0.1 * c.grad
            w.grad = None
            c.grad = None
    return w, c


w, c = fit(5)
print([round(v, 4) for v in w.tolist()], round(c.item(), 4))
(p, q) = (torch.tensor([1.0, 2.0]).requires_grad_(), torch.tensor([3.0, 4.0]).requires_grad_())
(p * q).sum().backward()
print(p.grad.tolist(), q.grad.tolist())
s, k = torch.tensor(2.0, requires_grad=True), 3
(s**k).backward()
print(s.grad.item(), k)
[u, v] = [torch.tensor(2.0, requires_grad=True), torch.tensor(5.0, requires_grad=True)]
(u * v + u).backward()
print(u.grad.item(), v.grad.item())
m = n = torch.tensor(1.5, requires_grad=True)
(m * n).backward()
print(m.grad.item(), n.grad.item(), m is n)
