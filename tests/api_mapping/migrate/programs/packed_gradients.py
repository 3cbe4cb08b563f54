import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence as pack, pad_packed_sequence as unpack


class Learned(nn.Module):
    """States and inputs are weights, so that their gradients show in the numbers."""

    def __init__(self, kind, layers, bidirectional, batch_first):
        super().__init__()
        dirs = 2 if bidirectional else 1
        rnn_cls = nn.LSTM if kind == "lstm" else nn.GRU if kind == "gru" else nn.RNN
        self.kind = kind
        self.batch_first = batch_first
        self.rnn = rnn_cls(
            3, 4, num_layers=layers, bidirectional=bidirectional, batch_first=batch_first
        )
        shape = (4, 6, 3) if batch_first else (6, 4, 3)
        self.x = nn.Parameter(torch.linspace(-1, 1, 72).view(shape))
        self.h0 = nn.Parameter(
            torch.linspace(-0.5, 0.5, layers * dirs * 16).view(layers * dirs, 4, 4)
        )
        self.c0 = nn.Parameter(
            torch.linspace(0.3, -0.2, layers * dirs * 16).view(layers * dirs, 4, 4)
        )

    def forward(self, lengths, enforce_sorted):
        packed = pack(self.x, lengths, self.batch_first, enforce_sorted)
        state = (self.h0, self.c0) if self.kind == "lstm" else self.h0
        out, last = self.rnn(packed, state)
        padded, lens = unpack(out, batch_first=self.batch_first, padding_value=0.1, total_length=7)
        if self.kind == "lstm":
            last = last[0] * 2 + last[1]
        weights = torch.arange(1, last.numel() + 1).view_as(last) / 10
        ramp = torch.arange(padded.numel()).view_as(padded) / 100
        return (padded * ramp).sum() + (last * weights).sum(), lens


def report(name, t):
    flat = t.detach().flatten()
    print(
        name,
        round(flat.sum().item(), 2),
        round((flat * torch.arange(flat.numel())).sum().item() / 100, 1),
    )


for kind in ("lstm", "gru", "rnn"):
    for layers, bi, first, lengths, ordered in (
        (1, False, True, [6, 4, 4, 1], True),
        (2, True, False, torch.tensor([2, 6, 1, 5]), False),
        (2, False, True, np.array([3, 3, 5, 2]), False),
        (1, True, True, torch.tensor([5, 5, 2, 2]), True),
    ):
        net = Learned(kind, layers, bi, first)
        with torch.no_grad():
            for n, p in net.rnn.named_parameters():
                p.copy_((torch.sin(torch.arange(p.numel()) * 1.3 + len(n)) * 0.3).view_as(p))
        opt = torch.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(2):
            loss, lens = net(lengths, ordered)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(kind, layers, bi, first, lens.tolist(), round(loss.item(), 2))
        report("x", net.x)
        report("h", net.h0)
        report("c", net.c0)
