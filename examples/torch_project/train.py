"""Trains the classifier, on several cards if there are."""

import os

import torch
import torch.distributed as dist
from network import Classifier
from torch import nn
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, rows: list) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int):
        pixels, label = self.rows[index]
        return torch.tensor(pixels) / 255, label


def collate(batch):
    pixels, labels = zip(*batch)
    return torch.stack(pixels), torch.tensor(labels)


def train(rows: list, epochs: int) -> nn.Module:
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    model = DistributedDataParallel(Classifier(10).to(device))
    for name, weight in model.named_parameters():
        if name.endswith("weight") and weight.dim() > 1:
            nn.init.kaiming_normal_(weight, nonlinearity="relu")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=epochs)
    scaler = GradScaler()
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
    loader = DataLoader(Pictures(rows), batch_size=32, shuffle=True, collate_fn=collate)
    for epoch in range(epochs):
        for images, labels in loader:
            optimizer.zero_grad(set_to_none=True)
            with autocast():
                loss = loss_fn(model(images.to(device)), labels.to(device))
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        schedule.step()
        print(f"epoch {epoch}: {loss:.3f}")
    torch.save(model.module.state_dict(), "classifier.pth")
    return model


def optimizer_named(name: str, model: nn.Module) -> torch.optim.Optimizer:
    if name == "sgd":
        return torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    return torch.optim.Adam(model.parameters(), lr=1e-3)
