import torch
from torch import nn


def told(net: nn.Module, x):
    print([name for name, _ in net.named_parameters()])
    print([tuple(p.shape) for p in net.parameters()], len(list(net.buffers())))
    with torch.no_grad():
        for place, parameter in enumerate(net.parameters()):
            parameter.copy_(torch.ones_like(parameter) * 0.01 * (place + 1))
    found = net(x)
    found = found[0] if isinstance(found, tuple) else found
    print([round(v, 4) for v in found.flatten().tolist()])


x = torch.ones(2, 1, 2)
told(nn.LSTM(2, 3, 2, bidirectional=True), x)
told(nn.LSTM(2, 3), x)
told(nn.GRU(2, 3, 2), x)
told(nn.GRU(2, 3, bidirectional=True, bias=False), x)
told(nn.RNN(2, 3, 3), x)
told(nn.Sequential(nn.Linear(2, 2), nn.GRU(2, 2, 2, bidirectional=True)), x)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1))
        self.rnn = nn.LSTM(2, 2, 2, batch_first=True)
        self.out = nn.Linear(2, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0]) * self.gain


told(Tagger(), x)
normed = nn.utils.spectral_norm(nn.Linear(2, 2))
print(sorted(name for name, _ in normed.named_parameters()))
print(sorted(name for name, _ in normed.named_buffers()), len(list(normed.parameters())))
print(sorted(normed.state_dict()))
weighted = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
print(len(list(weighted.parameters())), len(list(weighted.buffers())))
norm = nn.BatchNorm1d(2)
state = norm.state_dict()
state["running_mean"] = torch.ones(2) * 5
norm.load_state_dict(state)
print(norm.running_mean.tolist())


class Buffered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))
        self.linear = nn.Linear(2, 2)


kept, other = Buffered(), Buffered()
kept.total.add_(3)
print(other.load_state_dict(kept.state_dict()), other.total.tolist())
