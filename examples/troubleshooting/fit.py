"""Trains a new network with 1,000 digits and tells its accuracy: `python fit.py`.

`make` has all that is done with one batch, so that `msconvert compare --train` can use it, too.
"""

import torch
from net import Net
from torch import nn
from train import accuracy, load

BATCH, EPOCHS = 50, 3


def make(net):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.3)

    def step(image, label):
        loss = loss_fn(net(image), label.long())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return {"step": step, "epoch": schedule.step}


if __name__ == "__main__":
    torch.manual_seed(1)
    net = Net()
    torch.save(net.state_dict(), "start.pth")
    net.double()
    trainer = make(net)
    images, labels = load("train")
    for _ in range(EPOCHS):
        net.train()
        for at in range(0, 1000, BATCH):
            trainer["step"](images[at : at + BATCH], labels[at : at + BATCH])
        trainer["epoch"]()
    print(f"accuracy {accuracy(net, *load('test')):.0%}")
