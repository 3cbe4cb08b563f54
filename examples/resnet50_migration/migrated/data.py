"""Loaders of a folder of images, ImageNet's way."""

import os

import mindspore.dataset as ds
import _ms_compat as compat

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def create_loaders(root, size, batch_size, workers=0):
    train_transform = compat.Compose([
        ds.vision.RandomResizedCrop(size, (0.5, 1.0)),
        ds.vision.RandomHorizontalFlip(),
        ds.vision.AutoAugment(policy=ds.vision.AutoAugmentPolicy.IMAGENET),
        ds.vision.ToTensor(),
        ds.vision.Normalize(MEAN, STD, is_hwc=False),
    ])
    return (
        compat.DataLoader(
            compat.image_set(
                ds.ImageFolderDataset(os.path.join(root, "train"), shuffle=False, decode=True),
                transform=train_transform,
            ),
            batch_size=batch_size,
            shuffle=True,
            num_workers=workers,
            drop_last=True,
        ),
        create_eval_loader(root, size, batch_size, workers),
    )


def create_eval_loader(root, size, batch_size, workers=0):
    transform = compat.Compose([
        ds.vision.Resize(size + size // 8),
        ds.vision.CenterCrop(size),
        ds.vision.ToTensor(),
        ds.vision.Normalize(MEAN, STD, is_hwc=False),
    ])
    dataset = compat.image_set(
        ds.ImageFolderDataset(os.path.join(root, "val"), shuffle=False, decode=True),
        transform=transform,
    )
    return compat.DataLoader(dataset, batch_size=batch_size, shuffle=False, num_workers=workers)
