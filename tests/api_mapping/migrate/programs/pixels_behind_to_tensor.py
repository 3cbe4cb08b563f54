"""Flips, crops and borders of what ToTensor has made a tensor, whose channels come first."""

import numpy as np
import torch
from PIL import Image
from torchvision import transforms as T
from torchvision.transforms import v2

image = Image.fromarray(np.arange(6 * 9 * 3, dtype=np.uint8).reshape(6, 9, 3))
grey = Image.fromarray(np.arange(48, dtype=np.uint8).reshape(6, 8))


def shown(made):
    at = [
        made[0, 0, 0].item(),
        made[0, 0, -1].item(),
        made[0, -1, 0].item(),
        made[-1, -1, -1].item(),
    ]
    return tuple(made.shape), [round(value, 4) for value in at], round(made.sum().item(), 3)


flipped = T.Compose(
    [T.ToTensor(), T.RandomHorizontalFlip(p=1.0), T.Normalize([0.5] * 3, [0.2] * 3)]
)
print(shown(flipped(image)))
turned = T.Compose([T.ToTensor(), T.Normalize((0.1,), (0.3,)), T.RandomVerticalFlip(1.0)])
print(shown(turned(grey)))
cropped = T.Compose([T.CenterCrop(6), T.ToTensor(), T.CenterCrop((4, 2))])
print(shown(cropped(image)))
steps = [T.ToTensor(), T.Pad((1, 2), fill=1)]
steps.append(T.Normalize([0.5] * 3, [0.5] * 3))
print(shown(T.Compose(steps)(image)))
newer = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.CenterCrop(4)])
print(shown(newer(image)))
both = v2.Compose(
    [
        v2.ToImage(),
        v2.ToDtype(torch.float32, scale=True),
        v2.RandomHorizontalFlip(1.0),
        v2.RandomVerticalFlip(p=1.0),
        v2.Normalize([0.5] * 3, [0.25] * 3),
    ]
)
print(shown(both(image)))
padded = T.Compose([T.ToTensor(), T.RandomCrop((6, 9), padding=0), T.RandomErasing(p=0.0)])
print(shown(padded(image)))
x = torch.arange(72.0).reshape(3, 4, 6) / 72
flip = T.RandomHorizontalFlip(p=1.0)
print(shown(flip(x)))
print(shown(T.CenterCrop((2, 4))(x)))
print(shown(v2.Pad(1)(T.RandomVerticalFlip(1.0)(x))))
scaled = T.Normalize([0.5] * 3, [0.5] * 3)
print(shown(scaled(flip(x))))
