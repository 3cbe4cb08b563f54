"""Masks of whole numbers as weights of a loss, and None in their place."""

import torch
from torch import nn
from torch.nn import functional as F


class Masked(nn.Module):
    def forward(self, x, y, mask=None):
        out = F.binary_cross_entropy_with_logits(x, y, weight=mask, reduction="none")
        return out.mean(dim=1)


def told(value):
    print([round(v, 4) for v in value.flatten().tolist()])


x = torch.tensor([[1.1, -2.2, 3.3, -4.4]] * 2)
y = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
loss = Masked()
told(loss(x, y, mask) * mask.shape[1] / mask.sum(axis=1))
told(loss(x, y))
told(loss(x, y, mask.bool()))
told(F.binary_cross_entropy_with_logits(x, y, mask))
told(F.binary_cross_entropy_with_logits(x, y, pos_weight=torch.tensor([1, 2, 3, 4])))
told(F.binary_cross_entropy_with_logits(x, y, weight=mask, pos_weight=mask[0] * 2))
told(F.binary_cross_entropy_with_logits(x, y, reduction="sum"))
