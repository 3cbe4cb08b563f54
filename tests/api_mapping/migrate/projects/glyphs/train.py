#!/usr/bin/env python
import argparse
import json
import os
import random
import time

import numpy as np
import torch
import torch.nn as nn
from torch.optim import SGD
from torch.optim.lr_scheduler import CosineAnnealingLR
from tqdm import tqdm

from dataset import build_loaders
from evaluate import AverageMeter, accuracy, evaluate
from model import build_model


def parse_args():
    parser = argparse.ArgumentParser(description="Train GlyphNet")
    parser.add_argument("--data", type=str, required=True)
    parser.add_argument("--output", type=str, default="output")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--num-classes", type=int, default=4)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--clip-grad", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--init", default="", help="start from these weights")
    parser.add_argument("--resume", default="", help="path to a checkpoint")
    parser.add_argument("--no-aug", action="store_true")
    parser.add_argument("--no-shuffle", action="store_true")
    parser.add_argument("--stop-after", type=int, default=None, help="stop after this epoch")
    return parser.parse_args()


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True


def param_groups(model, weight_decay):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        if p.ndim <= 1 or name.endswith(".bias"):
            no_decay.append(p)
        else:
            decay.append(p)
    return [
        {"params": decay, "weight_decay": weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]


def train_one_epoch(model, criterion, optimizer, loader, device, epoch, args):
    model.train()
    losses, top1 = AverageMeter(), AverageMeter()
    pbar = tqdm(loader, desc=f"Epoch {epoch}", leave=False)
    for images, targets in pbar:
        images = images.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(images)
        loss = criterion(outputs, targets)

        optimizer.zero_grad()
        loss.backward()
        if args.clip_grad > 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=args.clip_grad)
        optimizer.step()

        acc1, = accuracy(outputs, targets, topk=(1,))
        losses.update(loss.item(), images.size(0))
        top1.update(acc1.item(), images.size(0))
        pbar.set_postfix(loss=f"{losses.avg:.4f}", acc=f"{top1.avg:.2f}")
    return losses.avg, top1.avg


def save_checkpoint(state, is_best, folder):
    path = os.path.join(folder, "last.pth")
    torch.save(state, path)
    if is_best:
        torch.save(state["model"], os.path.join(folder, "best.pth"))


def main():
    args = parse_args()
    os.makedirs(args.output, exist_ok=True)
    set_seed(args.seed)
    device = torch.device(args.device)

    train_loader, val_loader = build_loaders(args)
    model = build_model(args).to(device)
    if args.init:
        state = torch.load(args.init, map_location="cpu")
        model.load_state_dict(state["model"] if "model" in state else state)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1).to(device)
    optimizer = SGD(param_groups(model, args.weight_decay), lr=args.lr,
                    momentum=args.momentum, nesterov=True)
    scheduler = CosineAnnealingLR(optimizer, T_max=args.epochs, eta_min=1e-5)

    start_epoch, best_acc, history = 0, 0.0, []
    if args.resume:
        if os.path.isfile(args.resume):
            print(f"=> loading checkpoint '{args.resume}'")
            checkpoint = torch.load(args.resume, map_location=device)
            model.load_state_dict(checkpoint["model"])
            optimizer.load_state_dict(checkpoint["optimizer"])
            scheduler.load_state_dict(checkpoint["scheduler"])
            start_epoch = checkpoint["epoch"] + 1
            best_acc = checkpoint["best_acc"]
            print("=> loaded checkpoint (epoch {})".format(checkpoint["epoch"]))
        else:
            raise FileNotFoundError(args.resume)

    start = time.time()
    for epoch in range(start_epoch, args.epochs):
        train_loss, train_acc = train_one_epoch(
            model, criterion, optimizer, train_loader, device, epoch, args)
        lr = optimizer.param_groups[0]["lr"]
        scheduler.step()
        val_loss, val_acc1, val_acc3 = evaluate(model, val_loader, criterion, device)
        is_best = val_acc1 > best_acc
        best_acc = max(best_acc, val_acc1)
        save_checkpoint(
            {
                "epoch": epoch,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "best_acc": best_acc,
                "args": vars(args),
            },
            is_best,
            args.output,
        )
        log = dict(epoch=epoch, lr=lr, train_loss=train_loss, train_acc=train_acc,
                   val_loss=val_loss, val_acc1=val_acc1, val_acc3=val_acc3)
        history.append(log)
        tqdm.write(f"Epoch [{epoch + 1}/{args.epochs}] lr {lr:.5f} loss {train_loss:.4f} "
                   f"acc@1 {val_acc1:.2f} acc@3 {val_acc3:.2f}")
        with open(os.path.join(args.output, "log.jsonl"), "a") as f:
            f.write(json.dumps(log) + "\n")
        if args.stop_after is not None and epoch >= args.stop_after:
            break
    print(f"done in {time.time() - start:.0f}s, best acc@1 {best_acc:.2f}")


if __name__ == "__main__":
    main()
