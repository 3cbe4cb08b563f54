"""Tells how many of 2,000 pictures the trained classifier names right: python evaluate.py."""

import os

import torch
from network import Classifier
from pictures import pictures

CHECKPOINT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "classifier.pth")


@torch.no_grad()
def accuracy(model: Classifier, count: int = 2000, batch: int = 250) -> float:
    pixels, labels = pictures(count, seed=1)
    right = 0
    for start in range(0, count, batch):
        images = torch.from_numpy(pixels[start : start + batch]) / 255
        classes = torch.from_numpy(labels[start : start + batch])
        right += (model(images).argmax(1) == classes).sum().item()
    return right / count


if __name__ == "__main__":
    model = Classifier(10)
    checkpoint = torch.load(CHECKPOINT, map_location="cpu")
    model.load_state_dict(checkpoint["model"])
    model.eval()
    print(f"epoch {checkpoint['epoch']}: accuracy {100 * accuracy(model):.2f} %")
