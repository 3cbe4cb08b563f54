import math
import os
from typing import List

import mindspore.common.initializer as init
from mindspore import Tensor, load_checkpoint, load_param_into_net, nn, ops

from .layers import DropPath, GlobalAvgPooling, LayerScale, SqueezeExcite
from .registry import is_model, model_entrypoint, register_model

__all__ = ["TinyNet"]


def _cfg(url="", **kwargs):
    return {
        "url": url,
        "num_classes": 1000,
        "dataset_transform": {"transforms_imagenet_eval": {"image_resize": 256, "crop_pct": 0.875}},
        "first_conv": "stem.0",
        "classifier": "classifier",
        **kwargs,
    }


default_cfgs = {"tinynet_s": _cfg(url=""), "tinynet_m": _cfg(url="")}


class ConvNorm(nn.SequentialCell):
    def __init__(self, in_chs, out_chs, k=3, s=1, groups=1, act=True):
        layers = [
            nn.Conv2d(in_chs, out_chs, k, stride=s, pad_mode="pad", padding=k // 2, group=groups, has_bias=False),
            nn.BatchNorm2d(out_chs, momentum=0.9),
        ]
        if act:
            layers.append(nn.HSwish())
        super().__init__(layers)


class Block(nn.Cell):
    def __init__(self, in_chs, out_chs, stride=1, expand=2, se=True, drop_path=0.0, layer_scale=0.0):
        super().__init__()
        mid = in_chs * expand
        self.use_res = stride == 1 and in_chs == out_chs
        self.expand = ConvNorm(in_chs, mid, 1)
        self.dw = ConvNorm(mid, mid, 3, stride, groups=mid)
        self.se = SqueezeExcite(mid, rd_ratio=0.25) if se else nn.Identity()
        self.project = ConvNorm(mid, out_chs, 1, act=False)
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
        self.scale = LayerScale(out_chs, layer_scale) if layer_scale else nn.Identity()

    def construct(self, x: Tensor) -> Tensor:
        shortcut = x
        x = self.project(self.se(self.dw(self.expand(x))))
        if self.use_res:
            x = ops.add(shortcut, self.drop_path(self.scale(x)))
        return x


class TinyNet(nn.Cell):
    def __init__(self, channels: List[int], depths: List[int], num_classes: int = 1000, in_channels: int = 3,
                 drop_rate: float = 0.0, drop_path_rate: float = 0.0):
        super().__init__()
        self.stem = ConvNorm(in_channels, channels[0], 3, 2)
        dpr = [x.item() for x in ops.linspace(Tensor(0.0), Tensor(float(drop_path_rate)), sum(depths)).asnumpy()]
        blocks, in_chs, cur = [], channels[0], 0
        for out_chs, depth in zip(channels[1:], depths):
            for i in range(depth):
                blocks.append(Block(in_chs, out_chs, 2 if i == 0 else 1, drop_path=dpr[cur], layer_scale=0.5))
                in_chs = out_chs
                cur += 1
        self.features = nn.SequentialCell(blocks)
        self.pool = GlobalAvgPooling()
        self.dropout = nn.Dropout(p=drop_rate)
        self.classifier = nn.Dense(in_chs, num_classes)
        self._initialize_weights()

    def _initialize_weights(self) -> None:
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                n = cell.kernel_size[0] * cell.kernel_size[1] * cell.out_channels
                cell.weight.set_data(
                    init.initializer(init.Normal(sigma=math.sqrt(2.0 / n), mean=0.0),
                                     cell.weight.shape, cell.weight.dtype))
                if cell.bias is not None:
                    cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))
            elif isinstance(cell, nn.BatchNorm2d):
                cell.gamma.set_data(init.initializer("ones", cell.gamma.shape, cell.gamma.dtype))
                cell.beta.set_data(init.initializer("zeros", cell.beta.shape, cell.beta.dtype))
            elif isinstance(cell, nn.Dense):
                cell.weight.set_data(
                    init.initializer(init.TruncatedNormal(sigma=0.02), cell.weight.shape, cell.weight.dtype))
                if cell.bias is not None:
                    cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))

    def forward_features(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = self.features(x)
        return x

    def forward_head(self, x: Tensor) -> Tensor:
        x = self.pool(x)
        x = self.dropout(x)
        x = self.classifier(x)
        return x

    def construct(self, x: Tensor) -> Tensor:
        x = self.forward_features(x)
        x = self.forward_head(x)
        return x


@register_model
def tinynet_s(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs) -> TinyNet:
    return TinyNet([8, 12, 16], [1, 2], num_classes=num_classes, in_channels=in_channels, **kwargs)


@register_model
def tinynet_m(pretrained: bool = False, num_classes: int = 1000, in_channels=3, **kwargs) -> TinyNet:
    return TinyNet([8, 16, 24], [2, 2], num_classes=num_classes, in_channels=in_channels, **kwargs)


def create_model(model_name: str, num_classes: int = 1000, pretrained=False, in_channels: int = 3,
                 checkpoint_path: str = "", ema: bool = False, auto_mapping: bool = False, **kwargs):
    if checkpoint_path != "" and pretrained:
        raise ValueError("checkpoint_path is mutually exclusive with pretrained")
    model_args = dict(num_classes=num_classes, pretrained=pretrained, in_channels=in_channels)
    kwargs = {k: v for k, v in kwargs.items() if v is not None}

    if not is_model(model_name):
        raise RuntimeError(f"Unknown model {model_name}")

    create_fn = model_entrypoint(model_name)
    model = create_fn(**model_args, **kwargs)

    if checkpoint_path:
        load_model_checkpoint(model, checkpoint_path, ema, auto_mapping)
    return model


def load_model_checkpoint(model, checkpoint_path="", ema=False, auto_mapping=False):
    if not os.path.exists(checkpoint_path):
        raise ValueError(f"Failed to load checkpoint. Checkpoint path: {checkpoint_path} not exist.")
    checkpoint_param = load_checkpoint(checkpoint_path)
    if ema:
        ema_weights = {}
        for key in checkpoint_param:
            if key.startswith("ema"):
                new_name = key.split("ema.")[1]
                checkpoint_param[key].name = new_name
                ema_weights[new_name] = checkpoint_param[key]
        load_param_into_net(model, ema_weights)
    else:
        load_param_into_net(model, checkpoint_param)
