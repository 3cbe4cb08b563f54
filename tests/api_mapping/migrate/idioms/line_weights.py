import torch
import torch.nn as nn
def fill_(w, value):
    with torch.no_grad():
        return w.fill_(value)
def init_weights(m):
    if isinstance(m, (nn.Conv1d, nn.Linear)):
        m.weight.data.fill_(0.5)
        m.bias.data.zero_()
    elif isinstance(m, nn.ConvTranspose1d):
        nn.init.constant_(m.weight, 0.1)
        m.bias.data.fill_(0.2)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 3, 3, padding=1)
        self.up = nn.ConvTranspose1d(3, 2, 3)
        self.head = nn.Sequential(nn.Conv1d(2, 2, 1), nn.Linear(7, 2))
    def init_weights(self):
        self.conv.weight.data.normal_(0, 0.01)
    def forward(self, x):
        return self.head(self.up(self.conv(x))[..., :7])
SHAPES = [(1, 2, 7)]
def seen(net: Net):
    return [net.conv.weight * 1, net.up.weight * 1]
def check(net: Net):
    out = []
    net.conv.weight.data.fill_(0.25)
    out += seen(net)
    net.conv.weight.data[0] = 2.0
    net.conv.weight.data[:, 0] = torch.arange(9.0).view(3, 3)
    out += seen(net)
    with torch.no_grad():
        net.conv.weight.mul_(2.0).add_(1)
        net.conv.weight[1, 0] = 3.0
        net.conv.weight[:, :, 0] += 0.5
        net.conv.weight[net.conv.weight > 4] = 4
        out += seen(net)
        net.conv.weight.copy_(torch.arange(18.0).view(3, 2, 3))
        net.conv.weight[2].fill_(7)
        net.conv.weight[0, 1].copy_(torch.ones(3))
        out += seen(net)
        net.up.weight.data.clamp_(-0.1, 0.1)
        net.up.weight.data.copy_(torch.arange(18.0).view(3, 2, 3) / 2)
        net.up.weight.data += 1
        net.up.weight.data *= torch.tensor([1.0, 2.0, 3.0])
    out += seen(net)
    net.up.weight.data = net.up.weight.data - 2
    out += seen(net)
    for m in net.modules():
        if isinstance(m, nn.Conv1d):
            m.weight.data.mul_(0.5)
            m.weight.data[:, :1] = 0
    out += seen(net)
    fill_(net.conv.weight, 3.0)
    out += seen(net)
    net.head.apply(init_weights)
    net.up.apply(init_weights)
    out += seen(net) + [net.head[0].weight.abs().sum(), net.head[1].weight * 1]
    net.conv.weight.requires_grad = False
    out.append([p.requires_grad for p in net.parameters()])
    net.conv.weight.requires_grad_(True)
    out.append([p.requires_grad for p in net.parameters()])
    for p in [net.conv.weight, net.conv.bias]:
        p.requires_grad_(False)
        p.data.mul_(2)
    out.append([p.requires_grad for p in net.parameters()])
    before = net.conv.weight.clone()
    net.init_weights()
    out.append(bool((before == net.conv.weight).any()))
    return out + [net.conv.weight.shape == (3, 2, 3), net.conv.weight.size(-1), net.conv.weight.dim()]
