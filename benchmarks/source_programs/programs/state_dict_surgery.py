"""Loading of other people's checkpoints: prefixes, renamed keys, inflated kernels, resized tables, averages."""
import os
import re
import tempfile
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class Stem(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        self.conv = nn.Conv2d(channels, 4, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(4)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class Classifier(nn.Module):
    def __init__(self, channels=3, positions=4, classes=5):
        super().__init__()
        self.stem = Stem(channels)
        self.pos_embed = nn.Parameter(torch.zeros(1, positions * positions, 4))
        self.head = nn.Linear(4, classes)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2) + self.pos_embed
        return self.head(x.mean(1))


def numbered(model, start=0.0):
    out = OrderedDict()
    for k, v in model.state_dict().items():
        if v.is_floating_point():
            v = torch.sin(torch.arange(v.numel()).float() * 0.3 + start).view_as(v) * 0.5
            if "var" in k:
                v = v.abs() + 0.5
        out[k] = v
        start += 1
    return out


def rename(state):
    rules = [(r"^module\.", ""), (r"^backbone\.conv1", "stem.conv"), (r"^backbone\.norm1", "stem.bn"), (r"^fc\.", "head.")]
    fixed = OrderedDict()
    for key, value in state.items():
        for pattern, repl in rules:
            key = re.sub(pattern, repl, key)
        fixed[key] = value
    return fixed


def adapt_input_conv(weight, channels):
    if channels == 1:
        return weight.sum(dim=1, keepdim=True)
    repeated = weight.repeat(1, -(-channels // 3), 1, 1)[:, :channels]
    return repeated * (3 / float(channels))


def resize_pos_embed(pos, new):
    old = int(pos.shape[1] ** 0.5)
    grid = pos.reshape(1, old, old, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=(new, new), mode="bicubic", align_corners=False)
    return grid.permute(0, 2, 3, 1).reshape(1, new * new, -1)


def load_partial(model, state):
    own = model.state_dict()
    kept = {k: v for k, v in state.items() if k in own and v.shape == own[k].shape}
    dropped = sorted(set(state) - set(kept))
    missing, unexpected = model.load_state_dict(kept, strict=False)
    return len(kept), dropped, sorted(missing), list(unexpected)


def average(paths):
    total, n = None, len(paths)
    for path in paths:
        state = torch.load(path, map_location=lambda storage, loc: storage)["model"]
        if total is None:
            total = {k: v.clone() for k, v in state.items()}
        else:
            for k in total:
                total[k] += state[k]
    return {k: v / n if v.is_floating_point() else v // n for k, v in total.items()}


source = Classifier()
reference = numbered(source)
source.load_state_dict(reference)
source.eval()
x = torch.cos(torch.arange(96).float()).view(2, 3, 4, 4)
want = source(x)
print(want.sum().item(), len(reference))
foreign = OrderedDict()
for k, v in reference.items():
    k = k.replace("stem.conv", "backbone.conv1").replace("stem.bn", "backbone.norm1").replace("head", "fc")
    foreign["module." + k] = v
with torch.no_grad():
    target = Classifier()
    result = target.load_state_dict(rename(foreign))
    target.eval()
    print(len(result.missing_keys), torch.allclose(target(x), want, atol=1e-6))
    gray = Classifier(channels=1, positions=6, classes=7)
    state = rename(foreign)
    state["stem.conv.weight"] = adapt_input_conv(state["stem.conv.weight"], 1)
    state["pos_embed"] = resize_pos_embed(state["pos_embed"], 6)
    print(load_partial(gray, state))
    gray.head.weight.zero_()
    gray.head.weight[:5] = state["head.weight"]
    gray.head.bias.fill_(0.1)
    gray.eval()
    print([round(v, 4) for v in gray(torch.ones(1, 1, 6, 6))[0].tolist()])
    five = adapt_input_conv(reference["stem.conv.weight"], 5)
    print(tuple(five.shape), round(five.sum().item(), 4))
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"epoch{i}.pth") for i in range(3)]
        for i, path in enumerate(paths):
            torch.save({"model": numbered(source, float(i)), "epoch": i}, path)
        soup = average(paths)
        target.load_state_dict(soup)
        print(round(target(x).sum().item(), 4), sorted(os.listdir(folder)))
    try:
        target.load_state_dict({k: v for k, v in reference.items() if "head" not in k})
    except RuntimeError as error:
        print("refused", "head.weight" in str(error))
    frozen = 0
    for name, p in target.named_parameters():
        p.requires_grad = name.startswith("head")
        frozen += 0 if p.requires_grad else p.numel()
    print(frozen, [n for n, p in target.named_parameters() if p.requires_grad])
