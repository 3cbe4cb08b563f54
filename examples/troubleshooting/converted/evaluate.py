"""The accuracy of net.py with model.ckpt: `python evaluate.py`, with MindSpore."""

import mindspore as ms
import numpy as np
from net import Net


def load(part):
    data = np.load("digits.npz")
    return ms.Tensor(data[f"{part}_images"]), ms.Tensor(data[f"{part}_labels"].astype(np.int32))


def trained():
    net = Net()
    ms.load_checkpoint("model.ckpt", net, strict_load=True)
    return net


def accuracy(net, images, labels):
    net.set_train(False)
    return (net(images).argmax(1).asnumpy() == labels.asnumpy()).mean()


if __name__ == "__main__":
    print(f"accuracy {accuracy(trained(), *load('test')):.1%}")
