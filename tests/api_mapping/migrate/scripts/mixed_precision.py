import numpy as np
import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
use_amp = device == "cuda"


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(1),
        )
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        return self.head(torch.flatten(self.features(x), 1))


def train_one_epoch(model, loader, criterion, optimizer, scaler, losses):
    model.train()
    for images, targets in loader:
        images = images.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)

        optimizer.zero_grad()

        # Runs the forward pass with autocasting.
        with autocast(enabled=use_amp):
            output = model(images)
            loss = criterion(output, targets)

        # Scales loss. Calls backward() on scaled loss to create scaled gradients.
        scaler.scale(loss).backward()

        # Unscales the gradients of optimizer's assigned params in-place
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)

        scaler.step(optimizer)
        scaler.update()

        losses.append(loss.detach().item())


def main():
    rng = np.random.RandomState(5)
    pixels = rng.rand(80, 3, 16, 16).astype(np.float32)
    classes = rng.randint(0, 4, size=80)
    pixels += classes[:, None, None, None] * 0.2
    dataset = TensorDataset(torch.from_numpy(pixels), torch.from_numpy(classes))
    loader = DataLoader(dataset, batch_size=8, pin_memory=True)

    model = ConvNet().to(device)
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    scaler = GradScaler(enabled=use_amp)

    losses = []
    for epoch in range(2):
        train_one_epoch(model, loader, criterion, optimizer, scaler, losses)
        print("epoch: {}, loss: {:.4f}".format(epoch, losses[-1]))
    return losses


if __name__ == "__main__":
    train_losses = main()
