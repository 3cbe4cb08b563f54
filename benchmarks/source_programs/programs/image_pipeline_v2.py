"""torchvision.transforms.v2 and functional forms on tensors in a data set, and a small network trained on them."""
import numpy as np
import torch
import torch.nn as nn
import torchvision.transforms.functional as TF
from torch.utils.data import DataLoader, Dataset, Subset
from torchvision import transforms
from torchvision.transforms import v2


class Shapes(Dataset):
    """Bars and squares as uint8 images (h, w, 3)."""

    def __init__(self, n, transform=None, target_transform=None):
        self.transform, self.target_transform = transform, target_transform
        self.images, self.labels = [], []
        for i in range(n):
            image = np.zeros((12, 10, 3), dtype=np.uint8)
            label, k = i % 3, 1 + i % 4
            if label == 0:
                image[k:k + 6, 3:5] = 200
            elif label == 1:
                image[5:7, k:k + 6] = 150
            else:
                image[k:k + 4, k:k + 4] = 250
            image[..., i % 3] //= 2
            self.images.append(image)
            self.labels.append(label)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        image, label = self.images[idx], self.labels[idx]
        if self.transform:
            image = self.transform(image)
        if self.target_transform:
            label = self.target_transform(label)
        return image, label


class AddBorder:
    def __init__(self, value):
        self.value = value

    def __call__(self, img):
        img = img.clone()
        img[:, 0, :] = self.value
        return img


MEAN, STD = [0.5, 0.4, 0.3], [0.25, 0.25, 0.5]
modern = v2.Compose([
    v2.ToImage(),
    v2.ToDtype(torch.float32, scale=True),
    v2.CenterCrop((8, 8)),
    v2.RandomHorizontalFlip(p=1.0),
    v2.Normalize(mean=MEAN, std=STD),
])
classic = transforms.Compose([
    transforms.ToTensor(),
    transforms.Lambda(lambda t: t * 0.9 + 0.05),
    transforms.Pad(1),
    transforms.CenterCrop(8),
    AddBorder(0.1),
    transforms.Normalize(MEAN, STD),
])


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2)
        self.fc = nn.Linear(36, 3)
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.2

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).flatten(1))


def denormalize(t):
    mean, std = torch.tensor(MEAN)[:, None, None], torch.tensor(STD)[:, None, None]
    return (t * std + mean).clamp(0, 1)


def main():
    one_hot = transforms.Lambda(lambda y: torch.zeros(3, dtype=torch.float).scatter_(0, torch.tensor(y), value=1))
    for name, transform in (("v2", modern), ("classic", classic)):
        data = Shapes(24, transform, one_hot)
        image, target = data[4]
        print(name, tuple(image.shape), image.dtype == torch.float32, round(image.mean().item(), 4), target.tolist())
        train, test = Subset(data, range(18)), Subset(data, range(18, 24))
        net = SmallNet()
        opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
        for epoch in range(3):
            total = 0.0
            for x, y in DataLoader(train, batch_size=6):
                opt.zero_grad()
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward()
                opt.step()
                total += loss.item()
            print(epoch, round(total / 3, 4))
        with torch.no_grad():
            hits = sum((net(x).argmax(1) == y.argmax(1)).sum().item() for x, y in DataLoader(test, batch_size=3))
        print("right", hits, round(denormalize(image).max().item(), 4))
    t = torch.from_numpy(Shapes(1).images[0]).permute(2, 0, 1).float() / 255
    print(tuple(TF.crop(t, 2, 1, 6, 5).shape), TF.hflip(t).argmax().item(), TF.vflip(t).argmax().item())
    resized = TF.resize(t, [6, 5], antialias=False)
    print(tuple(resized.shape), round(resized.mean().item(), 4))
    gray = TF.rgb_to_grayscale(t)
    print(tuple(gray.shape), round(gray.sum().item(), 4), round(TF.adjust_brightness(t, 1.5).mean().item(), 4))
    print(round(TF.normalize(t, MEAN, STD).mean().item(), 4), tuple(TF.pad(t, [1, 2]).shape))


if __name__ == "__main__":
    main()
