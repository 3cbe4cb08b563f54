import torch
from torch import nn


def filled(cell):
    for i, p in enumerate(cell.parameters()):
        p.data = torch.arange(p.numel(), dtype=torch.float64).add(i).sin().view(p.shape) * 0.5
    return cell


x = torch.arange(6, dtype=torch.float64).view(2, 3) * 0.3 - 0.7


def told(y):
    assert y.dtype == torch.float64
    print([round(v, 5) for v in y.detach().reshape(-1).tolist()])


for bias in (True, False):
    lstm = filled(nn.LSTMCell(3, 4, bias=bias).double())
    h, c = lstm(x)
    h, c = lstm(x * 2, (h, c))
    told(h)
    told(c)
    gru = filled(nn.GRUCell(3, 4, bias=bias).double())
    told(gru(x * 2, gru(x)))
    rnn = filled(nn.RNNCell(3, 4, bias=bias).double())
    told(rnn(x * 2, rnn(x)))
relu = filled(nn.RNNCell(3, 2, nonlinearity="relu").double())
told(relu(x[1]))


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LSTMCell(3, 4)
        self.second = nn.GRUCell(4, 2)

    def forward(self, x):
        h, c = self.first(x)
        h, c = self.first(x, (h, c))
        return self.second(h)


net = filled(Sequence().double())
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    loss = net(x).pow(2).sum()
    loss.backward()
    opt.step()
    print(round(loss.item(), 5))
