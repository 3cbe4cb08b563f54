"""What goes wrong in a recurrent network."""

from __future__ import annotations

import numpy as np

from ..fault import (
    CODE,
    Row,
    changed,
    copied,
    edit,
    every,
    exchanged,
    faults,
    filled,
    mirrored,
    parts_in_order,
    rolled,
)

OF_LSTM = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
DIRECTIONS = [f"lstm.{kind}_l0{end}" for kind in OF_LSTM for end in ("", "_reverse")]

SCRIPT: tuple[Row, ...] = (
    (
        *("gru", "batch-first", "batch_first of the GRU forgotten"),
        edit("nn.GRU(20, 12, batch_first=True)", "nn.GRU(20, 12)"),
    ),
    (
        *("lstm", "batch-first", "batch_first of the LSTM forgotten"),
        edit("num_layers=2, batch_first=True,", "num_layers=2,"),
    ),
    (
        *("gru", "initial-state", "another initial state than zeros"),
        edit("self.gru(self.norm(x))", "self.gru(self.norm(x), ops.ones((1, 2, 12)))"),
    ),
    (
        *("conv", "padding", "padding forgotten"),
        edit('3, pad_mode="pad", padding=1,', '3, pad_mode="valid",'),
    ),
    (*("act", "another-activation", "SELU for ELU"), edit("nn.ELU()", "nn.SeLU()")),
    (
        *("norm", "epsilon", "epsilon 1e-7, MindSpore's default, for 1e-5"),
        edit("nn.LayerNorm((20,), epsilon=1e-05)", "nn.LayerNorm((20,))"),
    ),
    (
        *("", CODE, "softmax over the last axis"),
        edit("ops.softmax(self.score(y), axis=1)", "ops.softmax(self.score(y), axis=-1)"),
    ),
    (
        *("highway", CODE, "what is carried is what is transformed"),
        edit("(1 - t) * x", "t * x"),
    ),
    (*("highway", CODE, "tanh for ReLU"), edit("ops.relu(", "ops.tanh(")),
    (
        *("", CODE, "words and letters joined in another order"),
        edit("ops.cat([self.words(words), c]", "ops.cat([c, self.words(words)]"),
    ),
    (
        *("", CODE, "mean for maximum over the letters"),
        edit(".max(2)[0]", ".mean(2)"),
    ),
    (
        *("", CODE, "no tanh behind the convolution"),
        edit("ops.tanh(self.conv(c))", "self.conv(c)"),
    ),
    (*("", CODE, "the first state for the last"), edit("last[0]", "y[:, 0]")),
)

CHECKPOINT: tuple[Row, ...] = (
    (
        *(
            "lstm",
            "gates | parameters:order (0, 1, 3, 2)",
            "gates of the LSTM in another order: i, f, o, g",
        ),
        every(parts_in_order(0, 1, 3, 2), "lstm."),
    ),
    (
        *(
            "gru",
            "gates | parameters:order (1, 0, 2)",
            "gates of the GRU in the order of ONNX: z, r, n",
        ),
        every(parts_in_order(1, 0, 2), "gru."),
    ),
    (
        *("gru", "recurrent-biases | parameters:b_hh of layer 0", "second bias never loaded"),
        changed(filled(0), "gru.bias_hh_l0"),
    ),
    (
        *("lstm", "directions | parameters:backwards", "directions exchanged"),
        exchanged(*DIRECTIONS),
    ),
    (
        *("lstm", "forget-bias | parameters:b_ih of layer 0", "1 added to the forget gate's bias"),
        every(lambda x: x + np.repeat([0, 1, 0, 0], 10), "lstm.bias_ih"),
    ),
    (
        *("highway.gate", "parameters:highway.transform", "the gate's weights are the transform's"),
        copied(
            *("highway.gate.weight", "highway.transform.weight"),
            *("highway.gate.bias", "highway.transform.bias"),
        ),
    ),
    (
        *("hidden", "parameters:columns", "weights for another order of what is joined"),
        changed(rolled(12, 1), "hidden.weight"),
    ),
    (*("conv", "parameters:mirrored", "kernel mirrored"), changed(mirrored(-1), "conv.weight")),
)

FROM_ONNX: tuple[Row, ...] = (
    (
        *("gru", "batch-first", "batch_first of the GRU forgotten"),
        edit("nn.GRU(20, 12, batch_first=True)", "nn.GRU(20, 12)"),
    ),
    (*("act", "another-activation", "SELU for ELU"), edit("nn.ELU()", "nn.SeLU()")),
    (
        *("norm", "epsilon", "epsilon 1e-7, MindSpore's default, for 1e-5"),
        edit("nn.LayerNorm((20,), epsilon=1e-05)", "nn.LayerNorm((20,))"),
    ),
    (*("highway", CODE, "tanh for ReLU"), edit("ops.relu(", "ops.tanh(")),
    (
        *("", CODE, "words and letters joined in another order"),
        edit("ops.concat((input_0, x), axis=2)", "ops.concat((x, input_0), axis=2)"),
    ),
    (
        *("", CODE, "no tanh behind the convolution"),
        edit("ops.tanh(self.conv(x))", "self.conv(x)"),
    ),
    (
        *(
            "gru",
            "gates | parameters:order (1, 0, 2)",
            "gates of the GRU in the order of ONNX: z, r, n",
        ),
        every(parts_in_order(1, 0, 2), "gru."),
    ),
    (
        *("gru", "recurrent-biases | parameters:b_hh of layer 0", "second bias never loaded"),
        changed(filled(0), "gru.bias_hh_l0"),
    ),
    (
        *(
            "lstm",
            "gates | parameters:order (0, 1, 3, 2)",
            "gates of the LSTM in another order: i, f, o, g",
        ),
        every(parts_in_order(0, 1, 3, 2), "lstm."),
    ),
    (*("conv", "parameters:mirrored", "kernel mirrored"), changed(mirrored(-1), "conv.weight")),
    (
        *("score", "factor | parameters:negated", "scores negated"),
        changed(lambda x: -x, "score.weight"),
    ),
)

FAULTS = (
    *faults("tagger", (*SCRIPT, *CHECKPOINT)),
    *faults("tagger", FROM_ONNX, "onnx"),
)
