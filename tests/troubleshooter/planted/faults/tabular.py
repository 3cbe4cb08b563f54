"""What goes wrong in a network of embeddings and dense layers."""

from __future__ import annotations

import numpy as np

from ..fault import (
    CODE,
    Row,
    changed,
    edit,
    exchanged,
    faults,
    filled,
    forgotten,
    parts_in_order,
    quantised,
    transposed,
)

SCRIPT: tuple[Row, ...] = (
    (
        *("bn", "epsilon", "epsilon 1e-3 for 1e-5"),
        edit("nn.BatchNorm1d(numbers)", "nn.BatchNorm1d(numbers, eps=1e-3)"),
    ),
    (
        *("softplus", "another-activation", "ReLU for Softplus"),
        edit("compat.Softplus()", "nn.ReLU()"),
    ),
    (*("act", "another-activation", "ELU for SELU"), edit("compat.SELU()", "nn.ELU()")),
    (*("tower.2", "alpha", "alpha 1, the default, for 0.5"), edit("(alpha=0.5)", "()")),
    (*("tower.4", "another-activation", "SiLU for Mish"), edit("compat.Mish()", "nn.SiLU()")),
    (
        *("norm", "epsilon", "epsilon 1e-7, MindSpore's default, for 1e-5"),
        edit("nn.LayerNorm((width,), epsilon=1e-05)", "nn.LayerNorm((width,))"),
    ),
    (*("glu", "glu-axis", "another axis"), edit("nn.GLU(axis=1)", "nn.GLU(axis=0)")),
    (
        *("fc2", "parameters:there is no bias", "a bias that the original lacks"),
        edit("nn.Dense(width, width, has_bias=False)", "nn.Dense(width, width)"),
    ),
    (
        *("", CODE, "normalised over the batch"),
        edit("compat.normalize(u, dim=1)", "compat.normalize(u, dim=0)"),
    ),
    (
        *("", CODE, "no sigmoid: logits"),
        edit("ops.sigmoid(self.out(x))", "self.out(x)"),
    ),
    (*("", CODE, "not squeezed"), edit(".squeeze(1)", "")),
    (
        *("", CODE, "another column of categories"),
        edit("self.places(ids[:, 2])", "self.places(ids[:, 1])"),
    ),
    (
        *("", CODE, "no shortcut"),
        edit("x = x + self.tower(self.drop(x))", "x = self.tower(self.drop(x))"),
    ),
    (
        *("", "dropout", "dropout by the function, active in evaluation"),
        edit("self.tower(self.drop(x))", "self.tower(ops.dropout(x, 0.5))"),
    ),
)

CHECKPOINT: tuple[Row, ...] = (
    (*("bn", "parameters:never loaded", "running statistics never loaded"), forgotten("bn")),
    (
        *("bn", "parameters:the reference's running_var", "mean and variance exchanged"),
        exchanged("bn.moving_mean", "bn.moving_variance"),
    ),
    (
        *("fc2", "parameters:transposed", "square weight transposed"),
        changed(transposed, "fc2.weight"),
    ),
    (*("tower.0", "parameters:bias", "bias never loaded"), changed(filled(0), "tower.0.bias")),
    (
        *("users", "parameters:rows in another order", "categories in another order"),
        changed(lambda x: x[np.argsort(np.sin(np.arange(len(x))))], "users.embedding_table"),
    ),
    (*("fc1", "parameters:quantised", "weight in 8 bits"), changed(quantised, "fc1.weight")),
    (
        *("fc1", "parameters:order (1, 0)", "halves for GLU exchanged"),
        changed(parts_in_order(1, 0), "fc1.weight", "fc1.bias"),
    ),
    (*("out", "parameters:bias", "bias off by 1e-3"), changed(lambda x: x + 1e-3, "out.bias")),
)

TRAINING: tuple[Row, ...] = (
    (
        *("bn", "momentum", "momentum 0.1, PyTorch's, in the place of 0.9"),
        edit("nn.BatchNorm1d(numbers)", "nn.BatchNorm1d(numbers, momentum=0.1)"),
    ),
)

FROM_ONNX: tuple[Row, ...] = (
    (
        *("bn", "epsilon", "epsilon 1e-3 for 1e-5"),
        edit("nn.BatchNorm1d(6)", "nn.BatchNorm1d(6, eps=1e-3)"),
    ),
    (*("", CODE, "SELU without its scale"), edit(" * 1.05070102", "")),
    (*("tower.2", "alpha", "alpha 1, the default, for 0.5"), edit("(alpha=0.5)", "()")),
    (*("tower.4", "another-activation", "SiLU for Mish"), edit("nn.Mish()", "nn.SiLU()")),
    (*("glu", CODE, "halves exchanged"), edit("a * ops.sigmoid(b)", "b * ops.sigmoid(a)")),
    (
        *("", CODE, "no sigmoid: logits"),
        edit("ops.sigmoid(self.out(", "(self.out("),
    ),
    (
        *("", CODE, "no shortcut"),
        edit("self.out(x + self.tower(x))", "self.out(self.tower(x))"),
    ),
    (
        *("", CODE, "another column of categories"),
        edit("input_0[:, 2]", "input_0[:, 1]"),
    ),
    (*("bn", "parameters:never loaded", "running statistics never loaded"), forgotten("bn")),
    (
        *("fc2", "parameters:transposed", "square weight transposed"),
        changed(transposed, "fc2.weight"),
    ),
    (
        *("users", "parameters:rows in another order", "categories in another order"),
        changed(lambda x: x[np.argsort(np.sin(np.arange(len(x))))], "users.embedding_table"),
    ),
    (*("out", "parameters:bias", "bias off by 1e-3"), changed(lambda x: x + 1e-3, "out.bias")),
)

FAULTS = (
    *faults("tabular", (*SCRIPT, *CHECKPOINT)),
    *faults("tabular", TRAINING, mode="both"),
    *faults("tabular", FROM_ONNX, "onnx"),
)
