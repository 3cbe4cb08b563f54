"""Trains the network of net.py and writes model.pth: `python train.py`.

It computes in float64, so that rounding, which is another on each machine, does not show in the
accuracy, and in one thread: for so small a network more of them only wait for each other.
"""

import numpy as np
import torch
from net import Net
from torch import nn

torch.set_num_threads(1)


def accuracy(net, images, labels):
    net.eval()
    with torch.no_grad():
        return (net(images).argmax(1) == labels).double().mean().item()


def train(net, images, labels, batch, rate):
    """Trains once through the images; gives the mean of the losses."""
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)
    loss_fn = nn.CrossEntropyLoss()
    losses = []
    net.train()
    for image, label in zip(images.split(batch), labels.split(batch), strict=True):
        loss = loss_fn(net(image), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


def load(part):
    data = np.load("digits.npz")
    images = torch.from_numpy(data[f"{part}_images"]).double()
    return images, torch.from_numpy(data[f"{part}_labels"])


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net().double()
    for rate in (0.1, 0.05):
        train(net, *load("train"), batch=20, rate=rate)
    torch.save(net.float().state_dict(), "model.pth")
    print(f"accuracy {accuracy(net.double(), *load('test')):.1%}")
