import torch
from torch import nn

x = torch.tensor([[1.0, 2.0]])


def made():
    net = nn.Linear(2, 1)
    with torch.no_grad():
        net.weight.fill_(0.2)
        net.bias.zero_()
    return net, torch.optim.SGD(net.parameters(), lr=0.05)


net, opt = made()
for i in range(4):
    loss = (net(x) - 1).pow(2).sum()
    if i % 2 == 0:
        opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, [round(v, 4) for v in net.weight.flatten().tolist()])

net, opt = made()
for i in range(6):
    loss = (net(x) - 1).pow(2).sum() / 2
    if i % 3 == 0:
        print("anew", round(loss.item(), 4))
        opt.zero_grad()
    loss.backward()
    if i % 3 == 2:
        opt.step()
    print(i, round(loss.item(), 4), [round(v, 4) for v in net.weight.flatten().tolist()])
