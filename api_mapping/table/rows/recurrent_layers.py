"""torch.nn: recurrent layers and their cells."""

from dataclasses import replace

from ..facts.spelling import IN_PACKING
from ..families import missing
from ..rule import Rule

SIZES = "input_size, hidden_size, num_layers=num_layers, "
REST = (
    "has_bias=bias, batch_first=batch_first, dropout=fraction(dropout), "
    "bidirectional=bidirectional, dtype=element_type(dtype)"
)
PARAMETERS = (
    "bias=True, batch_first=False, dropout=0.0, bidirectional=False, {more}device=None, dtype=None)"
)
PROJECTED = PARAMETERS.format(more="proj_size=0, ")
PROJECTION = {"proj_size": "MindSpore has no projection: put nn.Dense behind, on each step"}


PACKING = "Of a project that packs sequences: the layer takes them packed, too, and gives them so."


def layer(name: str) -> Rule:
    built = f"nn.{name}(4, 5"
    return Rule(
        f"torch.nn.{name}(input_size, hidden_size, num_layers=1, {PROJECTED}",
        f"nn.{name}({SIZES}{REST})",
        reject=PROJECTION,
        example=(
            f"{built})(a)",
            f"{built}, 2, batch_first=True, bidirectional=True)(a)",
            f"layer = {built}, num_layers=2, bias=False)\nlayer(a)[0]",
        ),
    )


def cell(name: str, state: str, *, nonlinearity: bool = False) -> Rule:
    kind = ', nonlinearity="tanh"' if nonlinearity else ""
    handed = ", nonlinearity=nonlinearity" if nonlinearity else ""
    examples = [f"nn.{name}(4, 4)(x, {state})", f"nn.{name}(4, 4, bias=False)(x, {state})"]
    examples += [f"nn.{name}(4, 4)(x)", f"nn.{name}(4, 4)(x[0])", f"nn.{name}(4, 4)(x, None)"]
    examples.append(f"nn.{name}(4, 4)(x[0], {state.replace('y', 'y[0]')})")
    if nonlinearity:
        examples.append(f'nn.{name}(4, 4, nonlinearity="relu")(x, {state})')
    return Rule(
        f"torch.nn.{name}(input_size, hidden_size, bias=True{kind}, device=None, dtype=None)",
        f"compat.{name}(input_size, hidden_size, has_bias=bias{handed}, dtype=element_type(dtype))",
        note="MindSpore's takes a state in each call, and no example without a batch.",
        example=tuple(examples),
    )


PLAIN = (
    layer("LSTM"),
    layer("GRU"),
    Rule(
        'torch.nn.RNN(input_size, hidden_size, num_layers=1, nonlinearity="tanh", '
        + PARAMETERS.format(more=""),
        f"nn.RNN({SIZES}{REST}, nonlinearity=nonlinearity)",
        note="MindSpore takes `dropout` as a float only.",
        example=(
            "nn.RNN(4, 5)(a)",
            'nn.RNN(4, 5, 2, "relu", batch_first=True, bidirectional=True)(a)',
        ),
    ),
)


def packing(rule: Rule) -> Rule:
    """The row of the same layer where sequences are packed, under the name of its module."""
    name = rule.name.rpartition(".")[2]
    pack = "nn.utils.rnn.pack_padded_sequence(a, [3, 2], batch_first=True)"
    return replace(
        rule,
        signature=rule.signature.replace("torch.nn.", f"{IN_PACKING}.", 1),
        target=rule.target.replace("nn.", "compat.", 1),
        note=PACKING,
        example=(
            f"layer = nn.{name}(4, 5)\nlayer({pack})[0].data",
            f"layer = nn.{name}(4, 5, 2, bidirectional=True, batch_first=True)\n"
            f"it, h = layer({pack})\nnn.utils.rnn.pad_packed_sequence(it)[0], h",
        ),
    )


RULES = (
    *PLAIN,
    *map(packing, PLAIN),
    Rule(
        f"{IN_PACKING}.getattr(namespace, name)",
        "compat.recurrent_layer(name)",
        note="The name is known when the program runs: that of LSTM, GRU, RNN or one of their "
        "cells, of others a KeyError.",
        drop=("namespace",),
        returns="other",
        check="alone",
        example=(
            'made = nn.modules.rnn.getattr(nn, "GRU")\nmade(4, 5, 2, False).num_layers',
            'made = nn.modules.rnn.getattr(nn, "RNN")\nmade(4, 5, 1, "relu", bias=False).has_bias',
        ),
    ),
    Rule(
        "torch.nn.Module.flatten_parameters(self)",
        "None",
        note="MindSpore keeps the weights as they are.",
        drop=("self",),
        returns="none",
        example="layer = nn.LSTM(4, 5)\nlayer.flatten_parameters()\nlayer(a)[0]",
    ),
    cell("RNNCell", "y", nonlinearity=True),
    cell("LSTMCell", "(y, y)"),
    cell("GRUCell", "y"),
    *missing(
        "name the layer: nn.LSTM, nn.GRU or nn.RNN",
        f"torch.nn.RNNBase(mode, input_size, hidden_size, num_layers=1, {PROJECTED}",
    ),
)
