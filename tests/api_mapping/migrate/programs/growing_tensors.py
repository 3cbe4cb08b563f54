"""Tensors that begin without elements and are added to, as evaluation loops collect results."""

import torch
from torch import nn

torch.manual_seed(0)


class Bank(nn.Module):
    """Keeps features of what it has seen."""

    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.register_buffer("store", torch.empty(0))
        self.seen = torch.Tensor().to("cpu")

    def forward(self, x):
        y = self.fc(x)
        self.seen = torch.cat([self.seen, y.detach()])
        return torch.cat((self.store, y), dim=-1)


bank = Bank(3)
with torch.no_grad():
    bank.fc.weight.copy_(torch.arange(9.0).view(3, 3) / 10)
    bank.fc.bias.zero_()

predictions = torch.tensor([])
labels = torch.tensor([], dtype=torch.long)
for step in range(3):
    out = bank(torch.arange(6.0).view(2, 3) + step)
    predictions = torch.cat((predictions, out.detach()), dim=0)
    labels = torch.cat([labels, torch.tensor([step, step + 1])])
print("predictions", tuple(predictions.shape), round(predictions.sum().item(), 4))
print("labels", labels.tolist())
print("seen", tuple(bank.seen.shape), round(bank.seen.mean().item(), 4))

weight = torch.ones(2, 2, requires_grad=True)
joined = torch.zeros(0)
for step in range(3):
    joined = torch.cat((joined, weight * step), dim=0)
loss = joined.pow(2).sum()
loss.backward()
print("loss", loss.item())
print("gradient", weight.grad.tolist())

nothing = torch.tensor([])
print("of one axis", torch.cat((nothing, torch.tensor([1.5, 2.5]))).tolist())
print("of another type", torch.cat((nothing, torch.tensor([1, 2]))).tolist())
print("nothing", tuple(torch.cat((nothing, nothing)).shape))
print("at once", torch.cat([torch.tensor([]), torch.ones(1, 2)], dim=1).tolist())
