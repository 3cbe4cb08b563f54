"""Trains LeNet on the files of MNIST, or evaluates a checkpoint."""

import argparse
import os

import numpy as np
import mindspore as ms
from mindspore import ops
from mindspore.experimental import optim
import _ms_compat as compat
from net import LeNet5


class Digits(compat.Dataset):
    """The images and labels in MNIST's files."""

    def __init__(self, root, train=True):
        part = "train" if train else "t10k"
        folder = os.path.join(root, "MNIST", "raw")
        with open(os.path.join(folder, f"{part}-images-idx3-ubyte"), "rb") as f:
            images = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 1, 28, 28)
        with open(os.path.join(folder, f"{part}-labels-idx1-ubyte"), "rb") as f:
            self.labels = np.frombuffer(f.read(), np.uint8, offset=8).astype(np.int64)
        self.images = (images.astype(np.float32) / 255 - 0.1307) / 0.3081

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def train_one_epoch(model, loader, optimizer, epoch):
    model.set_train()

    def forward_fn(images, labels):
        loss = ops.cross_entropy(model(images), labels)
        return loss

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

    for step, (images, labels) in enumerate(loader):
        loss, grads = grad_fn(images, labels)
        optimizer(grads)
        if step % 50 == 0:
            print(f"epoch {epoch} step {step}: loss {loss.item():.4f}")


def evaluate(model, loader):
    model.set_train(False)
    correct, total = 0, 0
    with ms._no_grad():
        for images, labels in loader:
            predicted = model(images).argmax(1)
            correct += (predicted == labels).sum().item()
            total += labels.shape[0]
    return correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--save", default="lenet.pth")
    parser.add_argument("--evaluate", default="", help="only evaluate this checkpoint")
    args = parser.parse_args()

    ms.set_seed(1)
    model = LeNet5()
    tests = compat.DataLoader(Digits(args.data, train=False), batch_size=100)
    if args.evaluate:
        compat.load_state_dict(model, compat.load(args.evaluate)["model"])
        print(f"accuracy {evaluate(model, tests):.4f}")
        return
    loader = compat.DataLoader(Digits(args.data), batch_size=32, shuffle=True)
    optimizer = optim.SGD(compat.parameters(model), lr=args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        train_one_epoch(model, loader, optimizer, epoch)
    accuracy = evaluate(model, tests)
    compat.save({"model": compat.state_dict(model), "accuracy": accuracy}, args.save)
    print(f"accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
