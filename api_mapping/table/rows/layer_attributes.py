"""torch.nn: what layers have, where MindSpore's have it under another name or not at all.

Parameters follow from `Rule.state` of the layers' own rows.
"""

from collections.abc import Iterator

from ..families import missing
from ..rule import Rule
from . import activation, linear, normalization_layers

BUILT = {
    "BatchNorm1d": "3",
    "BatchNorm2d": "3",
    "BatchNorm3d": "3",
    "InstanceNorm1d": "3, affine=True",
    "InstanceNorm2d": "3, affine=True",
    "InstanceNorm3d": "3, affine=True",
    "LayerNorm": "4",
    "GroupNorm": "2, 4",
    "RMSNorm": "4",
    "Embedding": "5, 4, padding_idx=1",
    "EmbeddingBag": "5, 4",
    "PReLU": "",
    "Linear": "4, 3",
    "Bilinear": "4, 5, 3",
    "Conv1d": "2, 4, 3, padding=1, groups=2",
    "Conv2d": "2, 4, 3, padding=(1, 0), groups=2",
    "Conv3d": "2, 4, 3, padding=(1, 0, 2), groups=2",
    "ConvTranspose1d": "2, 4, 3, padding=1, groups=2",
    "ConvTranspose2d": "2, 4, 3, padding=(1, 0), groups=2",
    "ConvTranspose3d": "2, 4, 3, padding=(1, 0, 2), groups=2",
    "Dropout": "0.25",
    "Dropout1d": "0.25",
    "Dropout2d": "0.25",
    "Dropout3d": "0.25",
    "LeakyReLU": "0.3",
    "MaxPool1d": "3, 2",
    "MaxPool2d": "3, 2",
    "MaxPool3d": "3, 2",
    "AvgPool2d": "3, 2",
    "AvgPool3d": "3, 2",
    "LSTM": "4, 3",
    "GRU": "4, 3",
    "RNN": "4, 3",
    "LSTMCell": "4, 3",
    "GRUCell": "4, 3",
    "RNNCell": "4, 3",
}
"""Arguments that build a layer of each class for the examples."""

STATES = {
    rule.name.removeprefix("torch.nn."): rule.state
    for rule in (*normalization_layers.RULES, *linear.RULES, *activation.RULES)
    if rule.state and rule.is_callable
}
FIXED = "MindSpore reads it when the layer is built: give it there."


def attribute(
    layer: str, name: str, target: str, returns: str, *, fixed: bool = False, note: str = ""
) -> Rule:
    """The row of an attribute; `target` is over `self`, the layer."""
    shown = f"it.{name} * 1" if returns == "tensor" else f"it.{name}"
    return Rule(
        f"torch.nn.{layer}.{name}",
        target,
        note=note or (FIXED if fixed else ""),
        state=STATES.get(layer, {}),
        returns=returns,
        fixed=fixed,
        example=f"it = nn.{layer}({BUILT[layer]})\n{shown}",
    )


def parameters() -> Iterator[Rule]:
    """The parameters and statistics that have another name."""
    for layer, state in STATES.items():
        for name, new in state.items() if layer in BUILT else ():
            yield attribute(layer, name, f"self.{new}", "tensor")


def settings(layers: str, of_layer: dict[str, str], *, fixed: bool = False) -> Iterator[Rule]:
    """Numbers that have another name: `name=kind` to MindSpore's code."""
    for layer in layers.split():
        for named, target in of_layer.items():
            name, _, kind = named.partition("=")
            yield attribute(layer, name, target, kind, fixed=fixed)


LINES = "Conv1d ConvTranspose1d"
CONVOLUTIONS = f"{LINES} Conv2d Conv3d ConvTranspose2d ConvTranspose3d"
PLANES = "Conv2d Conv3d ConvTranspose2d ConvTranspose3d"
WINDOW = ("kernel_size", "stride", "dilation")
POOLS = "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d"
RECURRENT = "LSTM GRU RNN"
CELLS = "LSTMCell GRUCell RNNCell"
BATCH = "BatchNorm1d BatchNorm2d"
STATISTICS = {
    "affine=bool": "compat.affine(self)",
    "track_running_stats=bool": "self.use_batch_statistics is None",
}
KEPT = {"eps=float": "self.eps", "momentum=float": "self.momentum"}
INNER = {name: f"self.bn2d{target.removeprefix('self')}" for name, target in KEPT.items()}
ONE_LINE = "MindSpore's parameter has an axis of one before the last."

NAMES = (
    *parameters(),
    *settings("Linear", {"in_features=int": "self.in_channels"}),
    *settings("Linear", {"out_features=int": "self.out_channels"}),
    *settings("Embedding", {"num_embeddings=int": "self.vocab_size"}),
    *settings("Embedding", {"embedding_dim=int": "self.embedding_size"}),
    *settings("Embedding", {"padding_idx=int": "self.padding_idx"}, fixed=True),
    *settings(CONVOLUTIONS, {"groups=int": "self.group"}, fixed=True),
    *settings(CONVOLUTIONS, {"padding=": "compat.padding(self)"}, fixed=True),
    *settings(LINES, {f"{n}=": f"self.{n}[-1:]" for n in WINDOW}, fixed=True),
    *settings(PLANES, {f"{n}=": f"self.{n}" for n in WINDOW}, fixed=True),
    *settings(
        "MaxPool2d MaxPool3d AvgPool2d AvgPool3d",
        {f"{n}=": f"self.{n}" for n in WINDOW[:2]},
        fixed=True,
    ),
    *settings("EmbeddingBag", {"num_embeddings=int": "compat.num_embeddings(self)"}, fixed=True),
    *settings("EmbeddingBag", {"embedding_dim=int": "compat.embedding_dim(self)"}, fixed=True),
    *settings("EmbeddingBag", {"mode=str": "self.mode", "padding_idx=int": "self.padding_idx"}),
    *settings("Bilinear", {"in1_features=int": "self.in1_channels"}, fixed=True),
    *settings("Bilinear", {"in2_features=int": "self.in2_channels"}, fixed=True),
    *settings("Bilinear", {"out_features=int": "self.out_channels"}, fixed=True),
    *(
        attribute(layer, "weight", "self.weight.squeeze(2)", "tensor", note=ONE_LINE)
        for layer in LINES.split()
    ),
    *settings(BATCH, STATISTICS | KEPT, fixed=True),
    *settings("BatchNorm3d", {"num_features=int": "self.bn2d.num_features"}),
    *settings("BatchNorm3d", INNER | {"affine=bool": "compat.affine(self)"}, fixed=True),
    *settings("LayerNorm", {"eps=float": "self.epsilon"}, fixed=True),
    *settings("LayerNorm", {"elementwise_affine=bool": "self.gamma is not None"}),
    *settings("GroupNorm", {"eps=float": "self.eps"}, fixed=True),
    *settings(
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d", {"num_features=int": "self.num_channels"}
    ),
    *settings("Dropout", {"p=float": "self.p"}, fixed=True),
    *settings("Dropout2d Dropout3d", {"p=float": "1 - self.keep_prob"}),
    *settings("LeakyReLU", {"negative_slope=float": "self.alpha"}, fixed=True),
    *settings(f"{RECURRENT} {CELLS}", {"bias=bool": "self.has_bias"}, fixed=True),
)

OF_ANY = {
    "weight": ("tensor", "nn.LayerNorm(4)", STATES["LayerNorm"]),
    "bias": ("tensor", "nn.LayerNorm(4)", STATES["LayerNorm"]),
    "running_mean": ("tensor", "nn.BatchNorm2d(3)", STATES["BatchNorm2d"]),
    "running_var": ("tensor", "nn.BatchNorm2d(3)", STATES["BatchNorm2d"]),
    "in_features": ("int", "nn.Linear(4, 3)", {}),
    "out_features": ("int", "nn.Linear(4, 3)", {}),
    "num_embeddings": ("int", "nn.Embedding(5, 4)", STATES["Embedding"]),
    "embedding_dim": ("int", "nn.Embedding(5, 4)", STATES["Embedding"]),
    "groups": ("int", "nn.Conv2d(2, 4, 3, groups=2)", {}),
    "eps": ("float", "nn.LayerNorm(4)", STATES["LayerNorm"]),
    "affine": ("bool", "nn.BatchNorm2d(3, affine=False)", STATES["BatchNorm2d"]),
    "num_features": ("int", "nn.BatchNorm2d(3)", STATES["BatchNorm2d"]),
    "negative_slope": ("float", "nn.LeakyReLU(0.3)", {}),
    "kernel_size": ("", "nn.Conv1d(2, 4, 3)", {}),
    "stride": ("", "nn.Conv2d(2, 4, 3, stride=2)", {}),
    "dilation": ("", "nn.Conv1d(2, 4, 3, dilation=2)", {}),
    "padding": ("", "nn.Conv2d(2, 4, 3, padding=(1, 0))", {}),
}
"""Attributes by which a module is asked whatever layer it is: what they give, and an example."""

ANY = tuple(
    Rule(
        f"torch.nn.Module.{name}",
        f"compat.{name}(self)",
        note="MindSpore's layers have it under several names.",
        state=state,
        returns=returns,
        example=f"layer = {built}\nlayer.{name}{' * 1' if returns == 'tensor' else ''}",
    )
    for name, (returns, built, state) in OF_ANY.items()
)

CLASS_NAME = Rule(
    "torch.nn.Module.__name__",
    "compat.class_name(self)",
    note="MindSpore's layers are called otherwise: Dense for Linear.",
    returns="str",
    example=(
        "layer = nn.Linear(4, 3)\nlayer.__class__.__name__",
        "layer = nn.ConvTranspose2d(2, 3, 1)\nlayer.__class__.__name__",
    ),
)

WITH_STATE = (*RECURRENT.split(), *CELLS.split())

RESET = tuple(
    Rule(
        f"torch.nn.{layer}.reset_parameters(self)",
        "compat.reset_parameters(self)" if layer == "Module" else "compat.draw_parameters(self)",
        note="The weights are drawn anew, from MindSpore's generator."
        + " They become 0.25, however it was built." * (layer == "PReLU"),
        state=STATES.get(layer, {}),
        returns="none",
        check="dtype",
        example=f"{name} = nn.{built}\n{name}.reset_parameters()\n{name}.{shown}",
    )
    for layer, name, built, shown in (
        ("Module", "layer", "Linear(4, 3)", "weight.shape"),
        *(
            (x, "it", f"{x}({given})", "hidden_size" if x in WITH_STATE else "weight.shape")
            for x, given in BUILT.items()
            if not x.startswith(("Dropout", "LeakyReLU", "MaxPool", "AvgPool"))
        ),
    )
)

RESET_STATISTICS = tuple(
    Rule(
        f"torch.nn.BatchNorm{axes}d.reset_running_stats(self)",
        "compat.reset_running_stats(self)",
        note="MindSpore's layer has no such method.",
        state=STATES.get(f"BatchNorm{axes}d", {}),
        returns="none",
        example=f"it = nn.BatchNorm{axes}d(3)\nit.running_mean.copy_(torch.arange(3.0))\n"
        "it.reset_running_stats()\ntorch.cat((it.running_mean, it.running_var))",
    )
    for axes in (1, 2, 3)
)

WITH_OTHER_WEIGHTS = tuple(
    Rule(
        f"torch.nn.Conv{axes}d._conv_forward(self, input, weight, bias)",
        "compat.conv_forward(self, input, weight, bias)",
        note="MindSpore's layer has no such method.",
        state=STATES.get(f"Conv{axes}d", {}),
        returns="tensor",
        example=(
            f"it = nn.Conv{axes}d({channels}, 4, 3, padding=1, stride=2)\n"
            f"it._conv_forward({value}, it.weight * 2, it.bias)",
            f"it = nn.Conv{axes}d({channels}, 4, 3, 1, 1, padding_mode='reflect', bias=False)\n"
            f"it._conv_forward({value}, it.weight, None)",
        ),
    )
    for axes, channels, value in ((1, 3, "signal"), (2, 3, "image"), (3, 2, "volume"))
)

TRACKED = ("momentum", "track_running_stats", "running_mean", "running_var")
ROWS = ("max_norm", "norm_type", "scale_grad_by_freq", "sparse")
LOSSES = (
    "CrossEntropyLoss NLLLoss MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss "
    "KLDivLoss CTCLoss TripletMarginLoss CosineEmbeddingLoss MarginRankingLoss HingeEmbeddingLoss "
    "PoissonNLLLoss GaussianNLLLoss MultiMarginLoss MultiLabelMarginLoss SoftMarginLoss "
    "MultiLabelSoftMarginLoss"
)
LOSS_SETTINGS = (
    "reduction weight pos_weight ignore_index label_smoothing beta delta margin log_target"
).split()

WITH_REDUCTION = "CrossEntropyLoss NLLLoss L1Loss HuberLoss BCELoss BCEWithLogitsLoss".split()

REDUCTIONS = tuple(
    Rule(
        f"torch.nn.{layer}.reduction",
        "self.reduction",
        returns="str",
        example=(
            f"it = nn.{layer}()\nit.reduction",
            f"it = nn.{layer}()\nit.reduction = 'sum'\nit({given})",
        ),
    )
    for layer in WITH_REDUCTION
    for given in ("logits, labels" if layer in WITH_REDUCTION[:2] else "u, u / 2",)
)

NOT_THERE = (
    *missing(
        "MindSpore counts no batches: keep a number of your own, or leave it out",
        *(f"torch.nn.BatchNorm{n}d.num_batches_tracked" for n in (1, 2, 3)),
    ),
    *missing(
        "write what the layer was built with",
        *(f"torch.nn.{layer}.padding_mode" for layer in CONVOLUTIONS.split()),
        *(f"torch.nn.{layer}.output_padding" for layer in CONVOLUTIONS.split()),
        *(f"torch.nn.{layer}.transposed" for layer in CONVOLUTIONS.split()),
        "torch.nn.BatchNorm3d.track_running_stats",
        *(f"torch.nn.{layer}.input_size" for layer in RECURRENT.split()),
        *(f"torch.nn.{layer}Pool{n}d.padding" for layer in ("Max", "Avg") for n in (1, 2, 3)),
        *(f"torch.nn.Adaptive{k}Pool{n}d.output_size" for k in ("Max", "Avg") for n in (1, 2, 3)),
        *(f"torch.nn.{n}.{name}" for n in POOLS.split() for name in ("ceil_mode", "dilation")),
        *(f"torch.nn.AvgPool{n}d.{name}" for n in "123" for name in ("count_include_pad",)),
        *(f"torch.nn.{p}Pool1d.{name}" for p in ("Max", "Avg") for name in WINDOW[:2]),
        *(
            f"torch.nn.{layer}.{name}"
            for layer in ("Fold", "Unfold")
            for name in (*WINDOW, "padding")
        ),
        *(f"torch.nn.InstanceNorm{n}d.{name}" for n in "123" for name in TRACKED),
        *(f"torch.nn.{layer}.{name}" for layer in ("Embedding", "EmbeddingBag") for name in ROWS),
        *(
            f"torch.nn.{layer}.{name}"
            for layer in LOSSES.split()
            for name in LOSS_SETTINGS[layer in WITH_REDUCTION :]
        ),
        *(f"torch.nn.{layer}.mode" for layer in RECURRENT.split()),
        *(f"torch.nn.RMSNorm.{name}" for name in ("elementwise_affine", "normalized_shape", "eps")),
        *(f"torch.nn.TripletMarginLoss.{name}" for name in ("margin", "p", "eps", "swap")),
        *(f"torch.nn.PairwiseDistance.{name}" for name in ("norm", "eps", "keepdim")),
        *(f"torch.nn.Upsample.{name}" for name in ("name", "recompute_scale_factor")),
        "torch.nn.Fold.output_size",
        "torch.nn.RNN.nonlinearity",
        "torch.nn.GELU.approximate",
        "torch.nn.MultiheadAttention.head_dim",
        "torch.nn.LogSoftmax.dim",
        "torch.nn.PReLU.init",
        "torch.nn.Dropout1d.p",
        "torch.nn.Softmax.dim",
        "torch.nn.ELU.alpha",
        "torch.nn.PReLU.num_parameters",
    ),
    *missing(
        "look for it by its name: dict(layer.parameters_and_names())",
        *(
            f"torch.nn.{layer}.{kind}_{side}_l{number}{way}"
            for layer in RECURRENT.split()
            for kind in ("weight", "bias")
            for side in ("ih", "hh")
            for number in (0, 1)
            for way in ("", "_reverse")
        ),
    ),
)

RULES = (
    *NAMES,
    *ANY,
    CLASS_NAME,
    *RESET,
    *RESET_STATISTICS,
    *WITH_OTHER_WEIGHTS,
    *REDUCTIONS,
    *NOT_THERE,
)
