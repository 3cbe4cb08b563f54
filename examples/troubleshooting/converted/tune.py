"""Trains model.ckpt on with 100 digits and tells loss and accuracy: `python tune.py`."""

import mindspore as ms
from evaluate import accuracy, load, trained
from mindspore import nn


def train(net, images, labels, batch, rate):
    """Trains once through the images; gives the mean of the losses."""
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=rate, momentum=0.9)
    loss_fn = nn.CrossEntropyLoss()
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    losses = []
    net.set_train()
    for at in range(0, len(images), batch):
        loss, grads = grad_fn(images[at : at + batch], labels[at : at + batch])
        optimizer(grads)
        losses.append(float(loss.asnumpy()))
    return sum(losses) / len(losses)


net = trained()
images, labels = load("train")
loss = train(net, images[:100], labels[:100], batch=4, rate=0.005)
print(f"loss {loss:.3f}, accuracy {accuracy(net, *load('test')):.1%}")
