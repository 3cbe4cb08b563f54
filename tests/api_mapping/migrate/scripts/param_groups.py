"""Weight decay for weights only, a smaller learning rate for the backbone."""
import numpy as np
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.fc2 = nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.fc2(torch.relu(self.fc1(self.norm(x))))


class Net(nn.Module):
    def __init__(self, dim=16, depth=2, n_classes=3):
        super().__init__()
        self.backbone = nn.ModuleList([Block(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        for block in self.backbone:
            x = block(x)
        return self.head(x)


def configure_optimizer(model, lr=1e-2, weight_decay=0.1):
    no_decay = ["bias", "norm"]
    optimizer_grouped_parameters = [
        {
            "params": [p for n, p in model.named_parameters()
                       if not any(nd in n for nd in no_decay)],
            "weight_decay": weight_decay,
        },
        {
            "params": [p for n, p in model.named_parameters()
                       if any(nd in n for nd in no_decay)],
            "weight_decay": 0.0,
        },
    ]
    return torch.optim.AdamW(optimizer_grouped_parameters, lr=lr)


def train_steps(model, optimizer, batches, losses):
    criterion = nn.CrossEntropyLoss()
    for x, y in batches:
        optimizer.zero_grad()
        logits = model(x)
        loss = criterion(logits, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


rng = np.random.RandomState(4)
data = []
for _ in range(10):
    features = rng.randn(16, 16).astype(np.float32)
    data.append((torch.from_numpy(features), torch.from_numpy(features[:, :3].argmax(axis=1))))

losses = []
net = Net()
train_steps(net, configure_optimizer(net), data, losses)

# fine-tuning: other rates for other parts
finetune = Net()
optimizer = torch.optim.SGD(
    [
        {"params": finetune.backbone.parameters(), "lr": 1e-3},
        {"params": finetune.head.parameters()},
    ],
    lr=1e-1,
    momentum=0.9,
)
train_steps(finetune, optimizer, data, losses)
print("number of groups:", len(optimizer.param_groups))
print(f"params: {sum(p.numel() for p in net.parameters() if p.requires_grad):,}")
