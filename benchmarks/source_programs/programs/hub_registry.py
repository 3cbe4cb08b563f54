"""A model zoo with a registry and hub-like entry points: decorators, configs, cached files, fine-tuning."""
import functools
import os
import tempfile
from typing import Any, Callable, Dict

import torch
import torch.nn as nn

dependencies = ["torch"]
_REGISTRY: Dict[str, Callable[..., nn.Module]] = {}
CFGS = {"tiny": dict(width=4, depth=1), "small": dict(width=8, depth=2)}


def register_model(fn):
    _REGISTRY[fn.__name__] = fn

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def list_models(prefix=""):
    return sorted(name for name in _REGISTRY if name.startswith(prefix))


class SqueezeExcite(nn.Module):
    def __init__(self, c, ratio=0.5):
        super().__init__()
        self.fc = nn.Sequential(nn.Conv2d(c, int(c * ratio), 1), nn.Hardswish(), nn.Conv2d(int(c * ratio), c, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.fc(x.mean((2, 3), keepdim=True))


class MBConv(nn.Module):
    def __init__(self, inp, out, expand=2, norm_layer=nn.BatchNorm2d, act_layer: Callable[..., nn.Module] = nn.SiLU):
        super().__init__()
        mid = inp * expand
        self.body = nn.Sequential(
            nn.Conv2d(inp, mid, 1, bias=False), norm_layer(mid), act_layer(),
            nn.Conv2d(mid, mid, 3, padding=1, groups=mid, bias=False), norm_layer(mid), act_layer(),
            SqueezeExcite(mid), nn.Conv2d(mid, out, 1, bias=False), norm_layer(out))
        self.use_res = inp == out

    def forward(self, x):
        return x + self.body(x) if self.use_res else self.body(x)


class MobileNet(nn.Module):
    def __init__(self, width=4, depth=1, num_classes=3, norm_layer=None, drop=0.0):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        self.stem = nn.Conv2d(1, width, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(*(MBConv(width, width, norm_layer=norm_layer) for _ in range(depth)))
        self.drop = nn.Dropout(p=drop)
        self.classifier = nn.Linear(width, num_classes)
        self.num_features = width

    def forward_features(self, x):
        return self.blocks(self.stem(x)).mean([-2, -1])

    def forward(self, x):
        return self.classifier(self.drop(self.forward_features(x)))

    def reset_classifier(self, num_classes):
        self.classifier = nn.Linear(self.num_features, num_classes) if num_classes > 0 else nn.Identity()


def _create(variant: str, weights: str = None, progress: bool = True, **kwargs: Any) -> MobileNet:
    config = {**CFGS[variant], **kwargs}
    model = MobileNet(**config)
    if weights:
        model.load_state_dict(torch.load(weights, map_location="cpu"))
    return model


@register_model
def mobile_tiny(weights=None, **kwargs):
    return _create("tiny", weights, **kwargs)


@register_model
def mobile_small(weights=None, **kwargs):
    kwargs.setdefault("norm_layer", functools.partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01))
    return _create("small", weights, **kwargs)


def create_model(name, **kwargs):
    if name not in _REGISTRY:
        raise KeyError(f"unknown model {name}, have {list_models()}")
    return _REGISTRY[name](**kwargs)


def wave_init(model):
    for i, m in enumerate(model.modules()):
        if isinstance(m, (nn.Conv2d, nn.Linear)):
            m.weight.data = torch.sin(torch.arange(m.weight.numel()).float() * 0.77 + i).view(m.weight.shape) * 0.4
            if m.bias is not None:
                m.bias.data.zero_()


print(list_models(), list_models("mobile_s"), mobile_tiny.__name__)
images = torch.cos(torch.arange(6 * 36).float() * 0.21).view(6, 1, 6, 6)
with tempfile.TemporaryDirectory() as cache:
    for name in list_models():
        model = create_model(name)
        wave_init(model)
        path = os.path.join(cache, name + ".pth")
        torch.save(model.state_dict(), path)
        again = create_model(name, weights=path).eval()
        with torch.no_grad():
            print(name, sum(p.numel() for p in again.parameters()), round(again(images).sum().item(), 4))
    tuned = create_model("mobile_small", weights=os.path.join(cache, "mobile_small.pth"))
bn = next(m for m in tuned.modules() if isinstance(m, nn.BatchNorm2d))
print(bn.eps, bn.momentum)
tuned.reset_classifier(2)
nn.init.constant_(tuned.classifier.weight, 0.05)
nn.init.constant_(tuned.classifier.bias, 0.0)
tuned.requires_grad_(False)
tuned.classifier.requires_grad_(True)
for module in tuned.blocks[-1].modules():
    for p in module.parameters(recurse=False):
        p.requires_grad_(True)
trainable = filter(lambda p: p.requires_grad, tuned.parameters())
optimizer = torch.optim.Adam(trainable, lr=0.02)
labels = torch.tensor([0, 1, 0, 1, 1, 0])
tuned.train()
for step in range(4):
    loss = nn.functional.cross_entropy(tuned(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, "%.4f" % loss)
tuned.eval()
tuned.reset_classifier(0)
with torch.no_grad():
    print(tuple(tuned(images).shape), round(tuned(images).abs().mean().item(), 4))
try:
    create_model("mobile_huge")
except KeyError as error:
    print("unknown" in str(error))
