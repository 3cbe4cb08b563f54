"""Loaders of a folder of images, ImageNet's way."""

import os

from torch.utils.data import DataLoader
from torchvision import datasets, transforms

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def create_loaders(root, size, batch_size, workers=0):
    train_transform = transforms.Compose([
        transforms.RandomResizedCrop(size, scale=(0.5, 1.0)),
        transforms.RandomHorizontalFlip(),
        transforms.AutoAugment(transforms.AutoAugmentPolicy.IMAGENET),
        transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
    ])
    return (
        DataLoader(
            datasets.ImageFolder(os.path.join(root, "train"), train_transform),
            batch_size=batch_size, shuffle=True, num_workers=workers, drop_last=True,
        ),
        create_eval_loader(root, size, batch_size, workers),
    )


def create_eval_loader(root, size, batch_size, workers=0):
    transform = transforms.Compose([
        transforms.Resize(size + size // 8),
        transforms.CenterCrop(size),
        transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
    ])
    dataset = datasets.ImageFolder(os.path.join(root, "val"), transform)
    return DataLoader(dataset, batch_size=batch_size, shuffle=False, num_workers=workers)
