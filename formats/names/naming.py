"""How the parameters of a layer are called: in PyTorch, and in MindSpore's classic API.

The one place of these facts: the rows of the API table (`Rule.state`) take them from here. `mint`
keeps PyTorch's names and shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

Shape = tuple[int, ...]

LEFT_OUT = ""
"""The new name of what MindSpore has not."""

SCALED = {"weight": "gamma", "bias": "beta"}
MOVING = {"running_mean": "moving_mean", "running_var": "moving_variance"}
STATISTICS = SCALED | MOVING
EMBEDDED = {"weight": "embedding_table"}
EMBEDDED_BAG = {"weight": "embedding.embedding_table"}
SLOPE = {"weight": "w"}
COUNTED = {"num_batches_tracked": LEFT_OUT}
TRANSFORMER = {
    "linear1": "dense1",
    "linear2": "dense2",
    **{
        f"norm{number}.{name}": f"norm{number}.{new}"
        for number in ("", "1", "2", "3")
        for name, new in SCALED.items()
    },
}


def within_volume(names: Mapping[str, str]) -> dict[str, str]:
    """The names as BatchNorm3d has them, which holds a BatchNorm2d."""
    return {old: f"bn2d.{new}" for old, new in names.items()}


WEIGHT_NORM = {"original0": "g", "original1": "v"}
SPECTRAL_NORM = {"original": "orig", "0._u": "u", "0._v": "v"}
REPARAMETRIZED = "parametrizations"


def unparametrized(parts: Mapping[str, str], name: str = "weight") -> dict[str, str]:
    """The names of torch.nn.utils.parametrizations as those of torch.nn.utils."""
    return {f"{REPARAMETRIZED}.{name}.{old}": f"{name}_{new}" for old, new in parts.items()}


def without_parametrization(inner: str) -> str:
    """`parametrizations.weight.original0` as `weight_g`; other names as they are."""
    parts = inner.split(".")
    if parts[0] != REPARAMETRIZED or len(parts) < 3:
        return inner
    return unparametrized(WEIGHT_NORM | SPECTRAL_NORM, parts[1]).get(inner, inner)


LINE_AXIS = 2
LINE_WEIGHTS = ("weight", "weight_g", "weight_v", "weight_orig")
"""Weights of one-dimensional convolutions: MindSpore's have an axis of 1 before the last."""


@dataclass(frozen=True)
class Naming:
    """What becomes of the names within one layer; `line`: it is a one-dimensional convolution.

    `names`: PyTorch's -> MindSpore's, where they differ; LEFT_OUT for what has no counterpart.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    line: bool = False

    @cached_property
    def originals(self) -> dict[str, str]:
        """MindSpore's names -> PyTorch's."""
        return {new: old for old, new in self.names.items() if new != LEFT_OUT}

    def renamed(self, inner: str) -> str:
        """`norm1.weight` as `norm1.gamma`; LEFT_OUT if it has no counterpart."""
        found = exchanged(without_parametrization(inner), self.names)
        return LEFT_OUT if LEFT_OUT in found.split(".") else found

    def original(self, inner: str) -> str:
        """The way back."""
        return exchanged(inner, self.originals)

    def shaped(self, inner: str, shape: Shape) -> Shape:
        """The shape in MindSpore of PyTorch's parameter `inner`."""
        if self.has_axis(inner) and len(shape) == LINE_AXIS + 1:
            return (*shape[:LINE_AXIS], 1, *shape[LINE_AXIS:])
        return shape

    def unshaped(self, inner: str, shape: Shape) -> Shape:
        """The way back; `inner` is MindSpore's name."""
        if self.has_axis(inner) and len(shape) == LINE_AXIS + 2 and shape[LINE_AXIS] == 1:
            return (*shape[:LINE_AXIS], *shape[LINE_AXIS + 1 :])
        return shape

    def has_axis(self, inner: str) -> bool:
        return self.line and without_parametrization(inner) in LINE_WEIGHTS


def exchanged(name: str, names: Mapping[str, str]) -> str:
    """The name with every part (`weight`, `norm1.weight`) exchanged that `names` has."""
    parts = name.split(".")
    most = max((known.count(".") + 1 for known in names), default=0)
    found: list[str] = []
    place = 0
    while place < len(parts):
        for end in range(min(len(parts), place + most), place, -1):
            new = names.get(".".join(parts[place:end]))
            if new is not None:
                found.append(new)
                place = end
                break
        else:
            found.append(parts[place])
            place += 1
    return ".".join(found)


PLAIN = Naming()
NORM = Naming(SCALED)
BATCH_NORM = Naming(STATISTICS | COUNTED)
VOLUME_NORM = Naming(within_volume(STATISTICS) | COUNTED)
EMBEDDING = Naming(EMBEDDED)
PRELU = Naming(SLOPE)
LINE = Naming(line=True)
TRANSFORMER_LAYER = Naming(TRANSFORMER)
NAMINGS = (NORM, BATCH_NORM, VOLUME_NORM, EMBEDDING, Naming(EMBEDDED_BAG), PRELU, TRANSFORMER_LAYER)
"""All that give other names."""

ORIGINALS = {new: old for naming in NAMINGS for new, old in naming.originals.items()}
"""MindSpore's names -> PyTorch's, of all layers: no two of them disagree."""


def original_name(name: str) -> str:
    """PyTorch's name of a parameter, whoever has named it; parametrizations by their older names.

    `a.bn2d.gamma` and `a.weight` are `a.weight`: two files' names agree in this form.
    """
    path, inner = split(name)
    inner = without_parametrization(inner)
    return exchanged(f"{path}.{inner}" if path else inner, ORIGINALS)


# by structure


@dataclass(frozen=True)
class Guess:
    """A layer that parameters of these names and shapes could belong to."""

    layer: str
    naming: Naming


Parts = Mapping[str, Shape]


def guesses(parts: Parts, has_volumes: bool = False, has_images: bool = True) -> list[Guess]:
    """The layers that a module with these own parameters could be, by PyTorch's names.

    One guess, or several that agree: the names are decided. None: no layer that renames.
    `has_volumes`, `has_images`: the network has weights of five, of four dimensions.
    """
    if "running_mean" in parts and "running_var" in parts:
        flat, deep = Guess("BatchNorm", BATCH_NORM), Guess("BatchNorm3d", VOLUME_NORM)
        if not has_volumes:
            return [flat]
        return [flat, deep] if has_images else [deep]
    weight = parts.get("weight")
    if weight is None:
        return [Guess("a reparametrized layer", LINE)] if is_reparametrized_line(parts) else []
    if set(parts) > {"weight", "bias"}:
        return []
    return list(guesses_of_weight(weight, parts.get("bias")))


def guesses_of_weight(weight: Shape, bias: Shape | None) -> Iterator[Guess]:
    """The layers of PyTorch's with such a weight and bias and nothing else."""
    if bias is not None and weight == bias:
        yield Guess("LayerNorm or GroupNorm", NORM)
    elif len(weight) == 1 and bias is None:
        yield from (Guess("LayerNorm", NORM), Guess("PReLU", PRELU), Guess("RMSNorm", PLAIN))
    elif len(weight) == 2 and bias is None:
        yield Guess("Linear", PLAIN)
        yield Guess("Embedding", EMBEDDING)
    elif len(weight) == 3:
        yield Guess("Conv1d", LINE)


def is_reparametrized_line(parts: Parts) -> bool:
    """Whether it is a Conv1d under weight_norm or spectral_norm."""
    found = {without_parametrization(name): len(shape) for name, shape in parts.items()}
    return LINE_AXIS + 1 in (found.get("weight_v"), found.get("weight_orig"))


def guesses_back(parts: Parts) -> list[Guess]:
    """The same for MindSpore's names."""
    if "bn2d.moving_mean" in parts:
        return [Guess("BatchNorm3d", VOLUME_NORM)]
    if "moving_mean" in parts and "moving_variance" in parts:
        return [Guess("BatchNorm", BATCH_NORM)]
    if parts.keys() <= {"gamma", "beta"} and "gamma" in parts:
        return [Guess("LayerNorm or GroupNorm", NORM)]
    if parts.keys() == {"embedding_table"}:
        return [Guess("Embedding", EMBEDDING)]
    if parts.keys() == {"w"} and len(parts["w"]) == 1:
        return [Guess("PReLU", PRELU)]
    weight = parts.get("weight", parts.get("weight_v", ()))
    if len(weight) == LINE_AXIS + 2 and weight[LINE_AXIS] == 1 and weight[-1] != 1:
        return [Guess("Conv1d", LINE), Guess("Conv2d", PLAIN)]
    return []


def split(name: str) -> tuple[str, str]:
    """The path of the layer and the name within it: `a.0`, `parametrizations.weight.original0`."""
    parts = name.split(".")
    end = parts.index(REPARAMETRIZED) if REPARAMETRIZED in parts else len(parts) - 1
    return ".".join(parts[:end]), ".".join(parts[end:])


def split_back(name: str) -> tuple[str, str]:
    """The same for MindSpore's names: `a.0`, `bn2d.gamma`."""
    path, _, last = name.rpartition(".")
    if path.rpartition(".")[2] == "bn2d" and last in STATISTICS.values():
        return path.rpartition(".")[0], f"bn2d.{last}"
    return path, last


# what is known of single layers

RANKS = {
    **{f"Conv{n}d": n + 2 for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": n + 2 for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": 1 for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": 1 for n in (1, 2, 3)},
    "Linear": 2,
    "Bilinear": 3,
    "Embedding": 2,
    "EmbeddingBag": 2,
    "PReLU": 1,
    "GroupNorm": 1,
    "SyncBatchNorm": 1,
}
"""How many dimensions the weight of a layer has."""
WITH_MODULES = frozenset(
    {
        *("EmbeddingBag", "MultiheadAttention", "Transformer", "TransformerEncoder"),
        *("TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer"),
    }
)
"""Layers whose parameters are not all their own, in PyTorch or in MindSpore."""
WITH_PARAMETERS = WITH_MODULES | {
    *RANKS,
    *("LayerNorm", "RMSNorm", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell"),
}
"""The layers of torch.nn that have parameters."""
LEAVES = WITH_PARAMETERS - WITH_MODULES
WITHOUT_BIAS = frozenset({"Embedding", "EmbeddingBag", "PReLU", "RMSNorm"})


MINDSPORES = frozenset({*STATISTICS.values(), *EMBEDDED.values(), *SLOPE.values()})


def fits_back(naming: Naming, parts: Iterable[str]) -> bool:
    """Whether MindSpore's names within a layer can be those of this naming."""
    found = {naming.original(part): part for part in parts}
    return not MINDSPORES & found.keys() and all(
        naming.renamed(old) == part for old, part in found.items()
    )


def fits(layer: str, parts: Parts) -> bool:
    """Whether parameters of these names and shapes (PyTorch's) can be those of a layer."""
    last = layer.rpartition(".")[2]
    rank = RANKS.get(last)
    weight = parts.get("weight")
    if weight is not None and rank is not None and len(weight) != rank:
        return False
    if "bias" in parts and last in WITHOUT_BIAS:
        return False
    if weight is not None and "bias" not in parts and last in RANKS and "Norm" in last:
        return False
    return "running_mean" not in parts or last not in RANKS or "Norm" in last


TRANSFORMER_PARTS = ("self_attn.in_proj_weight", "norm1.weight")
"""What stands beside linear1 and linear2 in nn.TransformerEncoderLayer, and in classes like it."""


def transformer_guesses(inner: str, back: bool) -> list[Guess]:
    """What `linear1.weight` beside TRANSFORMER_PARTS could belong to (back: `dense1.weight`)."""
    first = inner.partition(".")[0]
    if back and first in ("dense1", "dense2"):
        return [Guess("TransformerEncoderLayer", TRANSFORMER_LAYER)]
    if not back and first in ("linear1", "linear2"):
        own = Guess("a class like it", PLAIN)
        return [Guess("TransformerEncoderLayer", TRANSFORMER_LAYER), own]
    return []
