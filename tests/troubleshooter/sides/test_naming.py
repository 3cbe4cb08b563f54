"""Which parameter is which, by hand-written lists; the shapes that known rules change."""

from __future__ import annotations

import pytest

from msconvert.troubleshooter.sides.child.messages import Held, Layer
from msconvert.troubleshooter.sides.naming import expected, mapping_of

ROOT = Layer("", ("models.Net", "torch.nn.modules.module.Module"))


def held(path: str, kind: str = "", shape: tuple[int, ...] = (4,), **more: object) -> Held:
    """A parameter whose layer is of a class of torch.nn.modules; those above are the user's."""
    *parts, leaf = path.split(".")
    layers = [ROOT, *(Layer(part, ROOT.classes) for part in parts[:-1])]
    if parts:
        layers.append(Layer(parts[-1], (f"torch.nn.modules.{kind}", *ROOT.classes)))
    fields = {"dtype": "float32", "trainable": True} | more
    return Held(path, tuple(layers), leaf, shape, **fields)


def of_mindspore(name: str, shape: tuple[int, ...] = (4,), kind: str = "Dense", **more) -> Held:
    fields = {"dtype": "float32", "trainable": True} | more
    return Held(name, (Layer("", (f"mindspore.nn.{kind}",)),), name.split(".")[-1], shape, **fields)


@pytest.mark.parametrize(
    ("path", "kind", "name"),
    [
        ("norm.weight", "batchnorm._BatchNorm", "norm.gamma"),
        ("a.0.norm.running_var", "batchnorm._BatchNorm", "a.0.norm.moving_variance"),
        ("norm.weight", "batchnorm.BatchNorm3d", "norm.bn2d.gamma"),
        ("norm.bias", "normalization.LayerNorm", "norm.beta"),
        ("words.weight", "sparse.Embedding", "words.embedding_table"),
        ("act.weight", "activation.PReLU", "act.w"),
        ("fc.weight", "linear.Linear", "fc.weight"),
        ("norm.num_batches_tracked", "batchnorm._BatchNorm", ""),
        ("weight.scale", "linear.Linear", "weight.scale"),
    ],
)
def test_names(path: str, kind: str, name: str) -> None:
    assert expected(held(path, kind))[0] == name


def test_names_below_layers_and_parametrizations() -> None:
    layer = Layer("layer", ("torch.nn.modules.transformer.TransformerEncoderLayer",))
    inner = Layer("linear1", ("torch.nn.modules.linear.Linear",))
    norm = Layer("norm2", ("torch.nn.modules.normalization.LayerNorm",))
    linear = Held("layer.linear1.bias", (ROOT, layer, inner), "bias", (4,), "float32", True)
    scale = Held("layer.norm2.bias", (ROOT, layer, norm), "bias", (4,), "float32", True)
    assert [expected(x)[0] for x in (linear, scale)] == ["layer.dense1.bias", "layer.norm2.beta"]
    conv = Layer("conv", ("torch.nn.utils.X", "torch.nn.modules.conv.Conv1d"))
    on_way = (Layer("parametrizations", ("a.b",)), Layer("weight", ("a.c",)))
    weight = Held("", (ROOT, conv, *on_way), "original1", (8, 4, 3), "float32", True)
    assert expected(weight) == ("conv.weight_v", (8, 4, 1, 3))


def test_everything_must_fit() -> None:
    ours = [
        held("conv.weight", "conv.Conv1d", (8, 4, 3)),
        held("norm.num_batches_tracked", "batchnorm._BatchNorm", ()),
        held("norm.weight", "batchnorm._BatchNorm"),
        held("head.weight", "linear.Linear", same_as="words.weight"),
        held("table", saved=False, trainable=False),
    ]
    theirs = [
        of_mindspore("conv.weight", (8, 4, 1, 3)),
        of_mindspore("norm.gamma"),
        of_mindspore("head.weight"),
        of_mindspore("own", saved=False, trainable=False),
        of_mindspore("other.beta", kind="BatchNorm2d", trainable=False),
    ]
    mapping = mapping_of(ours, theirs)
    assert mapping.fits, mapping
    names = [(one.name, other.name) for one, other in mapping.pairs]
    assert names == [
        ("conv.weight", "conv.weight"),
        ("norm.weight", "norm.gamma"),
        ("head.weight", "head.weight"),
    ]


def test_what_does_not_fit() -> None:
    ours = [held("a.weight", "linear.Linear", (4, 3)), held("b.weight", "linear.Linear")]
    theirs = [
        of_mindspore("a.weight", (4, 1, 3)),
        of_mindspore("c.weight"),
        of_mindspore("d.weight", dtype="float64"),
        of_mindspore("e.beta", kind="Dense", trainable=False),
    ]
    mapping = mapping_of([*ours, held("d.weight", "linear.Linear")], theirs)
    assert mapping.missing == ("b.weight float32 (4,)",)
    assert mapping.unexpected == ("c.weight float32 (4,)", "e.beta float32 (4,)")
    assert mapping.wrong == (
        "a.weight: shape (4, 1, 3), the original's (4, 3)",
        "d.weight: element type float64, the original's float32",
    )


def test_shapes_change_by_rules_only() -> None:
    line = held("a.weight", "conv.Conv1d", (8, 4, 3))
    image = held("a.weight", "conv.Conv2d", (8, 4, 3))
    other = of_mindspore("a.weight", (8, 4, 1, 3))
    assert mapping_of([line], [other]).fits
    assert not mapping_of([image], [other]).fits
