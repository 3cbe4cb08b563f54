"""A small ResNet with save_checkpoint / best model / resume, as the ImageNet example does it."""
import os
import shutil
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import StepLR


def conv3x3(inp, out, stride=1):
    return nn.Conv2d(inp, out, kernel_size=3, stride=stride, padding=1, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1):
        super().__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Identity()
        if stride != 1 or inplanes != planes * self.expansion:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inplanes, planes * self.expansion, 1, stride, bias=False),
                nn.BatchNorm2d(planes * self.expansion))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, block, layers, num_classes=3):
        super().__init__()
        self.inplanes = 4
        self.stem = nn.Sequential(conv3x3(1, 4), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        for i, n in enumerate(layers, 1):
            setattr(self, f"layer{i}", self._make_layer(block, 4 * i, n, 1 if i == 1 else 2))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(self.inplanes, num_classes)
        self._init()

    def _init(self):
        k = 0
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                k += 1
                values = np.random.RandomState(k).uniform(-1, 1, tuple(m.weight.shape)) * 0.4
                m.weight.data.copy_(torch.from_numpy(values))
                if m.bias is not None:
                    m.bias.data.fill_(0)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def _make_layer(self, block, planes, blocks, stride):
        layers = []
        for s in [stride] + [1] * (blocks - 1):
            layers.append(block(self.inplanes, planes, s))
            self.inplanes = planes * block.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def save_checkpoint(state, is_best, folder):
    path = os.path.join(folder, "checkpoint.pth.tar")
    torch.save(state, path)
    if is_best:
        shutil.copyfile(path, os.path.join(folder, "model_best.pth.tar"))


def train(batches, model, criterion, optimizer, epoch):
    model.train()
    total = 0.0
    for i, (images, target) in enumerate(batches):
        output = model(images)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print("train", epoch, round(total / len(batches), 4))


def validate(batches, model, criterion):
    model.eval()
    correct, seen, total = 0, 0, 0.0
    with torch.no_grad():
        for images, target in batches:
            output = model(images)
            total += criterion(output, target).item() * target.size(0)
            correct += (output.argmax(1) == target).sum().item()
            seen += target.size(0)
    return correct / seen, total / seen


def run(folder, resume, until, batches):
    model = ResNet(BasicBlock, [1, 1])
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = StepLR(optimizer, step_size=2, gamma=0.1)
    start, best = 0, 0.0
    if resume and os.path.isfile(resume):
        checkpoint = torch.load(resume, map_location="cpu")
        start, best = checkpoint["epoch"], checkpoint["best_acc1"]
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scheduler.load_state_dict(checkpoint["scheduler"])
        print("resumed at", start, round(optimizer.param_groups[0]["lr"], 6))
    for epoch in range(start, until):
        train(batches, model, criterion, optimizer, epoch)
        acc, loss = validate(batches, model, criterion)
        scheduler.step()
        is_best = acc > best
        best = max(acc, best)
        print(f"val {epoch} acc {acc:.3f} loss {loss:.4f} best {best:.3f}")
        save_checkpoint({"epoch": epoch + 1, "state_dict": model.state_dict(), "best_acc1": best,
                         "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}, is_best, folder)
    return model


if __name__ == "__main__":
    rs = np.random.RandomState(0)
    batches = []
    for _ in range(3):
        y = rs.randint(0, 3, 6)
        x = rs.randn(6, 1, 6, 6) * 0.3 + (y - 1)[:, None, None, None]
        batches.append((torch.tensor(x, dtype=torch.float32), torch.tensor(y)))
    with tempfile.TemporaryDirectory() as folder:
        run(folder, None, 2, batches)
        model = run(folder, os.path.join(folder, "checkpoint.pth.tar"), 4, batches)
        best = torch.load(os.path.join(folder, "model_best.pth.tar"))
        model.load_state_dict(best["state_dict"])
        print("best epoch", best["epoch"], [round(v, 4) for v in validate(batches, model, nn.CrossEntropyLoss())])
        print(sum(p.numel() for p in model.parameters() if p.requires_grad))
