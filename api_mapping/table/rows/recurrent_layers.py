"""torch.nn: recurrent layers and their cells."""

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
    if nonlinearity:
        examples.append(f'nn.{name}(4, 4, nonlinearity="relu")(x, {state})')
    return Rule(
        f"torch.nn.{name}(input_size, hidden_size, bias=True{kind}, device=None, dtype=None)",
        f"nn.{name}(input_size, hidden_size, has_bias=bias{handed}, dtype=element_type(dtype))",
        note="The state must be given to each call: it is not zeros unless given.",
        example=tuple(examples),
    )


RULES = (
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
    cell("RNNCell", "y", nonlinearity=True),
    cell("LSTMCell", "(y, y)"),
    cell("GRUCell", "y"),
    *missing(
        "name the layer: nn.LSTM, nn.GRU or nn.RNN",
        f"torch.nn.RNNBase(mode, input_size, hidden_size, num_layers=1, {PROJECTED}",
    ),
)
