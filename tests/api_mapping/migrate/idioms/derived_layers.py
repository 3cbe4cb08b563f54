import torch
import torch.nn as nn
import torch.nn.functional as F
class WSConv2d(nn.Conv2d):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True):
        super(WSConv2d, self).__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        self.gain = nn.Parameter(torch.ones(self.out_channels, 1, 1, 1))
    def forward(self, x):
        weight = self.weight
        weight_mean = weight.mean(dim=1, keepdim=True).mean(dim=2, keepdim=True).mean(dim=3, keepdim=True)
        weight = weight - weight_mean
        std = weight.view(weight.size(0), -1).std(dim=1).view(-1, 1, 1, 1) + 1e-5
        weight = weight / std.expand_as(weight)
        return F.conv2d(x, weight * self.gain, self.bias, self.stride, self.padding, self.dilation, self.groups)
class MaskedConv2d(nn.Conv2d):
    def __init__(self, mask_type, *args, **kwargs):
        super().__init__(*args, **kwargs)
        assert mask_type in ("A", "B")
        self.register_buffer("mask", self.weight.data.clone())
        _, _, kH, kW = self.weight.size()
        self.mask.fill_(1)
        self.mask[:, :, kH // 2, kW // 2 + (mask_type == "B"):] = 0
        self.mask[:, :, kH // 2 + 1:] = 0
    def forward(self, x):
        self.weight.data *= self.mask
        return super(MaskedConv2d, self).forward(x)
class MaskedLinear(nn.Linear):
    def __init__(self, n_in, n_out, bias=True):
        super().__init__(n_in, n_out, bias)
        self.register_buffer("mask", torch.ones(n_out, n_in))
    def set_mask(self, mask):
        self.mask.data.copy_(mask.t())
    def forward(self, x):
        return F.linear(x, self.mask * self.weight, self.bias)
class _Transition(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__()
        self.norm = nn.BatchNorm2d(cin)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(cin, cout, kernel_size=1, stride=1, bias=False)
        self.pool = nn.AvgPool2d(kernel_size=2, stride=2)
class _Block(nn.ModuleDict):
    def __init__(self, n, cin, growth):
        super().__init__()
        for i in range(n):
            self.add_module("layer%d" % (i + 1), nn.Conv2d(cin + i * growth, growth, 3, padding=1))
    def forward(self, x):
        feats = [x]
        for name, layer in self.items():
            feats.append(layer(torch.cat(feats, 1)))
        return torch.cat(feats, 1)
class FrozenBatchNorm2d(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("weight", torch.ones(n))
        self.register_buffer("bias", torch.zeros(n))
        self.register_buffer("running_mean", torch.zeros(n))
        self.register_buffer("running_var", torch.ones(n))
    def forward(self, x):
        w = self.weight.reshape(1, -1, 1, 1)
        b = self.bias.reshape(1, -1, 1, 1)
        rv = self.running_var.reshape(1, -1, 1, 1)
        rm = self.running_mean.reshape(1, -1, 1, 1)
        scale = w * (rv + 1e-5).rsqrt()
        return x * scale + (b - rm * scale)
class ConditionalNorm(nn.BatchNorm2d):
    def __init__(self, n, k):
        super().__init__(n, affine=False, eps=1e-4, momentum=0.3)
        self.scale = nn.Embedding(k, n)
        self.scale.weight.data.normal_(1, 0.02)
    def forward(self, x):
        out = super().forward(x)
        return out * self.scale.weight[0].view(-1, self.num_features, 1, 1)
class L2Norm(nn.Module):
    def __init__(self, n, scale):
        super(L2Norm, self).__init__()
        self.eps = 1e-10
        self.weight = nn.Parameter(torch.Tensor(n))
        nn.init.constant_(self.weight, scale)
    def forward(self, x):
        norm = x.pow(2).sum(dim=1, keepdim=True).sqrt() + self.eps
        x = torch.div(x, norm)
        return self.weight.unsqueeze(0).unsqueeze(2).unsqueeze(3).expand_as(x) * x
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = WSConv2d(3, 4, 3, padding=1)
        self.b = MaskedConv2d("B", 4, 4, 3, padding=1)
        self.t = _Transition(4, 4)
        self.blk = _Block(2, 4, 2)
        self.f = FrozenBatchNorm2d(8)
        self.c = ConditionalNorm(8, 2)
        self.l = L2Norm(8, 20)
        self.fc = MaskedLinear(8, 3)
        self.fc.set_mask(torch.tril(torch.ones(8, 3)))
    def forward(self, x):
        x = self.blk(self.t(self.b(self.a(x))))
        x = self.l(self.c(self.f(x)))
        return self.fc(x.mean((2, 3)))
SHAPES = [(2, 3, 6, 6)]
TRAIN = True
def check(net: Net):
    net.eval()
    for m in net.modules():
        if isinstance(m, (nn.BatchNorm2d, nn.Embedding)):
            for p in m.parameters():
                p.requires_grad = False
        if isinstance(m, nn.Conv2d) and m.bias is not None:
            m.bias.data[:] = 0
    return [net(torch.ones(1, 3, 6, 6)), net.c.running_mean, [n for n, p in net.named_parameters() if p.requires_grad], net.a.bias]
