"""What is an instance of Adam and of AdamW: PyTorch's AdamW is derived from Adam."""

import torch
from torch import nn

net = nn.Linear(2, 1)


class Own(torch.optim.Adam):
    pass


class Decoupled(torch.optim.AdamW):
    pass


adam = torch.optim.Adam(net.parameters())
adamw = torch.optim.AdamW(net.parameters())
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
own, decoupled = Own(net.parameters()), Decoupled(net.parameters())
for optimizer in (adam, adamw, sgd, own, decoupled):
    print(isinstance(optimizer, torch.optim.Adam), isinstance(optimizer, torch.optim.AdamW))
print(isinstance(adam, Own), isinstance(adamw, Own), isinstance(own, Own))
print(isinstance(adam, (torch.optim.SGD, torch.optim.AdamW)))
