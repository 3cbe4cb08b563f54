import torch
from torch import nn

features = torch.linspace(-1, 1, 24).view(8, 3)
labels = (features.sum(1) > 0).float()
weights = [torch.full((3,), 0.1, requires_grad=True), torch.tensor(0.2, requires_grad=True)]


def forward(held, inputs):
    return torch.sigmoid(inputs @ held[0] + held[1])


def loss_of(out, target):
    return -(target * torch.log(out) + (1 - target) * torch.log(1 - out)).mean()


def sgd(held, lr):
    with torch.no_grad():
        for param in held:
            param -= lr * param.grad
            param.grad.zero_()


for step in range(3):
    l = loss_of(forward(weights, features), labels)
    l.backward()
    sgd(weights, lr=0.5)
    print(step, round(l.item(), 5), [round(v, 4) for v in weights[0].tolist()])

W1 = nn.Parameter(torch.linspace(-0.5, 0.5, 12).view(3, 4), requires_grad=True)
b1 = torch.zeros(4, requires_grad=True)
W2 = torch.linspace(0.3, -0.4, 8).view(4, 2).requires_grad_(True)
params = [W1, b1, W2]


def relu(inputs):
    return torch.max(inputs, torch.zeros_like(inputs))


def net(inputs):
    return relu(inputs @ W1 + b1) @ W2


criterion = nn.CrossEntropyLoss(reduction="none")
updater = torch.optim.SGD(params, lr=0.3)
for epoch in range(3):
    l = criterion(net(features), labels.long())
    updater.zero_grad()
    l.mean().backward()
    updater.step()
    print(epoch, round(l.sum().item(), 4), round(b1.sum().item(), 5))
layers = {"w": torch.ones(3, 1, requires_grad=True), "b": torch.zeros(1, requires_grad=True)}
for epoch in range(2):
    out = features @ layers["w"] + layers["b"]
    out.pow(2).mean().backward()
    for name in layers:
        layers[name].data -= 0.1 * layers[name].grad
        layers[name].grad = None
    print([round(v, 4) for v in layers["w"].flatten().tolist()], abs(round(layers["b"].item(), 4)))
