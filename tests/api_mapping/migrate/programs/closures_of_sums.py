"""Closures that return the sum of their losses as it is written, and not by the loss's name."""

import torch
from torch import nn

goal, style = torch.linspace(0, 1, 6), torch.linspace(1, 0, 6)


def told(name, loss, image):
    print(name, round(loss.item(), 3), [round(v, 2) for v in image.detach().tolist()])


def transferred():
    image = nn.Parameter(torch.full((6,), 0.5))
    optimizer = torch.optim.LBFGS([image], max_iter=4)
    run = [0]
    while run[0] <= 6:

        def closure():
            with torch.no_grad():
                image.clamp_(0, 1)
            optimizer.zero_grad()
            style_score = 0
            for weight in (0.5, 1.5):
                style_score += weight * (image - style).pow(2).sum()
            content_score = (image - goal).pow(2).sum()
            content_score *= 2
            loss = style_score + content_score
            loss.backward()
            run[0] += 1
            return style_score + content_score

        loss = optimizer.step(closure)
    told("transferred", loss, image)


def fitted():
    layer = nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.fill_(0.5)
        layer.bias.zero_()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    x, y = torch.tensor([[1.0, 2.0], [3.0, -1.0]]), torch.tensor([[1.0], [0.0]])
    for _ in range(3):

        def closure():
            optimizer.zero_grad()
            fit = nn.functional.mse_loss(layer(x), y)
            size = 0.1 * layer.weight.pow(2).sum()
            total = fit + size
            total.backward()
            return fit + size

        loss = optimizer.step(closure)
        told("fitted", loss, layer.weight[0])


transferred()
fitted()
print(tuple(goal.shape))
print("done")
