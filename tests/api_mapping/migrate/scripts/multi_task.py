"""One trunk, three heads: a class, a number, and an auxiliary output as in Inception."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiTaskNet(nn.Module):
    def __init__(self, in_features=20, hidden=48, num_classes=5):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(in_features, hidden), nn.ReLU())
        self.trunk = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.classifier = nn.Linear(hidden, num_classes)
        self.regressor = nn.Linear(hidden, 1)
        self.aux = nn.Linear(hidden, num_classes)

    def forward(self, x):
        x = self.stem(x)
        aux = self.aux(x) if self.training else None
        x = self.trunk(x)
        return self.classifier(x), self.regressor(x), aux


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


np.random.seed(11)
X = np.random.randn(160, 20).astype("float32")
labels = X[:, :5].argmax(1)
values = X.sum(axis=1, keepdims=True) * 0.1

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = MultiTaskNet().to(device)
cls_criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
reg_criterion = nn.SmoothL1Loss()
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)

meters = {"cls": AverageMeter(), "reg": AverageMeter(), "aux": AverageMeter()}
all_losses = []
net.train()
for epoch in range(2):
    for start in range(0, len(X), 16):
        batch = torch.tensor(X[start : start + 16], device=device)
        label = torch.tensor(labels[start : start + 16], dtype=torch.long).to(device)
        value = torch.tensor(values[start : start + 16]).to(device)

        optimizer.zero_grad(set_to_none=True)
        logits, prediction, aux_logits = net(batch)
        cls_loss = cls_criterion(logits, label)
        reg_loss = reg_criterion(prediction, value)
        aux_loss = F.cross_entropy(aux_logits, label)
        # the auxiliary head counts less
        total = cls_loss + 0.5 * reg_loss + 0.3 * aux_loss
        total.backward()
        optimizer.step()

        meters["cls"].update(cls_loss.item(), batch.size(0))
        meters["reg"].update(reg_loss.item(), batch.size(0))
        meters["aux"].update(aux_loss.item(), batch.size(0))
        all_losses.append(total.item())

    accuracy = (logits.argmax(dim=1) == label).float().mean()
    print(f"Epoch {epoch}: cls {meters['cls'].avg:.3f} reg {meters['reg'].avg:.3f} "
          f"aux {meters['aux'].avg:.3f} acc {accuracy.item():.2%}")
