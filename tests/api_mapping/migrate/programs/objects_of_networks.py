from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class Output:
    loss: Optional[torch.Tensor] = None
    logits: torch.Tensor = None
    states: tuple = ()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 2)
        for i, p in enumerate(self.parameters()):
            p.data = torch.linspace(-0.6, 0.7, p.numel()).view(p.shape) * (i + 1) / 2

    def forward(self, x, labels=None):
        hidden = torch.tanh(self.body(x))
        logits = self.head(hidden)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits, labels)
        return Output(loss=loss, logits=logits, states=(hidden,))


x, y = torch.linspace(-1, 1, 15).view(5, 3), torch.tensor([0, 1, 1, 0, 1])
model = Classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(3):
    out = model(x, labels=y)
    optimizer.zero_grad()
    out.loss.backward()
    optimizer.step()
    print(step, f"{out.loss.item():.4f}", tuple(out.logits.shape), len(out.states))


def epoch(model, batches):
    total, hits = 0.0, 0
    for inputs, labels in batches:
        outputs = model(inputs, labels)
        loss = outputs.loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        hits += (outputs.logits.argmax(-1) == labels).sum().item()
    return total, hits


for _ in range(2):
    total, hits = epoch(model, [(x[:3], y[:3]), (x[3:], y[3:])])
    print(round(total, 4), hits)
print([round(v, 4) for v in model(x).logits[0].tolist()])
