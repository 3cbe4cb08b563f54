import torch
from torch import nn

net = nn.Linear(2, 1)
nn.init.constant_(net.weight, 0.5)
nn.init.zeros_(net.bias)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    loss = (net(torch.ones(3, 2)) - i).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()  # one line
    print(i, round(loss.item(), 4))
for i in range(2):
    opt.zero_grad()
    (net(torch.ones(3, 2)) - i).pow(2).mean().backward()
    opt.step()
print([round(v, 5) for v in net.weight[0].tolist()])


def step(x, y):
    opt.zero_grad()
    out = net(x)
    loss = (out - y).abs().sum()
    loss.backward()
    opt.step()
    return loss.item()


print(round(step(torch.ones(2, 2), 1.0), 4))
opt.zero_grad()
for i in range(4):
    loss = (net(torch.ones(3, 2)) - i).pow(2).mean() / 2
    loss.backward()
    if (i + 1) % 2 == 0:
        opt.step()
        opt.zero_grad()
print(round(net.bias.item(), 5), "ä")
s = "a; b"
print(s, torch.cat([net.bias, net.bias], dim=0).shape[0])
if True:
    for x in [torch.ones(1, 2)]:
        opt.zero_grad()
        l = net(x).sum()
        l.backward()
        opt.step()
        print(round(l.item(), 4))
for i in range(3):
    loss = (net(torch.ones(3, 2)) - i).pow(2).mean()
    opt.zero_grad(), loss.backward(), opt.step()  # with commas
    print(i, round(loss.item(), 4))
torch.set_printoptions(precision=2), torch.set_float32_matmul_precision("highest")
torch.autograd.set_detect_anomaly(True)
for i in range(2):
    loss = net(torch.ones(3, 2)).pow(2).sum()
    opt.zero_grad(), loss.backward(), opt.step()
print(round(loss.item(), 4))
