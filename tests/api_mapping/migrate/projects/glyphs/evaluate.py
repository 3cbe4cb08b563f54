import argparse
import json

import torch
from torch import nn
from torch.utils.data import DataLoader
from tqdm import tqdm

from dataset import PngFolder, build_transform
from model import GlyphNet


class AverageMeter(object):
    """Computes and stores the average and current value"""

    def __init__(self):
        self.reset()

    def reset(self):
        self.val = 0
        self.avg = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def accuracy(output, target, topk=(1,)):
    """Computes the accuracy over the k top predictions for the specified values of k"""
    with torch.no_grad():
        maxk = max(topk)
        batch_size = target.size(0)

        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))

        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
            res.append(correct_k.mul_(100.0 / batch_size))
        return res


@torch.no_grad()
def evaluate(model, loader, criterion, device):
    model.eval()
    losses, top1, top3 = AverageMeter(), AverageMeter(), AverageMeter()
    for images, targets in tqdm(loader, desc="Test", leave=False):
        images, targets = images.to(device), targets.to(device)
        outputs = model(images)
        loss = criterion(outputs, targets)
        acc1, acc3 = accuracy(outputs, targets, topk=(1, 3))
        losses.update(loss.item(), targets.size(0))
        top1.update(acc1.item(), targets.size(0))
        top3.update(acc3.item(), targets.size(0))
    return losses.avg, top1.avg, top3.avg


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()

    device = torch.device(args.device)
    dataset = PngFolder(args.data, build_transform(False, args.size))
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=False)
    model = GlyphNet(num_classes=len(dataset.classes), width=args.width)
    checkpoint = torch.load(args.checkpoint, map_location="cpu", weights_only=False)
    model.load_state_dict(checkpoint["model"])
    model.to(device)
    criterion = nn.CrossEntropyLoss()
    loss, acc1, acc3 = evaluate(model, loader, criterion, device)
    print(json.dumps({"loss": loss, "acc1": acc1, "acc3": acc3,
                      "epoch": checkpoint.get("epoch", -1)}))


if __name__ == "__main__":
    main()
