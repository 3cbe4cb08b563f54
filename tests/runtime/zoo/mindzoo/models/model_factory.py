"""create_model, and a wrapper that gives the features of stages."""

import logging
import os
from typing import List

import mindspore.nn as nn
from mindspore import Tensor, load_checkpoint, load_param_into_net

from .registry import is_model, model_entrypoint

_logger = logging.getLogger(__name__)

__all__ = ["create_model", "FeatureExtractWrapper"]


class FeatureExtractWrapper(nn.Cell):
    """Outputs of the layers that `feature_info` names, of a network that is a chain."""

    def __init__(self, net: nn.Cell, out_indices: List[int]) -> None:
        super().__init__()
        assert hasattr(net, "feature_info"), "the network has no feature_info"
        self.names = [net.feature_info[i]["name"] for i in out_indices]
        self.last = self.names[-1]
        blocks = []
        self.is_output = []
        for name, cell in net.name_cells().items():
            blocks.append(cell)
            self.is_output.append(name in self.names)
            if name == self.last:
                break
        self.blocks = nn.SequentialCell(blocks)
        self.out_channels = [net.feature_info[i]["chs"] for i in out_indices]

    def construct(self, x: Tensor) -> List[Tensor]:
        out = []
        for i, block in enumerate(self.blocks):
            x = block(x)
            if self.is_output[i]:
                out.append(x)
        return out


def _valid_state(net, state):
    """Drops what has another shape, as a head for other classes has."""
    shapes = {p.name: p.shape for p in net.get_parameters()}
    return {k: v for k, v in state.items() if k in shapes and tuple(v.shape) == tuple(shapes[k])}


def create_model(
    model_name: str,
    num_classes: int = 10,
    pretrained=False,
    in_channels: int = 3,
    checkpoint_path: str = "",
    ema: bool = False,
    features_only: bool = False,
    out_indices: List[int] = [0, 1, 2, 3, 4],
    **kwargs,
):
    if checkpoint_path != "" and pretrained:
        raise ValueError("checkpoint_path is mutually exclusive with pretrained")
    model_args = dict(num_classes=num_classes, pretrained=pretrained, in_channels=in_channels)
    kwargs = {k: v for k, v in kwargs.items() if v is not None}

    if not is_model(model_name):
        raise RuntimeError(f"Unknown model {model_name}")
    create_fn = model_entrypoint(model_name)
    model = create_fn(**model_args, **kwargs)

    if checkpoint_path:
        assert os.path.exists(checkpoint_path)
        params = load_checkpoint(checkpoint_path)
        if ema:
            params = {k[len("ema."):]: v for k, v in params.items() if k.startswith("ema.")}
            for k, v in params.items():
                v.name = k
        not_loaded, _ = load_param_into_net(model, _valid_state(model, params))
        if not_loaded:
            _logger.warning("not loaded: %s", not_loaded)
    if features_only:
        model = FeatureExtractWrapper(model, out_indices)
    return model
