import torch
from torch import nn


class Features:
    def __init__(self, model):
        self.kept = {}
        for name, module in model.named_modules():
            module.register_forward_hook(self.make(name))

    def make(self, name):
        def hook(module, inputs, output):
            self.kept[name] = output.detach().mean().item()

        return hook


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 2, 1), nn.BatchNorm1d(2))
        self.line = nn.Linear(3, 4)
        self.drop = nn.Dropout(0.5)
        for parameter in self.parameters():
            nn.init.constant_(parameter, 0.5)

    def forward(self, x):
        if self.training:
            return [self.line(x), x]
        return self.line(x) * torch.arange(4.0)


def freeze(m):
    if isinstance(m, nn.modules.batchnorm._BatchNorm):
        m.eval()


def fix(m):
    if isinstance(m, torch.nn.modules.conv._ConvNd):
        m.weight.requires_grad_(False)


def silence(m):
    if isinstance(m, (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._NormBase)):
        m.eval()


net = Heads()
net.train()
net.apply(freeze)
net.apply(fix)
print(net.conv[1].training, net.drop.training, net.conv[0].weight.requires_grad)
net.apply(silence)
print(net.drop.training, isinstance(net.line, nn.modules.conv._ConvTransposeNd), net.training)
features = Features(net)
net.eval()
with torch.no_grad():
    pred = net(torch.ones(2, 3)).T.T
print(pred[:, 1:].max(1).values.tolist(), pred[:, :2].sort(descending=True).indices.tolist())
print(pred.max(1, keepdim=True)[0].tolist(), features.kept)
thing = [net(torch.ones(1, 3))][0][0]
print(thing.contiguous().unsqueeze(0).sum().item(), thing.detach().cpu().numpy().tolist())
print(thing.topk(2).indices.tolist(), thing.new_zeros(2).tolist())


def make(kind):
    parts = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    return {"a": parts, "b": nn.ModuleDict({"e": nn.Embedding(5, 3)})}[kind]


def load(kind):
    return globals()["make"](kind)


class Config:
    in_features = 5

    def __init__(self):
        self.inner = self


class Wrap(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.head = nn.Linear(self.base[-1].out_features, 2)


config = Config()
print(load("a")[0].in_features, load("a")[-1].out_features, config.inner.in_features)
print(load("b")["e"].num_embeddings, Wrap(load("a")).head.in_features)
