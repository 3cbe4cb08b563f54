import torch
from torch import nn


class Sizes(nn.Module):
    def forward(self, seq, mask=None):
        b, n = seq.size()
        if mask is not None:
            seq = seq.masked_fill(mask, 0.0)
        return seq.view(b * n) + n


class Parts(nn.Module):
    def forward(self, x):
        y = x[:, 0:1].repeat(1, 4)
        return y + x[:, :1].std()


class Reduced(nn.Module):
    def forward(self, x, y):
        values = x.max(1)[0]
        return values.std() + y.std() + sum(x.tolist()[0])


class Pair(nn.Module):
    def forward(self, features):
        a, b = features
        return a.repeat(2, 1).std() + b.size(0) + features[0].size()[1]


class Named(nn.Module):
    def forward(self, batch):
        x = batch["image"]
        return x.std() + x.size()[0] + batch["mask"].repeat(2).std()


class Rest(nn.Module):
    def forward(self, x, *rest):
        sizes = [r.std() * r.size(0) for r in rest]
        return x.repeat(2, 1) + sum(sizes)


class Helped(nn.Module):
    def spread(self, x, times):
        return x.repeat(1, times).std()

    def forward(self, x):
        return self.spread(x, 3)


def told(value):
    print([round(v, 4) for v in value.flatten().tolist()])


a = torch.arange(6.0).view(2, 3)
b = torch.ones(2, 3) + a * a
cases = [
    (Sizes(), (a,)),
    (Sizes(), (a, b > 3)),
    (Parts(), (a,)),
    (Reduced(), (a, b)),
    (Pair(), ((a, b),)),
    (Named(), ({"image": a, "mask": b.flatten()},)),
    (Rest(), (a, b, b)),
    (Helped(), (b,)),
]
for net, given in cases:
    told(net(*given))


def hook(module, inputs, output):
    print(tuple(inputs[0].size()), output.size(0), round(output.std().item(), 4))


def twice(module, inputs):
    return (inputs[0].repeat(1, 2),)


layer = nn.ReLU()
layer.register_forward_hook(hook)
layer.register_forward_hook(lambda m, i, o: print(tuple(i[0].size()), o.size(1)))
layer(a)
layer.register_forward_pre_hook(twice)
layer(a)


def watch(net):
    net.register_forward_hook(hook)
    print(len(list(net.named_parameters())))
    for _, module in net.named_modules():
        if isinstance(module, nn.Linear):
            print(tuple(module.weight.size()))


for made in [nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 1), nn.ReLU())]:
    watch(made)
