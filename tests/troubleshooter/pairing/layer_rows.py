"""Each rule of names: PyTorch's layer, MindSpore's, how the weights of one are converted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MINT = ("--names", "same")


@dataclass(frozen=True)
class Row:
    """A layer of both frameworks, with the shape of its input.

    `other`: the layer, if it is not the name's first word; `calls`: how it is called, in PyTorch
    and in MindSpore; `flags`: what `msconvert weights` is told besides the layer; `untouched`:
    what MindSpore's has beyond the file, as it is made; `lacking`: what a target says that cannot
    run it on a CPU: there the weights are loaded and compared only, if it has the layer.
    """

    name: str
    torch: str
    mindspore: str
    shape: tuple[int, ...]
    other: str | None = None
    calls: tuple[str, str] = ("layer(x)", "layer(x)")
    flags: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    saved: str = "state"
    lacking: Mapping[str, str] = field(default_factory=dict)

    @property
    def layer(self) -> str:
        """What --layer is told; nothing if names stay as they are, or the file says enough."""
        if self.other is not None:
            return self.other
        return "" if self.flags == MINT else self.name.partition(" ")[0]


def both(call: str) -> tuple[str, str]:
    return call, call


WORDS = ("layer((x > 0).long())", "layer((x > 0).astype(ms.int32))")
FIRST = both("layer(x)[0]")
IMAGE, SIGNAL, VOLUME, STEPS = (2, 3, 4, 4), (2, 3, 8), (1, 2, 3, 4, 4), (2, 3, 4)
STATISTICS = ("layer.moving_mean", "layer.moving_variance")
NORMS = "nn.utils.parametrizations"

ROWS = (
    Row("Linear", "nn.Linear(4, 3)", "nn.Dense(4, 3)", (2, 4)),
    Row("Linear without bias", "nn.Linear(4, 3, bias=False)", "nn.Dense(4, 3, has_bias=False)",
        (2, 4)),
    Row("Bilinear", "nn.Bilinear(4, 4, 3)", "nn.BiDense(4, 4, 3)", (2, 4),
        calls=both("layer(x, x)")),
    Row("Conv1d", "nn.Conv1d(3, 4, 3, padding=1)",
        'nn.Conv1d(3, 4, 3, pad_mode="pad", padding=1, has_bias=True)', SIGNAL),
    Row("Conv2d", "nn.Conv2d(3, 4, 3, padding=1)",
        'nn.Conv2d(3, 4, 3, pad_mode="pad", padding=1, has_bias=True)', IMAGE),
    Row("Conv3d", "nn.Conv3d(2, 4, 3)",
        'nn.Conv3d(2, 4, 3, pad_mode="valid", has_bias=True)', VOLUME),
    Row("ConvTranspose1d", "nn.ConvTranspose1d(3, 4, 4, stride=2, padding=1)",
        'nn.Conv1dTranspose(3, 4, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)', SIGNAL),
    Row("ConvTranspose2d", "nn.ConvTranspose2d(3, 4, 4, stride=2, padding=1)",
        'nn.Conv2dTranspose(3, 4, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)', IMAGE),
    Row("ConvTranspose3d", "nn.ConvTranspose3d(2, 4, 2)",
        'nn.Conv3dTranspose(2, 4, 2, pad_mode="valid", has_bias=True)', VOLUME),
    Row("BatchNorm1d", "nn.BatchNorm1d(3)", "nn.BatchNorm1d(3)", (4, 3)),
    Row("BatchNorm2d", "nn.BatchNorm2d(3)", "nn.BatchNorm2d(3)", IMAGE),
    Row("BatchNorm3d", "nn.BatchNorm3d(2)", "nn.BatchNorm3d(2)", VOLUME),
    Row("BatchNorm affine=False", "nn.BatchNorm2d(3, affine=False)",
        "nn.BatchNorm2d(3, affine=False)", IMAGE, "BatchNorm2d"),
    Row("SyncBatchNorm", "nn.SyncBatchNorm(3)", "nn.SyncBatchNorm(3)", IMAGE),
    Row("InstanceNorm1d", "nn.InstanceNorm1d(3, affine=True)",
        "nn.InstanceNorm1d(3, affine=True)", SIGNAL, untouched=STATISTICS,
        lacking={"mindspore": "Kernel select failed"}),
    Row("InstanceNorm2d", "nn.InstanceNorm2d(3, affine=True)",
        "nn.InstanceNorm2d(3, affine=True)", IMAGE, untouched=STATISTICS,
        lacking={"mindspore": "Kernel select failed"}),
    Row("InstanceNorm3d", "nn.InstanceNorm3d(2, affine=True)",
        "nn.InstanceNorm3d(2, affine=True)", VOLUME, untouched=STATISTICS,
        lacking={"mindspore": "Kernel select failed"}),
    Row("InstanceNorm as groups", "nn.InstanceNorm2d(3, affine=True)",
        "nn.GroupNorm(3, 3, eps=1e-5)", IMAGE, "InstanceNorm2d"),
    Row("GroupNorm", "nn.GroupNorm(2, 4)", "nn.GroupNorm(2, 4)", (2, 4, 3, 3)),
    Row("LayerNorm", "nn.LayerNorm(4)", "nn.LayerNorm((4,), epsilon=1e-5)", (2, 4)),
    Row("LayerNorm of planes", "nn.LayerNorm((3, 4))",
        "nn.LayerNorm((3, 4), 1, 1, epsilon=1e-5)", (2, 3, 4), "LayerNorm"),
    Row("LayerNorm elementwise_affine=False",
        "nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4, elementwise_affine=False))",
        "nn.SequentialCell(nn.Dense(4, 4), nn.LayerNorm((4,), epsilon=1e-5))", (2, 4), "",
        untouched=("layer.1.gamma", "layer.1.beta")),
    Row("RMSNorm", "nn.RMSNorm(4, eps=1e-6)", "RootMeanSquare(4)", (2, 4)),
    Row("PReLU", "nn.PReLU(3)", "nn.PReLU(3)", IMAGE),
    Row("Embedding", "nn.Embedding(5, 4)", "nn.Embedding(5, 4)", (2, 4), calls=WORDS),
    Row("Embedding padded", "nn.Embedding(5, 4, padding_idx=0)",
        "nn.Embedding(5, 4, padding_idx=0)", (2, 4), calls=WORDS),
    Row("EmbeddingBag", 'nn.EmbeddingBag(5, 4, mode="mean")', "Bag(5, 4)", (2, 4), calls=WORDS),
    Row("LSTM", "nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)",
        "nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)", STEPS, calls=FIRST),
    Row("GRU", "nn.GRU(4, 5, 2, batch_first=True, bidirectional=True)",
        "nn.GRU(4, 5, 2, batch_first=True, bidirectional=True)", STEPS, calls=FIRST),
    Row("RNN", "nn.RNN(4, 5, batch_first=True)", "nn.RNN(4, 5, batch_first=True)", STEPS,
        calls=FIRST),
    Row("LSTMCell", "nn.LSTMCell(4, 4)", "nn.LSTMCell(4, 4)", (2, 4),
        calls=both("layer(x, (x, x))[0]")),
    Row("GRUCell", "nn.GRUCell(4, 4)", "nn.GRUCell(4, 4)", (2, 4), calls=both("layer(x, x)")),
    Row("RNNCell", "nn.RNNCell(4, 4)", "nn.RNNCell(4, 4)", (2, 4), calls=both("layer(x, x)")),
    Row("MultiheadAttention", "nn.MultiheadAttention(4, 2)", "nn.MultiheadAttention(4, 2)",
        (3, 2, 4), calls=both("layer(x, x, x)[0]")),
    Row("MultiheadAttention kdim, vdim", "nn.MultiheadAttention(4, 2, kdim=3, vdim=2)",
        "nn.MultiheadAttention(4, 2, kdim=3, vdim=2)", (3, 2, 4),
        calls=both("layer(x, x[..., :3], x[..., 1:3])[0]")),
    Row("MultiheadAttention add_bias_kv", "nn.MultiheadAttention(4, 2, add_bias_kv=True)",
        "nn.MultiheadAttention(4, 2, add_bias_kv=True)", (3, 2, 4),
        calls=both("layer(x, x, x)[0]")),
    Row("TransformerEncoderLayer", "nn.TransformerEncoderLayer(4, 2, 8, 0.0)",
        "nn.TransformerEncoderLayer(4, 2, 8, 0.0)", (3, 2, 4)),
    Row("TransformerDecoderLayer", "nn.TransformerDecoderLayer(4, 2, 8, 0.0)",
        "nn.TransformerDecoderLayer(4, 2, 8, 0.0)", (3, 2, 4), calls=both("layer(x, x)")),
    Row("TransformerEncoder",
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 2)",
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 2)", (3, 2, 4)),
    Row("TransformerDecoder",
        "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2)",
        "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2)", (3, 2, 4),
        calls=both("layer(x, x)")),
    Row("Transformer", "nn.Transformer(4, 2, 1, 1, 8, 0.0)",
        "nn.Transformer(4, 2, 1, 1, 8, 0.0)", (3, 2, 4), calls=both("layer(x, x)")),
    Row("weight_norm", f"{NORMS}.weight_norm(nn.Linear(4, 3))", "nn.Dense(4, 3)", (2, 4), "Linear",
        flags=("--fold",)),
    Row("weight_norm of Conv1d", f"{NORMS}.weight_norm(nn.Conv1d(3, 4, 3))",
        'nn.Conv1d(3, 4, 3, pad_mode="valid", has_bias=True)', SIGNAL, "Conv1d",
        flags=("--fold",)),
    Row("weight_norm dim=1", f"{NORMS}.weight_norm(nn.ConvTranspose2d(3, 4, 2), dim=1)",
        'nn.Conv2dTranspose(3, 4, 2, pad_mode="valid", has_bias=True)', IMAGE, "ConvTranspose2d",
        flags=("--fold",)),
    Row("weight_norm of older files", "nn.utils.weight_norm(nn.Conv2d(3, 4, 2))",
        'nn.Conv2d(3, 4, 2, pad_mode="valid", has_bias=True)', IMAGE, "Conv2d", flags=("--fold",)),
    Row("spectral_norm", f"{NORMS}.spectral_norm(nn.Linear(4, 3))", "nn.Dense(4, 3)", (2, 4),
        "Linear", flags=("--fold",)),
    Row("spectral_norm of older files", "nn.utils.spectral_norm(nn.Conv2d(3, 4, 2))",
        'nn.Conv2d(3, 4, 2, pad_mode="valid", has_bias=True)', IMAGE, "Conv2d", flags=("--fold",)),
    Row("tied weights", "Tied()", "Tied()", (2, 4), "", calls=WORDS,
        flags=("--keep-tied", "--layer", "layer.table=Embedding", "--layer", "layer.head=Linear")),
    Row("module.", "nn.LayerNorm(4)", "nn.LayerNorm((4,), epsilon=1e-5)", (2, 4), "LayerNorm",
        saved='{"state_dict": {f"module.{name}": value for name, value in state.items()}}'),
    Row("_orig_mod.", "nn.BatchNorm1d(3)", "nn.BatchNorm1d(3)", (4, 3), "BatchNorm1d",
        saved='{f"_orig_mod.module.{name}": value for name, value in state.items()}'),
    Row("mint Linear", "nn.Linear(4, 3)", "mint.nn.Linear(4, 3)", (2, 4), flags=MINT),
    Row("mint Conv2d", "nn.Conv2d(3, 4, 3)", "mint.nn.Conv2d(3, 4, 3)", IMAGE, flags=MINT,
        lacking={"mindspore": "kernel Conv2DExt unregistered"}),
    Row("mint BatchNorm2d", "nn.BatchNorm2d(3)", "mint.nn.BatchNorm2d(3)", IMAGE, flags=MINT,
        lacking={"runtime": "MS301 mint.nn.BatchNorm2d",
                 "mindspore": "kernel BatchNormExt unregistered"}),
    Row("mint LayerNorm", "nn.LayerNorm(4)", "mint.nn.LayerNorm(4)", (2, 4), flags=MINT,
        lacking={"runtime": "MS301 mint.nn.LayerNorm", "mindspore": "LayerNormExt failed"}),
    Row("mint GroupNorm", "nn.GroupNorm(2, 4)", "mint.nn.GroupNorm(2, 4)", (2, 4, 3, 3),
        flags=MINT),
    Row("mint Embedding", "nn.Embedding(5, 4)", "mint.nn.Embedding(5, 4)", (2, 4), calls=WORDS,
        flags=MINT, lacking={"mindspore": "kernel Embedding unregistered"}),
    Row("mint PReLU", "nn.PReLU(3)", "mint.nn.PReLU(3)", IMAGE, flags=MINT),
)  # fmt: skip

TORCH_CLASSES = """
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.table.weight

    def forward(self, x):
        return self.head(self.table(x))
"""

MINDSPORE_CLASSES = """
class RootMeanSquare(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.weight = ms.Parameter(ops.ones((size,), ms.float32))

    def construct(self, x):
        return x * ops.rsqrt((x * x).mean(-1, keep_dims=True) + 1e-6) * self.weight


class Bag(nn.Cell):
    def __init__(self, count, size):
        super().__init__()
        self.embedding = nn.Embedding(count, size)

    def construct(self, x):
        return self.embedding(x).mean(1)


class Tied(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 4)
        self.head = nn.Dense(4, 5, has_bias=False)

    def construct(self, x):
        return self.head(self.table(x))
"""
