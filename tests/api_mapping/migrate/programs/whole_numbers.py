"""Tensors of whole numbers in functions of floats: PyTorch makes them float32."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.full((3,), float(i)), len(str(i)) ** 2 + 1


class Positions(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, ids):
        lengths = (ids > 0).sum(dim=1)
        place = torch.arange(ids.size(1))
        return torch.sin(place) + torch.log(lengths.unsqueeze(1)) + place.cos()


def round_all(x):
    return [round(v, 4) for v in x.flatten().tolist()]


def entropy(labels, classes):
    counts = torch.zeros(classes, dtype=torch.long)
    for label in labels:
        counts[label] += 1
    probabilities = counts[counts > 0] / counts.sum()
    return -(probabilities * probabilities.log()).sum(), torch.log2(counts.sum())


def main():
    print(round_all(torch.sin(torch.arange(4))))
    print(round_all(torch.exp(-torch.arange(3))))
    labels = torch.tensor([0, 1, 1, 2])
    found, bits = entropy(labels, 3)
    print(f"{found.item():.4f} {bits.item():.4f}")
    print(round_all(Positions(4)(torch.tensor([[1, 2, 0], [3, 0, 0]]))))
    print(round_all(torch.sigmoid(labels - 1)))
    mask = labels == 1
    print(round_all(torch.tanh(mask)), round_all(mask.exp()))
    for x, y in DataLoader(Squares(), batch_size=3):
        print(round_all(torch.log1p(y)), round_all(x.mean(1).sqrt()))
    one_hot = torch.nn.functional.one_hot(labels, 3)
    print(round_all(torch.exp(one_hot[0]) + one_hot.argmax(1)[:3].log1p()))
    wide = torch.randint(4, 5, (2,)).to(torch.int32) * 2 + 1
    print(round_all(torch.log(wide)), round_all(torch.rsqrt(wide.view(1, 2))))
    print(round_all(torch.atan(labels // 2)), round_all((labels / 2).atan()))
    steps = torch.ones(3, dtype=torch.int64).cumsum(0)
    print(round_all(torch.log(steps)), round_all(torch.erf(steps * 2)))
    print(round_all(torch.special.expm1(steps)), round_all(torch.logit(steps - 1, eps=1e-2)))


main()
