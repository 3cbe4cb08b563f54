"""Linear and quadratic fits by hand: Parameters in a list, updates under no_grad and by .data, weight decay, momentum."""
import torch

torch.manual_seed(0)
xs = torch.linspace(-2, 2, 24)
ys = 0.5 * xs ** 2 - 1.5 * xs + 0.25

coeffs = [torch.nn.Parameter(torch.tensor(v)) for v in (0.1, 0.1, 0.0)]
velocity = [torch.zeros_like(c) for c in coeffs]
for epoch in range(30):
    for c in coeffs:
        c.grad = None
    pred = coeffs[0] * xs ** 2 + coeffs[1] * xs + coeffs[2]
    mse = torch.mean((pred - ys) ** 2)
    mse.backward()
    with torch.no_grad():
        for c, v in zip(coeffs, velocity):
            v.mul_(0.9).add_(c.grad)
            c -= 0.02 * v
    if epoch % 10 == 0:
        print(epoch, round(mse.item(), 4))
print([round(c.item(), 4) for c in coeffs])

# the old way: .data
W = torch.zeros(3, requires_grad=True)
features = torch.stack([xs ** 2, xs, torch.ones_like(xs)], dim=1)
lr, decay = 0.05, 1e-3
for i in range(20):
    loss = ((features @ W - ys) ** 2).mean()
    loss.backward()
    W.data -= lr * (W.grad.data + decay * W.data)
    W.grad.data.zero_()
print(loss.item(), W.detach().numpy().round(3).tolist())

# a net without optimiser
net = torch.nn.Sequential(torch.nn.Linear(1, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1))
with torch.no_grad():
    for k, p in enumerate(net.parameters()):
        p.copy_(torch.cos(torch.arange(p.numel()).float() + k).view_as(p) * 0.4)
for step in range(15):
    net.zero_grad()
    loss = torch.nn.functional.mse_loss(net(xs[:, None]), ys[:, None])
    loss.backward()
    with torch.no_grad():
        for param in net.parameters():
            param -= 0.05 * param.grad
    if step in (0, 14): print(step, f"{loss.item():.5f}")
print(sum(p.grad.norm().item() for p in net.parameters()) > 0)
