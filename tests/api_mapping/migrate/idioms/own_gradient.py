"""Functions with gradients of their own, called in the middle of expressions."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class Sign(Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return x.clone().sign().masked_fill(x.abs() > limit, 0.5)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad.clone() * (torch.abs(x) <= ctx.limit).float(), None


sign = Sign.apply


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return F.relu(Sign.apply(self.fc(x), 0.7)).size(-1), sign(x, 2.0).max(1).values
