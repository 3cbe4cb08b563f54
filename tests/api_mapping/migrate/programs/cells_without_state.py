"""Recurrent cells that are called without a state, with None, and for one example."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.lstm = nn.LSTMCell(3, 4)
        self.gru = nn.GRUCell(3, 4)
        self.rnn = cell(3, 4)

    def forward(self, x):
        h, c = self.lstm(x)
        h, c = self.lstm(x, (h, c))
        state = None
        for _ in range(2):
            state = self.lstm(x, state)
        return h + self.gru(x) + self.rnn(x) + state[0]


class Twice(nn.LSTMCell):
    def forward(self, x, state):
        h, c = super().forward(x, state)
        return h * 2, c


net = Net(nn.RNNCell)
own = Twice(3, 4)
for module in (net, own):
    for p in module.parameters():
        nn.init.constant_(p, 0.1)
x = torch.ones(2, 3)
print([round(v, 4) for v in net(x)[0].tolist()])
print([round(v, 4) for v in net.gru(torch.ones(3)).tolist()])
print([round(v, 4) for v in net.rnn(torch.ones(3), torch.ones(4)).tolist()])
print([round(v, 4) for v in net.lstm(torch.ones(3))[1].tolist()])
print([round(v, 4) for v in own(x, (torch.zeros(2, 4), torch.ones(2, 4)))[0][0].tolist()])
print(isinstance(own, nn.LSTMCell), tuple(net.lstm(torch.ones(3))[0].shape))
