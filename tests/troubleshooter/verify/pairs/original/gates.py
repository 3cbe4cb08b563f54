import torch
from torch import nn
import torch.nn.functional as F


class Gates(nn.Module):
    """Functions that kernels approximate, at numbers where it shows."""

    def __init__(self, size=12):
        super().__init__()
        self.inner = nn.Linear(size, size)
        self.gru = nn.GRU(size, size, batch_first=True)
        self.act = nn.ELU(inplace=True)

    def forward(self, x):
        y = torch.tanh(4 * self.inner(x)) * torch.sigmoid(x)
        z = self.gru(y)[0]
        kinds = [F.silu(z), F.softplus(y), F.gelu(z), self.act(2 * y), torch.exp(z) - torch.log(x.abs() + 1)]
        return F.log_softmax(sum(kinds), -1), F.softmax(y, dim=1), torch.logsumexp(z, -1)


def inputs():
    return torch.randn(8, 5, 12)
