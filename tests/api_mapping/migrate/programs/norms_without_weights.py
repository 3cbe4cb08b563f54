import torch
import torch.nn as nn

net = nn.Sequential(
    nn.Conv2d(1, 2, 1),
    nn.InstanceNorm2d(2),
    nn.GroupNorm(1, 2, affine=False),
    nn.LayerNorm(2, elementwise_affine=False),
    nn.Conv2d(2, 1, 1),
)
for i, p in enumerate(net.parameters()):
    p.data = 0.3 * torch.sin(torch.arange(p.numel()).float() + i).view(p.shape)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
x = torch.cos(torch.arange(8.0)).view(2, 1, 2, 2)
for i in range(4):
    loss = (net(x) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(round(loss.item(), 5))
print(
    len(list(net.parameters())),
    sum(p.numel() for p in net.parameters()),
    list(net.state_dict()),
    [n for n, _ in net.named_parameters()],
)

net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3, affine=False), nn.Linear(3, 1))
for i, p in enumerate(net[0].parameters()):
    p.data = 0.3 * torch.sin(torch.arange(p.numel()).float() + i).view(p.shape)
for i, p in enumerate(net[2].parameters()):
    p.data = 0.3 * torch.sin(torch.arange(p.numel()).float() + i).view(p.shape)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
x = torch.cos(torch.arange(8.0)).view(4, 2)
for i in range(4):
    loss = (net(x) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(round(loss.item(), 5))


again = nn.Sequential(nn.Conv2d(1, 2, 1), nn.InstanceNorm2d(2))
other = nn.Sequential(nn.Conv2d(1, 2, 1), nn.InstanceNorm2d(2))
for p in again.parameters():
    nn.init.constant_(p, 0.5)
print(other.load_state_dict(again.state_dict()), sorted(again.state_dict(prefix="a.")))
print([round(p.sum().item(), 2) for p in other.parameters()])
