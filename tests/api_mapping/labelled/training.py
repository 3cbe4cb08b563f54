"""A training script: loaders, optimisers, schedulers, scaler, checkpoints."""
import argparse
import os
import random

import numpy as np
import torch
import torch.optim as optim
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import datasets, transforms


class Squares(Dataset):  #: torch.utils.data.Dataset
    def __init__(self, count):
        self.data = list(range(count))
        self.size = count

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return torch.tensor(float(self.data[index])), self.data[index] ** 2  #: torch.tensor


class Net(nn.Module):  #: nn.Module
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)  #: nn.Linear

    def forward(self, x):
        return self.fc(x.unsqueeze(-1)).squeeze(-1)  #: T.unsqueeze T.squeeze


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)  #: torch.manual_seed
    torch.cuda.manual_seed_all(seed)  #: torch.cuda.manual_seed_all
    torch.backends.cudnn.benchmark = False  #: torch.backends.cudnn.benchmark


def train(args, model, device, loader, optimizer, epoch):
    model.train()  #: M.train
    for batch, (data, target) in enumerate(loader):
        data, target = data.to(device), target.to(device)  #: T.to T.to
        optimizer.zero_grad()  #: O.zero_grad
        output = model(data)
        loss = nn.functional.mse_loss(output, target)  #: F.mse_loss
        loss.backward()  #: T.backward
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  #: torch.nn.utils.clip_grad_norm_ M.parameters
        optimizer.step()  #: O.step
        if batch % args.log_interval == 0:
            print(f"epoch {epoch}: {loss.item():.4f}")  #: T.item


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  #: torch.device torch.cuda.is_available
    loader = DataLoader(Squares(10), batch_size=2, shuffle=True)  #: torch.utils.data.DataLoader
    pairs = DataLoader(TensorDataset(torch.rand(4, 1), torch.rand(4)))  #: torch.utils.data.DataLoader torch.utils.data.TensorDataset torch.rand torch.rand
    images = datasets.MNIST("data", train=True, transform=transforms.Compose([  #: torchvision.datasets.MNIST torchvision.transforms.Compose
        transforms.ToTensor(),  #: torchvision.transforms.ToTensor
        transforms.Normalize((0.1307,), (0.3081,)),  #: torchvision.transforms.Normalize
    ]))
    model = Net().to(device)  #: M.to
    optimizer = optim.Adam(model.parameters(), lr=1e-3)  #: torch.optim.Adam M.parameters
    other = torch.optim.SGD([{"params": model.fc.parameters()}], lr=0.1, momentum=0.9)  #: torch.optim.SGD M.parameters
    scheduler = StepLR(optimizer, step_size=1, gamma=0.7)  #: torch.optim.lr_scheduler.StepLR
    cosine = CosineAnnealingLR(other, T_max=10)  #: torch.optim.lr_scheduler.CosineAnnealingLR
    scaler = torch.cuda.amp.GradScaler()  #: torch.cuda.amp.GradScaler
    criterion = nn.MSELoss()  #: nn.MSELoss
    for epoch in range(args.epochs):
        train(args, model, device, loader, optimizer, epoch)
        for x, y in pairs:
            x = x.to(device)  #: T.to
            y = y.cuda(non_blocking=True)  #: T.cuda
            other.zero_grad(set_to_none=True)  #: O.zero_grad
            with torch.cuda.amp.autocast():  #: torch.cuda.amp.autocast
                loss = criterion(model(x.squeeze(1)), y)  #: T.squeeze
            scaler.scale(loss).backward()  #: S.scale T.backward
            scaler.step(other)  #: S.step
            scaler.update()  #: S.update
            print(loss.detach().cpu().item())  #: T.detach T.cpu T.item
        scheduler.step()  #: L.step
        cosine.step()  #: L.step
        print(scheduler.get_last_lr(), len(loader), len(images))  #: L.get_last_lr
        for group in optimizer.param_groups:  #: O.param_groups
            group["lr"] *= 0.5
    os.makedirs("out", exist_ok=True)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "out/m.pt")  #: torch.save M.state_dict O.state_dict
    model.eval()  #: M.eval
    with torch.no_grad():  #: torch.no_grad
        correct = 0
        for x, y in loader:
            correct += (model(x).round() == y).sum().item()  #: T.round T.sum T.item
    checkpoint = torch.load("out/m.pt")  #: torch.load
    model.load_state_dict(checkpoint["model"])  #: M.load_state_dict
    optimizer.load_state_dict(checkpoint["optimizer"])  #: O.load_state_dict


if __name__ == "__main__":
    main()
