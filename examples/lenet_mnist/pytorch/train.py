"""Trains LeNet on the files of MNIST, or evaluates a checkpoint."""

import argparse
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from net import LeNet5
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
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
    model.train()
    for step, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"epoch {epoch} step {step}: loss {loss.item():.4f}")


def evaluate(model, loader):
    model.eval()
    correct, total = 0, 0
    with torch.no_grad():
        for images, labels in loader:
            predicted = model(images).argmax(dim=1)
            correct += (predicted == labels).sum().item()
            total += labels.size(0)
    return correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--save", default="lenet.pth")
    parser.add_argument("--evaluate", default="", help="only evaluate this checkpoint")
    args = parser.parse_args()

    torch.manual_seed(1)
    model = LeNet5()
    tests = DataLoader(Digits(args.data, train=False), batch_size=100)
    if args.evaluate:
        model.load_state_dict(torch.load(args.evaluate)["model"])
        print(f"accuracy {evaluate(model, tests):.4f}")
        return
    loader = DataLoader(Digits(args.data), batch_size=32, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        train_one_epoch(model, loader, optimizer, epoch)
    accuracy = evaluate(model, tests)
    torch.save({"model": model.state_dict(), "accuracy": accuracy}, args.save)
    print(f"accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
