"""Trains start.ckpt with 1,000 digits and tells the accuracy: `python fit.py`."""

import mindspore as ms
from evaluate import accuracy, load
from mindspore import nn, ops
from net import Net

BATCH, EPOCHS = 50, 3


def make(net, steps=4):
    """`steps`: so many are an epoch."""
    loss_fn = nn.CrossEntropyLoss()
    rates = [0.2 * 0.3**epoch for epoch in range(EPOCHS * steps)]
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=rates, momentum=0.9)
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    net.set_train()

    def step(image, label):
        loss, grads = grad_fn(image, label)
        grads = tuple(ops.clip_by_norm(g, 1.0) for g in grads)
        optimizer(grads)
        return loss

    return step


if __name__ == "__main__":
    net = Net()
    ms.load_checkpoint("start.ckpt", net)
    images, labels = load("train")
    step = make(net, 1000 // BATCH)
    for _ in range(EPOCHS):
        for at in range(0, 1000, BATCH):
            step(images[at : at + BATCH], labels[at : at + BATCH])
    print(f"accuracy {accuracy(net, *load('test')):.0%}")
