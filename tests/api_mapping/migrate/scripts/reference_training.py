"""After the training references of torchvision: a scaler that may be None."""
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SmoothedValue:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n


def accuracy(output, target):
    with torch.inference_mode():
        return (output.argmax(dim=1) == target).float().mean()


def train_one_epoch(model, criterion, optimizer, data_loader, device, args, history, scaler=None):
    model.train()
    meter = SmoothedValue()
    for i, (image, target) in enumerate(data_loader):
        start_time = time.time()
        image, target = image.to(device), target.to(device)
        with torch.cuda.amp.autocast(enabled=scaler is not None):
            output = model(image)
            loss = criterion(output, target)

        loss_value = loss.item()
        if not np.isfinite(loss_value):
            print(f"Loss is {loss_value}, stopping training")
            sys.exit(1)

        optimizer.zero_grad()
        if scaler is not None:
            scaler.scale(loss).backward()
            if args["clip_grad_norm"] is not None:
                # we should unscale the gradients of optimizer's assigned params if do gradient clipping
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), args["clip_grad_norm"])
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            if args["clip_grad_norm"] is not None:
                nn.utils.clip_grad_norm_(model.parameters(), args["clip_grad_norm"])
            optimizer.step()

        acc1 = accuracy(output, target)
        history.append(loss_value)
        meter.update(acc1.item(), image.shape[0])
        elapsed = time.time() - start_time
    print(f"acc {meter.total / meter.count:.3f}, last step {elapsed * 0:.1f} s")


def main(args):
    device = torch.device(args["device"])
    rng = np.random.RandomState(31)
    image = torch.from_numpy(rng.rand(80, 12).astype(np.float32))
    target = torch.from_numpy(rng.randint(0, 3, 80))
    data_loader = DataLoader(TensorDataset(image, target), batch_size=8)
    model = nn.Sequential(nn.Linear(12, 24), nn.Hardswish(), nn.Linear(24, 3)).to(device)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9, weight_decay=1e-4)
    scaler = torch.cuda.amp.GradScaler() if args["amp"] else None
    history = []
    for epoch in range(2):
        train_one_epoch(model, criterion, optimizer, data_loader, device, args, history, scaler)
    return history


if __name__ == "__main__":
    losses = main({"device": "cpu", "amp": False, "clip_grad_norm": 1.0})
