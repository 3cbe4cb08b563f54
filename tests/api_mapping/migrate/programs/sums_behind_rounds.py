import torch
from torch import nn

net = nn.Linear(2, 1)
nn.init.constant_(net.weight, 0.5)
nn.init.zeros_(net.bias)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    loss = (net(torch.ones(3, 2)) - i).pow(2).mean() / 2
    loss.backward()
    opt.step()
for i in range(4):
    loss = (net(torch.ones(3, 2)) - i).pow(2).mean() / 2
    loss.backward()
    if (i + 1) % 2 == 0:
        opt.step()
        opt.zero_grad()
    print(round(net.bias.item(), 5))
print([round(v, 5) for v in net.weight[0].tolist()])
print(len(opt.param_groups))
