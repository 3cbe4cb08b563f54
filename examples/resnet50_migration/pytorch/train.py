"""Trains ResNet-50 on a folder of images."""

import argparse
import math
import os

import torch
import torch.nn as nn
from data import create_loaders
from eval import evaluate
from resnet import resnet50


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data")
    parser.add_argument("--output", default="checkpoints")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--num-classes", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.003)
    parser.add_argument("--weight-decay", type=float, default=1e-4)
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--resume", default="")
    return parser.parse_args()


def parameter_groups(model, weight_decay):
    """Weights decay, biases and normalisation do not."""
    decay = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    return [{"params": decay, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def main():
    args = parse_args()
    os.makedirs(args.output, exist_ok=True)
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader, val_loader = create_loaders(args.data, args.size, args.batch_size)
    model = resnet50(args.num_classes, args.width).to(device)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(
        parameter_groups(model, args.weight_decay), lr=args.lr, momentum=0.9
    )
    steps = len(train_loader)

    def factor(step):
        if step < args.warmup * steps:
            return (step + 1) / (args.warmup * steps)
        done = (step - args.warmup * steps) / max(1, (args.epochs - args.warmup) * steps)
        return 0.5 * (1 + math.cos(math.pi * done))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    scaler = torch.cuda.amp.GradScaler(enabled=args.amp)
    start = 0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scheduler.load_state_dict(checkpoint["scheduler"])
        start = checkpoint["epoch"]

    for epoch in range(start, args.epochs):
        model.train()
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            with torch.cuda.amp.autocast(enabled=args.amp):
                loss = criterion(model(images), labels)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            scheduler.step()
        accuracy = evaluate(model, val_loader, device)
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}, accuracy {accuracy:.2f} %")
        torch.save(
            {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "epoch": epoch + 1,
            },
            os.path.join(args.output, "last.pth"),
        )


if __name__ == "__main__":
    main()
