import os
from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
EXTENSIONS = (".png", ".jpg", ".jpeg")


def build_transform(is_train, size):
    if is_train:
        return transforms.Compose([
            transforms.Resize(size + 4),
            transforms.RandomCrop(size, padding=2),
            transforms.RandomHorizontalFlip(p=0.5),
            transforms.ColorJitter(0.2, 0.2, 0.2),
            transforms.ToTensor(),
            transforms.Normalize(IMAGENET_MEAN, IMAGENET_STD),
        ])
    return transforms.Compose([
        transforms.Resize(size + 4),
        transforms.CenterCrop(size),
        transforms.ToTensor(),
        transforms.Normalize(mean=IMAGENET_MEAN, std=IMAGENET_STD),
    ])


class PngFolder(Dataset):
    """root/class_name/xxx.png"""

    def __init__(self, root, transform=None):
        self.root = Path(root)
        self.classes = sorted(d.name for d in os.scandir(self.root) if d.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = []
        for name in self.classes:
            for path in sorted((self.root / name).iterdir()):
                if path.suffix.lower() in EXTENSIONS:
                    self.samples.append((str(path), self.class_to_idx[name]))
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, idx):
        path, target = self.samples[idx]
        with open(path, "rb") as f:
            image = Image.open(f).convert("RGB")
        if self.transform is not None:
            image = self.transform(image)
        return image, torch.tensor(target, dtype=torch.long)


def build_loaders(args):
    train_set = PngFolder(os.path.join(args.data, "train"), build_transform(not args.no_aug, args.size))
    val_set = PngFolder(os.path.join(args.data, "val"), build_transform(False, args.size))
    train_loader = DataLoader(
        train_set,
        batch_size=args.batch_size,
        shuffle=not args.no_shuffle,
        num_workers=args.workers,
        pin_memory=torch.cuda.is_available(),
        drop_last=True,
    )
    val_loader = DataLoader(val_set, batch_size=args.batch_size * 2, shuffle=False,
                            num_workers=args.workers, pin_memory=True)
    return train_loader, val_loader
