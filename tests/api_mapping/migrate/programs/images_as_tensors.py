import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
from torchvision.transforms import v2

image = Image.fromarray(np.arange(9 * 10 * 3, dtype=np.uint8).reshape(9, 10, 3))
steps = transforms.Compose(
    [transforms.CenterCrop(8), transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.25,) * 3)]
)
x = steps(image).unsqueeze(0)
print(tuple(x.shape), round(x.std().item(), 4))
y = steps(image)
print(tuple(torch.stack([y, y]).permute(0, 2, 3, 1).shape), round(y.float().sum().item(), 3))
print(round(transforms.ToTensor()(image).mean(dim=(1, 2)).max().item(), 4))
normalize = transforms.Normalize(mean=[0.4, 0.4, 0.4], std=[0.2, 0.2, 0.2])
print(round(normalize(y.clamp(0, 1)).abs().max().item(), 4))

modern = v2.Compose(
    [
        v2.ToImage(),
        v2.CenterCrop((6, 7)),
        v2.RandomHorizontalFlip(p=1.0),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(mean=[0.5] * 3, std=[0.5] * 3),
    ]
)
z = modern(image)
print(tuple(z.unsqueeze(0).shape), str(z.dtype)[-7:].lower(), round(z.square().mean().item(), 4))


class Pictures(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.transform(image.rotate(90 * index)), index


for batch, labels in DataLoader(Pictures(modern), batch_size=2):
    print(tuple(batch.shape), labels.tolist(), round(batch.mean().item(), 4))
pictures = Pictures(steps)
picture, label = pictures[1]
print(tuple(picture.permute(1, 2, 0).shape), label, round(picture.float().mean().item(), 4))
print(
    tuple(torch.stack([pictures[i][0] for i in range(3)]).shape), pictures[2][0].unsqueeze(0).ndim
)
