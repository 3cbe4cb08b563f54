"""Pruning by magnitude with masks as buffers: sparsity by layer, fine-tuning with masked steps, rewinding, a dense check."""
import math
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features, bias)
        self.register_buffer("mask", torch.ones(out_features, in_features))

    def forward(self, input):
        return F.linear(input, self.weight * self.mask, self.bias)

    def prune(self, amount):
        alive = self.weight.detach().abs()[self.mask.bool()]
        k = int(math.floor(amount * alive.numel()))
        if k == 0:
            return 0
        threshold = torch.kthvalue(alive, k).values
        self.mask = torch.where(self.weight.detach().abs() > threshold, self.mask, torch.zeros_like(self.mask))
        return k

    def extra_repr(self):
        return super().extra_repr() + f", sparsity={1 - self.mask.mean().item():.2f}"


class Net(nn.Module):
    def __init__(self, sizes=(8, 16, 16, 3)):
        super().__init__()
        self.layers = nn.ModuleList([MaskedLinear(a, b) for a, b in zip(sizes[:-1], sizes[1:])])
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()) * 1.618 + i).view(p.shape) * (0.4 if p.dim() > 1 else 0.05)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


def sparsity(model):
    zeros = total = 0
    for name, buffer in model.named_buffers():
        if name.endswith("mask"):
            zeros += int((buffer == 0).sum())
            total += buffer.numel()
    return zeros / total


def train(model, x, y, steps, lr=0.1):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    model.train()
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def accuracy(model, x, y):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        right = (model(x).argmax(dim=-1) == y).sum().item()
    model.train(was_training)
    return right / len(y)


def dense_copy(model):
    dense = nn.Sequential()
    for i, layer in enumerate(model.layers):
        linear = nn.Linear(layer.in_features, layer.out_features)
        linear.weight.data.copy_(layer.weight.data * layer.mask)
        linear.bias.data.copy_(layer.bias.data)
        dense.add_module(f"fc{i}", linear)
        if i < len(model.layers) - 1:
            dense.add_module(f"act{i}", nn.ReLU())
    return dense


x = torch.cos(torch.arange(30 * 8).float() * 0.37).view(30, 8)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0.3).long()
model = Net()
print("start", round(train(model, x, y, 5), 4), accuracy(model, x, y))
with tempfile.TemporaryDirectory() as folder:
    early = os.path.join(folder, "early.pt")
    torch.save(model.state_dict(), early)
    for round_number in range(3):
        loss = train(model, x, y, 10)
        removed = [m.prune(0.3) for m in model.modules() if isinstance(m, MaskedLinear)]
        masks = {k: v for k, v in model.state_dict().items() if "mask" in k}
        state = torch.load(early, weights_only=True)
        state.update(masks)
        model.load_state_dict(state)
        print(round_number, round(loss, 4), removed, round(sparsity(model), 3))
print("final", round(train(model, x, y, 15), 4), round(accuracy(model, x, y), 3))
dense = dense_copy(model)
with torch.no_grad():
    print(torch.allclose(dense(x), model(x), atol=1e-5), len(dense), [n for n, _ in dense.named_children()])
print(model.layers[0].mask.sum(dim=1).tolist())
