"""The PyTorch models that the tests convert, one row each, and their export to ONNX."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import nn

from msconvert.tests.models import attention, resnet, sequence, vision

Exporter = Literal["torchscript", "dynamo"]
EXPORTERS: tuple[Exporter, ...] = ("torchscript", "dynamo")


@dataclass(frozen=True)
class Input:
    """One model input. `high` makes it int64 below `high`; `dynamic` maps an axis to its name."""

    name: str
    shape: tuple[int, ...]
    high: int | None = None
    dynamic: tuple[tuple[int, str], ...] = ()

    def example(self, seed: int = 0) -> np.ndarray:
        rng = np.random.default_rng(seed)
        if self.high is not None:
            return rng.integers(0, self.high, self.shape)
        return rng.standard_normal(self.shape, np.float32)


@dataclass(frozen=True)
class ModelRow:
    """`tolerance` is relative to the output's maximum; `cause` says why it is what it is."""

    name: str
    build: Callable[[], nn.Module]
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...] = ("logits",)
    tolerance: float = 1e-4
    cause: str = "float32 sums in another order"
    trained: bool = True

    def module(self) -> nn.Module:
        """The module in eval mode, the same weights every time.

        Unless `trained` is false, no two tensors are equal, as after training: exporters merge
        equal ones, and BatchNorm statistics of 0 and 1 would hide what eval mode does.
        """
        with torch.random.fork_rng():
            torch.manual_seed(sum(self.name.encode()))
            module = self.build()
            if self.trained:
                train_a_little(module)
        return module.eval()


def train_a_little(module: nn.Module) -> None:
    """Moves every parameter and statistic a little, in place."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
        for name, buffer in module.named_buffers():
            if name.endswith("running_mean"):
                nn.init.normal_(buffer, std=0.2)
            elif name.endswith("running_var"):
                nn.init.uniform_(buffer, 0.5, 1.5)


BATCH = ((0, "batch"),)
TOKENS = Input("tokens", (2, 11), high=50, dynamic=((0, "batch"), (1, "seq")))

ROWS = (
    ModelRow("resnet18", resnet.resnet18, (Input("image", (1, 3, 32, 32)),)),
    ModelRow("mobilenet", vision.MobileNetV3, (Input("image", (1, 3, 64, 64)),)),
    ModelRow("vgg", vision.VGG, (Input("image", (1, 3, 32, 32)),)),
    ModelRow("vit", attention.ViT, (Input("image", (1, 3, 32, 32)),)),
    ModelRow("encoder", partial(attention.Encoder, True), (Input("x", (1, 10, 64)),), ("y",)),
    ModelRow(
        "encoder_seq_first",
        partial(attention.Encoder, False),
        (Input("x", (10, 2, 64)),),
        ("y",),
        trained=False,
    ),
    ModelRow(
        "encoder_pre_norm",
        partial(attention.Encoder, True, True),
        (Input("x", (2, 10, 64), dynamic=BATCH),),
        ("y",),
    ),
    ModelRow("lstm", sequence.LSTMClassifier, (Input("tokens", (2, 9), high=100),)),
    ModelRow("unet", vision.UNet, (Input("image", (1, 3, 32, 32)),), ("mask",)),
    ModelRow(
        "resnet_dynamic_batch",
        partial(resnet.resnet18, num_classes=10, width=8),
        (Input("image", (2, 3, 32, 32), dynamic=BATCH),),
    ),
    ModelRow("gpt", attention.GPT, (Input("tokens", (2, 12), high=60),)),
    ModelRow("swin", attention.Swin, (Input("image", (1, 3, 32, 32)),)),
    ModelRow("densenet", vision.DenseNet, (Input("image", (1, 3, 16, 16)),)),
    ModelRow("inception", vision.Inception, (Input("image", (1, 3, 21, 21)),), ("probabilities",)),
    ModelRow("efficientnet", vision.EfficientNet, (Input("image", (2, 3, 16, 16), dynamic=BATCH),)),
    ModelRow("generator", vision.Generator, (Input("z", (2, 16)),), ("image",)),
    ModelRow("norms", vision.NormNet, (Input("image", (2, 3, 12, 12)),), ("styled",)),
    ModelRow("gru", sequence.GRUTagger, (TOKENS,), ("tags",)),
    ModelRow("tcn", sequence.TCN, (Input("signal", (2, 4, 20), dynamic=BATCH),), ("next",)),
    ModelRow("shared", sequence.SharedLayer, (Input("x", (2, 12), dynamic=BATCH),), ("y",)),
    ModelRow(
        "two_towers",
        sequence.TwoTowers,
        (Input("image", (2, 3, 8, 8), dynamic=BATCH), Input("features", (2, 6), dynamic=BATCH)),
        ("score", "joint", "best"),
    ),
)

REQUIRED = ROWS[:10]
"""The models that the product promises; the others widen."""


def export(row: ModelRow, exporter: Exporter, folder: Path) -> Path:
    """The row's ONNX file in `folder`, made at the first call, whichever process makes it."""
    path = folder / f"{row.name}_{exporter}.onnx"
    if not path.exists():
        unfinished = path.with_name(f"{os.getpid()}_{path.name}")
        arguments = tuple(torch.from_numpy(i.example()) for i in row.inputs)
        with warnings.catch_warnings():
            silence_exporter()
            if exporter == "dynamo":
                _export_dynamo(row, arguments, unfinished)
            else:
                _export_torchscript(row, arguments, unfinished)
        unfinished.replace(path)
    return path


def _export_torchscript(row: ModelRow, arguments: tuple[torch.Tensor, ...], path: Path) -> None:
    torch.onnx.export(
        row.module(),
        arguments,
        path,
        input_names=[i.name for i in row.inputs],
        output_names=list(row.outputs),
        dynamic_axes={i.name: dict(i.dynamic) for i in row.inputs if i.dynamic},
        opset_version=17,
        dynamo=False,
    )


def _export_dynamo(row: ModelRow, arguments: tuple[torch.Tensor, ...], path: Path) -> None:
    shapes = tuple({axis: torch.export.Dim(name) for axis, name in i.dynamic} for i in row.inputs)
    torch.onnx.export(
        row.module(),
        arguments,
        path,
        input_names=[i.name for i in row.inputs],
        output_names=list(row.outputs),
        dynamic_shapes=shapes if any(shapes) else None,
        dynamo=True,
        external_data=False,
        verbose=False,
    )


EXPORTERS_REMARKS = (
    (DeprecationWarning, "You are using the legacy TorchScript-based ONNX export"),
    (DeprecationWarning, "The feature will be removed. Please remove usage of this function"),
    (FutureWarning, r"`isinstance\(treespec, LeafSpec\)` is deprecated"),
    (FutureWarning, "_check_is_size will be removed in a future PyTorch release"),
    (torch.jit.TracerWarning, "Converting a tensor to a Python (boolean|float)"),
    (UserWarning, "Constant folding - Only steps=1 can be constant folded"),
    (UserWarning, "Exporting a model to ONNX with a batch_size other than 1"),
    (UserWarning, r"The tensor attributes self\.(lstm|gru)\._flat_weights"),
    (UserWarning, "ONNX export mode is set to TrainingMode.EVAL, but operator 'instance_norm'"),
    (UserWarning, "# The axis name: batch will not be used"),
    (UserWarning, "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"),
)
"""What the exporters of PyTorch 2.13 say about themselves; anything else stays an error."""


def silence_exporter() -> None:
    for category, message in EXPORTERS_REMARKS:
        warnings.filterwarnings("ignore", message, category)
