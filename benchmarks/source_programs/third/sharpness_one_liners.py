"""Derivatives at points: sin by autograd, a Newton search, backward of a vector, gradients that add up, a hook on a tensor."""
import math
import torch

t = torch.tensor([0.0, math.pi / 4, math.pi / 2], requires_grad=True)
torch.sin(t).backward(torch.ones_like(t))
print([round(v, 4) for v in t.grad.tolist()])
t.grad.zero_(); (t ** 3).sum().backward(); print([round(v, 4) for v in t.grad.tolist()])

z = torch.tensor(2.0, requires_grad=True)
for k in range(3): (z * z).backward()
print(z.grad.item())
z.grad = None

# Newton's method with first and second derivatives
x = torch.tensor(1.5, requires_grad=True)
for i in range(5):
    f = x ** 4 - 3 * x ** 2 + x
    g, = torch.autograd.grad(f, x, create_graph=True)
    h, = torch.autograd.grad(g, x)
    with torch.no_grad(): x -= g / h
    print(i, round(x.item(), 5))

# two leaves, one graph, kept
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
c = (a * b).sum()
d = c ** 2
c.backward(retain_graph=True)
print(a.grad.tolist(), b.grad.tolist())
d.backward()
print(a.grad.tolist(), b.grad.tolist())

seen = []
w = torch.tensor([1.0, -2.0], requires_grad=True)
handle = w.register_hook(lambda grad: seen.append(grad.abs().max().item()))
loss = (w ** 2).sum()
loss.backward()
handle.remove()
(3 * w).sum().backward()
print(seen, w.grad.tolist(), w.grad_fn is None, w.is_leaf)
