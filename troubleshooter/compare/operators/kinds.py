"""What an operator is, whichever framework's name it has."""

from __future__ import annotations

SYNONYMS = {
    "add": "radd iadd tensoradd",
    "sub": "subtract isub",
    "rsub": "rsub",
    "mul": "multiply rmul imul",
    "div": "truediv truedivide divide itruediv realdiv",
    "rdiv": "rtruediv",
    "floordiv": "floordivide ifloordiv",
    "rfloordiv": "",
    "mod": "remainder fmod floormod imod",
    "pow": "power ipow floatpower tensorpow",
    "rpow": "",
    "matmul": "bmm mm batchmatmul imatmul mv dot inner",
    "rmatmul": "",
    "neg": "negative",
    "linear": "dense gemm",
    "cat": "concat concatenate",
    "stack": "pack",
    "split": "tensorsplit chunk splitwithsize unsafechunk",
    "unbind": "unstack",
    "transpose": "permute swapaxes swapdims movedim moveaxis t mt h mh",
    "reshape": (
        "view flatten ravel unflatten squeeze unsqueeze expanddims viewas reshapeas contiguous"
    ),
    "expand": "broadcastto expandas",
    "tile": "repeat",
    "repeat_interleave": "repeatinterleave",
    "getitem": "slice stridedslice narrow",
    "select": "",
    "take": "gather takealongdim gatherelements gatherd gathernd indexselect takealongaxis",
    "setitem": "",
    "where": "",
    "masked_fill": "maskedfill",
    "sum": "reducesum nansum",
    "mean": "reducemean",
    "prod": "reduceprod",
    "amax": "reducemax",
    "amin": "reducemin",
    "max": "",
    "min": "",
    "maximum": "",
    "minimum": "",
    "logsumexp": "reducelogsumexp",
    "norm": "vectornorm reducel2 linalgnorm linalgvectornorm",
    "normalize": "l2normalize",
    "softmax": "",
    "log_softmax": "logsoftmax",
    "clamp": "clip clipbyvalue",
    "abs": "absolute",
    "leaky_relu": "leakyrelu",
    "silu": "swish",
    "hardswish": "hswish",
    "hardsigmoid": "hsigmoid",
    "rsqrt": "",
    "square": "",
    "invert": "logicalnot bitwisenot",
    "and": "logicaland bitwiseand iand rand",
    "or": "logicalor bitwiseor ior ror",
    "eq": "equal",
    "ne": "notequal",
    "lt": "less",
    "le": "lessequal",
    "gt": "greater",
    "ge": "greaterequal",
    "cast": "to type astype float double half bfloat16 int long bool typeas tensorto short",
    "detach": "stopgradient",
    "identity": "clone copy",
    "attention": "scaleddotproductattention",
    "interpolate": "upsample resize upsamplebilinear upsamplenearest",
    "cross_entropy": "crossentropy crossentropyloss",
    "nll_loss": "nllloss",
    "bce_logits": "binarycrossentropywithlogits bcewithlogits",
    "bce": "binarycrossentropy",
    "mse_loss": "mseloss",
    "l1_loss": "l1loss",
    "smooth_l1": "smoothl1loss",
    "huber": "huberloss",
    "kl_div": "kldiv kldivloss",
    "one_hot": "onehot",
    "layer_norm": "layernorm layernormalization",
    "rms_norm": "rmsnorm",
    "group_norm": "groupnorm",
    "batch_norm": "batchnorm batchnormalization",
    "cumsum": "",
    "arange": "range",
    "full": "",
    "zeros": "",
    "ones": "",
    "full_like": "fulllike",
    "zeros_like": "zeroslike",
    "ones_like": "oneslike",
    "tensor": "astensor scalartensor",
    "scatter": "scatterelements tensorscatterelements",
    "scatter_add": "scatteradd",
    "index_add": "indexadd",
    "scatter_reduce": "scatterreduce",
    "max_pool": "maxpool maxpool1d maxpool2d maxpool3d",
    "avg_pool": "avgpool avgpool1d avgpool2d avgpool3d averagepool",
    "adaptive_avg_pool": "adaptiveavgpool adaptiveavgpool1d adaptiveavgpool2d globalaveragepool",
    "adaptive_max_pool": "adaptivemaxpool adaptivemaxpool1d adaptivemaxpool2d",
    "conv": "conv1d conv2d conv3d",
    "topk": "",
    "sort": "",
    "argmax": "",
    "argmin": "",
    "embedding": "",
}
"""The kinds, and by which other names frameworks have them, without underscores and case."""

KINDS = {
    name.replace("_", ""): kind
    for kind, names in SYNONYMS.items()
    for name in (kind, *names.split())
}

OTHERWISE = {
    **dict.fromkeys(("ops.select", "ops.Select"), "where"),
    "onnx.Max": "maximum",
    "onnx.Min": "minimum",
    "onnx.Sum": "add",
}
"""What has the name of another function of PyTorch's."""

REFLECTED = {"rsub": "sub", "rdiv": "div", "rfloordiv": "floordiv", "rpow": "pow"}
REFLECTED["rmatmul"] = "matmul"
"""Operators whose second operand comes first."""

VIEWS = ("reshape", "identity", "detach", "expand")
"""What leaves the elements as they are, in their order."""

LAYOUT = (*VIEWS, "transpose", "cast")
"""What leaves the elements as they are."""

RELATED = (
    {"add", "sub", "mul", "div", "floordiv", "mod", "pow", "maximum", "minimum"},
    {"sum", "mean", "amax", "amin", "max", "min", "prod", "logsumexp", "norm", "std", "var"},
    {"tile", "repeat_interleave", "expand"},
    {"getitem", "take", "select", "split", "unbind"},
    {"where", "masked_fill", "setitem"},
    {"relu", "gelu", "silu", "tanh", "sigmoid", "leaky_relu", "elu", "selu", "mish", "relu6"},
    {"softmax", "log_softmax", "sigmoid", "softplus"},
    {"cat", "stack"},
    {"tril", "triu"},
    {"sin", "cos"},
    {"floor", "ceil", "round", "trunc"},
    {"lt", "le", "gt", "ge", "eq", "ne"},
    {"scatter", "scatter_add", "index_add", "scatter_reduce"},
    {"argmax", "argmin"},
    {"max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool"},
    {"mse_loss", "l1_loss", "smooth_l1", "huber"},
    {"layer_norm", "rms_norm", "normalize"},
    {"reshape", "transpose"},
    {"einsum", "matmul", "linear"},
    {"cat", "tile", "repeat_interleave"},
    {"argmax", "max"},
    {"cat", "flip", "roll"},
    {"zeros", "ones", "full", "zeros_like", "ones_like", "full_like"},
    {"and", "or"},
    {"sqrt", "rsqrt", "square"},
    {"exp", "expm1", "log", "log1p", "log2"},
)
"""Kinds that are written for each other by mistake."""


def kind_of(name: str) -> str:
    """The kind of an operator by its name: `softmax` of `torch.nn.functional.softmax`."""
    if name in OTHERWISE:
        return OTHERWISE[name]
    last = name.rpartition(".")[2].replace("_", "").lower()
    last = last.removesuffix("ext").removesuffix("inplace")
    return KINDS.get(last, last)


def plain_kind(name: str) -> str:
    """The kind, whichever operand comes first: `1 - x` is no other function than `x - 1`."""
    kind = kind_of(name)
    return REFLECTED.get(kind, kind)


def are_related(one: str, other: str) -> bool:
    return any(one in family and other in family for family in RELATED)
