"""Trains ResNet-50 on a folder of images."""

import argparse
import math
import os

import mindspore as ms
from mindspore import ops
from mindspore.experimental import optim
from mindspore.experimental.optim import lr_scheduler
import _ms_compat as compat
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
    decay = [p for p in compat.parameters(model) if p.dim() > 1]
    others = [p for p in compat.parameters(model) if p.dim() <= 1]
    return [{"params": decay, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def main():
    args = parse_args()
    os.makedirs(args.output, exist_ok=True)
    ms.set_seed(1)
    device = "cuda" if ms.get_current_device().device_target != "CPU" else "cpu"
    train_loader, val_loader = create_loaders(args.data, args.size, args.batch_size)
    model = resnet50(args.num_classes, args.width)
    criterion = compat.Loss(ops.cross_entropy, label_smoothing=0.1)
    optimizer = optim.SGD(
        parameter_groups(model, args.weight_decay), lr=args.lr, momentum=0.9
    )
    steps = len(train_loader)

    def factor(step):
        if step < args.warmup * steps:
            return (step + 1) / (args.warmup * steps)
        done = (step - args.warmup * steps) / max(1, (args.epochs - args.warmup) * steps)
        return 0.5 * (1 + math.cos(math.pi * done))

    scheduler = lr_scheduler.LambdaLR(optimizer, lr_lambda=factor)
    scaler = compat.GradScaler(enabled=args.amp)
    start = 0
    if args.resume:
        checkpoint = compat.load(args.resume)
        compat.load_state_dict(model, checkpoint["model"])
        compat.load_optimizer_state(optimizer, checkpoint["optimizer"])
        compat.load_scheduler_state(scheduler, checkpoint["scheduler"])
        start = checkpoint["epoch"]

    def forward_fn(images, labels):
        loss = criterion(model(images), labels)
        return scaler.scale(loss), loss

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    for epoch in range(start, args.epochs):
        model.set_train()
        for images, labels in train_loader:
            (_, loss), grads = grad_fn(images, labels)
            scaler.step(optimizer, grads)
            scaler.update()
            scheduler.step()
        accuracy = evaluate(model, val_loader, device)
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}, accuracy {accuracy:.2f} %")
        compat.save(
            {
                "model": compat.state_dict(model),
                "optimizer": compat.optimizer_state(optimizer),
                "scheduler": compat.scheduler_state(scheduler),
                "epoch": epoch + 1,
            },
            os.path.join(args.output, "last.pth"),
        )


if __name__ == "__main__":
    main()
