"""MAML on sines: inner steps by autograd.grad with create_graph over a list of weights, an outer Adam; evaluation by fine-tuning."""
import math
import torch
import torch.nn.functional as F


class MAMLModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(1, 12), torch.nn.Linear(12, 1)
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() * 1.7 + i).view(p.shape) * 0.5

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))

    def functional_forward(self, x, params):
        x = torch.tanh(F.linear(x, params[0], params[1]))
        return F.linear(x, params[2], params[3])


def task(k):
    amplitude, phase = 0.5 + 0.4 * (k % 3), k * math.pi / 5
    x = torch.linspace(-3, 3, 10).unsqueeze(1)
    return (x, amplitude * torch.sin(x + phase)), (x + 0.3, amplitude * torch.sin(x + 0.3 + phase))


def inner_loop(model, support, inner_lr=0.05, inner_steps=2):
    x, y = support
    fast = [w.clone() for w in model.parameters()]
    for _ in range(inner_steps):
        loss = F.mse_loss(model.functional_forward(x, fast), y)
        grads = torch.autograd.grad(loss, fast, create_graph=True)
        fast = [w - inner_lr * g for w, g in zip(fast, grads)]
    return fast


model = MAMLModel()
meta_opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for iteration in range(4):
    meta_opt.zero_grad()
    meta_loss = 0.0
    for k in range(3):
        support, query = task(iteration + k)
        fast = inner_loop(model, support)
        meta_loss += F.mse_loss(model.functional_forward(query[0], fast), query[1])
    meta_loss = meta_loss / 3
    meta_loss.backward()
    meta_opt.step()
    print(iteration, round(meta_loss.item(), 5))
support, query = task(9)
adapted = inner_loop(model, support, inner_steps=5)
print(round(F.mse_loss(model.functional_forward(query[0], adapted), query[1]).item(), 4))
print(round(F.mse_loss(model(query[0]), query[1]).item(), 4))
