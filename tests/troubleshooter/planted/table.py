"""All faults that are planted, and the pairs without one."""

from __future__ import annotations

from dataclasses import replace

from .fault import Fault
from .faults import classifier, encoder, tabular, tagger, unet

ON_RUNTIME: tuple[Fault, ...] = (
    *classifier.FAULTS,
    *encoder.FAULTS,
    *tagger.FAULTS,
    *unet.FAULTS,
    *tabular.FAULTS,
)

ALSO_ON_MINDSPORE = (
    ("classifier", "torch", "epsilon 1e-3 for 1e-5"),
    ("classifier", "torch", "ceil_mode forgotten"),
    ("classifier", "torch", "count_include_pad=False"),
    ("classifier", "torch", "slope 0.2, MindSpore's default, for 0.1"),
    ("classifier", "torch", "running statistics never loaded"),
    ("encoder", "torch", "epsilon 1e-7, MindSpore's default, for 1e-5"),
    ("encoder", "torch", "GELU by tanh, MindSpore's default, for erf"),
    ("encoder", "torch", "softmax over the queries"),
    ("encoder", "torch", "scores not scaled"),
    ("encoder", "torch", "no shortcut around attention"),
    ("encoder", "torch", "square weight transposed"),
    ("tagger", "torch", "batch_first of the GRU forgotten"),
    ("tagger", "torch", "words and letters joined in another order"),
    ("tagger", "torch", "gates of the LSTM in another order: i, f, o, g"),
    ("unet", "torch", "align_corners=False"),
    ("unet", "torch", "twice as many groups"),
    ("unet", "torch", "channels of the kernel exchanged"),
    ("tabular", "torch", "alpha 1, the default, for 0.5"),
    ("tabular", "torch", "another axis"),
    ("tabular", "torch", "halves for GLU exchanged"),
    ("tabular", "torch", "momentum 0.1, PyTorch's, in the place of 0.9"),
    ("encoder", "onnx", "GELU by erf for tanh"),
    ("tagger", "onnx", "SELU for ELU"),
    ("tabular", "onnx", "square weight transposed"),
)
"""The network, the reference, the fault: so many against the real MindSpore, which is slower."""

ON_MINDSPORE = tuple(
    replace(fault, target="mindspore")
    for fault in ON_RUNTIME
    if (fault.network, fault.reference, fault.meaning) in ALSO_ON_MINDSPORE
)
FAULTS = (*ON_RUNTIME, *ON_MINDSPORE)
