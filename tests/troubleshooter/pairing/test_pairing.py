"""Pairs by names, rules, shapes and values; no pair where there is no reason for one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.stored import StoredTensor, damage
from msconvert.troubleshooter.pairing import Pair, pair_up


def stored(arrays: Mapping[str, np.ndarray]) -> dict[str, StoredTensor]:
    """Tensors as the readers give them."""
    return {
        name: StoredTensor(name, "Float32", array.shape, array.dtype, lambda array=array: array)
        for name, array in arrays.items()
    }


def shaped(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, StoredTensor]:
    """The same of shapes only: whoever reads values fails."""

    def load() -> np.ndarray:
        raise AssertionError("the data was read")

    return {
        name: StoredTensor(name, "Float32", shape, np.dtype("f4"), load)
        for name, shape in shapes.items()
    }


def names(pairs: tuple[Pair, ...]) -> set[tuple[str | None, str | None]]:
    return {(pair.a, pair.b) for pair in pairs}


def test_equal_names_come_first() -> None:
    a = shaped({"x.weight": (3, 4), "x.bias": (3,)})
    assert pair_up(a, a) == (
        Pair("x.weight", "x.weight", "name", 1.0),
        Pair("x.bias", "x.bias", "name", 1.0),
    )


def test_a_map_by_hand() -> None:
    a, b = shaped({"x": (2,), "y": (2,), "z": (4,)}), shaped({"y": (2,), "z": (2,), "w": (2, 2)})
    naming = {"x": "y", "y": "z", "z": "w"}
    found = pair_up(a, b, naming=naming)
    assert [(p.a, p.b, p.how, p.change) for p in found] == [
        ("x", "y", "map", ""),
        ("y", "z", "map", ""),
        ("z", "w", "map", "reshape"),
    ]
    assert names(pair_up(b, a, naming=naming)) == {("y", "x"), ("z", "y"), ("w", "z")}
    assert pair_up(a, b, naming={"z": ""})[2] == Pair("z", None, "map")
    with pytest.raises(MsconvertError, match="MS310 --map: the map pairs no name"):
        pair_up(a, b, naming={"q": "r"})


STATISTICS = {"n.running_mean": (3,), "n.running_var": (3,)}
RULES = {
    "batch norm": (
        {"n.weight": (3,), "n.bias": (3,)} | STATISTICS,
        {"n.moving_mean": (3,), "n.moving_variance": (3,), "n.gamma": (3,), "n.beta": (3,)},
        "n.weight n.gamma, n.bias n.beta, n.running_mean n.moving_mean, "
        "n.running_var n.moving_variance",
    ),
    "a counter": (
        {"n.weight": (3,), "n.num_batches_tracked": ()},
        {"n.gamma": (3,)},
        "n.weight n.gamma, n.num_batches_tracked -",
    ),
    "batch norm of volumes": (
        STATISTICS,
        {"n.bn2d.moving_mean": (3,), "n.bn2d.moving_variance": (3,)},
        "n.running_mean n.bn2d.moving_mean, n.running_var n.bn2d.moving_variance",
    ),
    "embedding": (
        {"e.weight": (9, 4)},
        {"e.embedding_table": (9, 4)},
        "e.weight e.embedding_table",
    ),
    "embedding bag": (
        {"e.weight": (9, 4)},
        {"e.embedding.embedding_table": (9, 4)},
        "e.weight e.embedding.embedding_table",
    ),
    "prelu": ({"act.weight": (3,)}, {"act.w": (3,)}, "act.weight act.w"),
    "transformer": (
        {"e.linear1.weight": (8, 4), "e.norm1.weight": (4,)},
        {"e.dense1.weight": (8, 4), "e.norm1.gamma": (4,)},
        "e.linear1.weight e.dense1.weight, e.norm1.weight e.norm1.gamma",
    ),
    "parametrizations": (
        {f"c.parametrizations.weight.original{n}": (4, 3) for n in (0, 1)},
        {"c.weight_g": (4, 3), "c.weight_v": (4, 3)},
        "c.parametrizations.weight.original0 c.weight_g, "
        "c.parametrizations.weight.original1 c.weight_v",
    ),
    "a wrapper": (
        {"module.a.weight": (2, 3), "module.a.bias": (2,)},
        {"a.weight": (2, 3), "a.bias": (2,)},
        "module.a.weight a.weight, module.a.bias a.bias",
    ),
    "a wrapper inside": (
        {"a._orig_mod.weight": (2, 3), "b.weight": (2, 3)},
        {"a.weight": (2, 3), "b.weight": (2, 3)},
        "a._orig_mod.weight a.weight, b.weight b.weight",
    ),
    "two wrappers": (
        {"_orig_mod.module.a.weight": (2, 3), "_orig_mod.module.b.weight": (2, 3)},
        {"model.b.weight": (2, 3), "model.a.weight": (2, 3)},
        "_orig_mod.module.a.weight model.a.weight, _orig_mod.module.b.weight model.b.weight",
    ),
    "a prefix and another head": (
        {"a.weight": (2, 3), "n.weight": (2,), "fc.weight": (5, 2)},
        {"backbone.a.weight": (2, 3), "backbone.n.gamma": (2,), "head.weight": (7, 2)},
        "a.weight backbone.a.weight, n.weight backbone.n.gamma, fc.weight -, - head.weight",
    ),
    "a prefix and a head of other classes": (
        {f"a{n}.weight": (2, n + 1) for n in range(5)} | {"fc.weight": (10, 2)},
        {f"vit.a{n}.weight": (2, n + 1) for n in range(5)} | {"vit.fc.weight": (7, 2)},
        ", ".join(f"{name}.weight vit.{name}.weight" for name in ("a0 a1 a2 a3 a4 fc".split())),
    ),
    "one prefix for another": (
        {"encoder.a.weight": (2, 3), "encoder.b.weight": (2, 5)},
        {"backbone.body.a.weight": (2, 3), "backbone.body.b.weight": (2, 5)},
        "encoder.a.weight backbone.body.a.weight, encoder.b.weight backbone.body.b.weight",
    ),
    "a cached parameter": (
        {"a.weight": (2, 3)},
        {"a.weight.__param_key__7": (2, 3)},
        "a.weight a.weight.__param_key__7",
    ),
    "mint": (STATISTICS, STATISTICS, ", ".join(f"{name} {name}" for name in STATISTICS)),
}


def expected_names(text: str, back: bool) -> set[tuple[str | None, ...]]:
    found = [tuple(None if n == "-" else n for n in pair.split()) for pair in text.split(", ")]
    return {pair[::-1] if back else pair for pair in found}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("back", [False, True], ids=["there", "back"])
def test_rules_need_no_data(rule: str, back: bool) -> None:
    a, b, expected = RULES[rule]
    found = pair_up(*((shaped(b), shaped(a)) if back else (shaped(a), shaped(b))))
    assert names(found) == expected_names(expected, back)
    least = 0.7 if rule == "one prefix for another" else 0.9
    assert all(p.confidence >= least for p in found if p.is_whole)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ((4, 3, 5), (4, 3, 1, 5), "reshape"),
        ((4, 3, 1, 5), (4, 3, 5), "reshape"),
        ((4, 3, 1), (4, 3, 1, 1), "reshape"),
        ((), (1,), "reshape"),
        ((3, 4), (4, 3), ""),  # no rule turns a matrix: a difference, for whoever compares
        ((3, 4), (12,), ""),
        ((3, 4), (3, 5), ""),
    ],
)
def test_shapes_of_equal_names_change_by_rules_only(
    before: tuple[int, ...], after: tuple[int, ...], change: str
) -> None:
    (pair,) = pair_up(shaped({"a.weight": before}), shaped({"a.weight": after}))
    assert (pair.how, pair.change) == ("name", change)


# values

NUMBERS = np.random.RandomState(0)


def random(*shape: int) -> np.ndarray:
    return NUMBERS.randn(*shape).astype("f4")


WEIGHTS = {
    "conv1.weight": random(8, 3, 3, 3),
    "conv2.weight": random(8, 8, 3, 3),
    "conv3.weight": random(8, 8, 3, 3),
    "fc.weight": random(6, 6),
    "fc.bias": random(6),
    "norm.weight": np.ones(8, "f4"),
    "norm.bias": random(8),
}


def anonymous(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """As ONNX files name what was computed when they were made."""
    return {f"onnx::Conv_{100 + n}": array for n, array in enumerate(arrays.values())}


def test_values_pair_what_has_no_name() -> None:
    changed = dict(WEIGHTS)
    changed["fc.weight"] = np.ascontiguousarray(WEIGHTS["fc.weight"].T)
    changed["conv2.weight"] = np.ascontiguousarray(WEIGHTS["conv2.weight"].transpose(2, 3, 1, 0))
    order = ["fc.bias", "conv3.weight", "fc.weight", "conv2.weight", "norm.bias", "conv1.weight"]
    shuffled = {name: changed[name] for name in order}
    found = pair_up(stored(WEIGHTS), stored(anonymous(shuffled)))
    assert {p.a: (order[int((p.b or "")[-1])], p.how, p.change) for p in found if p.b} == {
        "conv1.weight": ("conv1.weight", "value", ""),
        "conv2.weight": ("conv2.weight", "value", "transpose(2, 3, 1, 0)"),
        "conv3.weight": ("conv3.weight", "value", ""),
        "fc.weight": ("fc.weight", "value", "transpose(1, 0)"),
        "fc.bias": ("fc.bias", "value", ""),
        "norm.bias": ("norm.bias", "value", ""),
    }
    a, b = stored(WEIGHTS), stored(anonymous(shuffled))
    for pair in (p for p in found if p.is_whole):
        np.testing.assert_array_equal(*pair.arrays(a, b))


def test_values_that_are_a_little_different_pair_with_less_confidence() -> None:
    disturbed = {name: array + 0.05 * random(*array.shape) for name, array in WEIGHTS.items()}
    convolutions = [name for name in WEIGHTS if "conv" in name]
    found = pair_up(
        stored({name: WEIGHTS[name] for name in convolutions}),
        stored(anonymous({name: disturbed[name] for name in reversed(convolutions)})),
    )
    assert {p.a: p.b for p in found} == {
        "conv1.weight": "onnx::Conv_102",
        "conv2.weight": "onnx::Conv_101",
        "conv3.weight": "onnx::Conv_100",
    }
    assert all(p.how == "value" and 0.8 < p.confidence < 0.9 for p in found)


def test_elements_in_another_order() -> None:
    gates = random(12, 5)
    other = np.concatenate([gates[4:8], gates[:4], gates[8:]])
    (pair,) = pair_up(stored({"r.weight_ih": gates}), stored({"W": other}))
    assert (pair.a, pair.b, pair.how, pair.confidence) == ("r.weight_ih", "W", "value", 0.85)


def test_constants_and_repeated_values_pair_with_nothing() -> None:
    a = {f"a{n}.scale": np.ones(8, "f4") for n in range(3)} | {"x.table": np.zeros((2, 4), "f4")}
    b = {f"b{n}.scale": np.ones(8, "f4") for n in range(2)} | {"y": np.ones((4, 2), "f4")}
    assert [p for p in pair_up(stored(a), stored(b)) if p.is_whole] == []


def test_what_cannot_be_read_has_no_pair_and_disturbs_no_other() -> None:
    def broken() -> np.ndarray:
        raise damage("b.ckpt", "cut short")

    b = stored(anonymous(WEIGHTS))
    b["onnx::Conv_100"] = replace(b["onnx::Conv_100"], load=broken)
    found = {p.a: p.b for p in pair_up(stored(WEIGHTS), b)}
    assert found["conv2.weight"] == "onnx::Conv_101"
    assert found["conv1.weight"] in (None, "onnx::Conv_100")


def test_hostile_values() -> None:
    odd = {
        "nan": np.full(20, np.nan, "f4"),
        "inf": np.full(20, np.inf, "f4"),
        "huge": np.array([1e300, -1e300] * 10),
        "some": np.where(np.arange(20) == 3, np.nan, np.arange(20)).astype("f4"),
        "complex": random(20) + 1j * random(20),
        "bool": random(20) > 0,
        "integers": np.arange(20) + 2**60,
        "bytes": np.arange(20, dtype="u1"),
    }
    found = pair_up(stored(odd), stored(anonymous(odd)))
    by_value = {p.a: p.b for p in found if p.how == "value"}
    assert by_value["complex"] == "onnx::Conv_104"
    assert not {"nan", "inf", "some"} & by_value.keys()


def test_tied_weights_are_names_of_one_pair() -> None:
    table = random(9, 4)
    a = stored({"e.weight": table, "head.weight": table.copy()})
    b = stored({"e.embedding_table": table})
    first, second = pair_up(a, b)
    assert (first.a, first.b, first.how, first.tied) == (
        *("e.weight", "e.embedding_table", "rule", ""),
    )
    assert (second.a, second.b, second.tied) == ("head.weight", "e.embedding_table", "e.weight")
    first, second = pair_up(b, a)
    assert (second.a, second.b, second.tied) == ("e.embedding_table", "head.weight", "e.weight")


# weights that are computed


def test_weight_norm_folded() -> None:
    v, g = random(4, 3, 5), random(4, 1, 1)
    weight = v * g / np.sqrt((v * v).sum((1, 2), keepdims=True))
    a = {"c.bias": random(4)} | {
        f"c.parametrizations.weight.original{n}": part for n, part in enumerate((g, v))
    }
    b = {"c.weight": weight[:, :, None], "c.bias": a["c.bias"]}
    found = pair_up(stored(a), stored(b))
    assert [(p.a, p.b, p.how, p.change, p.folded) for p in found] == [
        ("c.bias", "c.bias", "name", "", ""),
        ("c.parametrizations.weight.original1", "c.weight", "rule", "reshape", "a"),
    ]
    np.testing.assert_allclose(*found[1].arrays(stored(a), stored(b)), rtol=1e-6)
    found = pair_up(stored(b), stored(a))
    assert [(p.a, p.b, p.folded) for p in found] == [
        ("c.weight", "c.parametrizations.weight.original1", "b"),
        ("c.bias", "c.bias", ""),
    ]
    np.testing.assert_allclose(*found[0].arrays(stored(b), stored(a)), rtol=1e-6)


def test_constants_of_mindspores_norms_need_no_counterpart() -> None:
    a = {name: random(*shape) for name, shape in STATISTICS.items()}
    b = {
        "n.moving_mean": a["n.running_mean"],
        "n.moving_variance": a["n.running_var"],
        "n.gamma": np.ones(3, "f4"),
        "n.beta": np.zeros(3, "f4"),
    }
    alone = [p for p in pair_up(stored(a), stored(b)) if p.a is None]
    assert alone == [Pair(None, "n.gamma", "rule", 0.9), Pair(None, "n.beta", "rule", 0.9)]
    trained = b | {"n.gamma": random(3)}
    alone = [p for p in pair_up(stored(a), stored(trained)) if p.a is None]
    assert alone == [Pair(None, "n.beta", "rule", 0.9), Pair(None, "n.gamma", "none", 0.0)]


# order


def blocks(numbers: range, path: str = "blocks") -> dict[str, np.ndarray]:
    """Layers that only their numbers tell apart."""
    return {
        f"{path}.{n}.{layer}.{name}": random(*shape)
        for n in numbers
        for layer in ("fc1", "fc2")
        for name, shape in (("weight", (4, 4)), ("bias", (4,)))
    }


def test_layers_of_the_same_shapes_pair_in_their_order_if_none_is_missing() -> None:
    a, b = blocks(range(3)), blocks(range(3), "encoder.layer")
    b = {name.replace("fc1", "dense_in").replace("fc2", "dense_out"): v for name, v in b.items()}
    found = pair_up(stored(a), stored(b))
    assert [(p.a, p.b) for p in found] == list(zip(a, b, strict=True))
    assert {(p.how, p.confidence) for p in found} == {("shape", 0.5)}


def test_no_pair_slides_over_a_gap() -> None:
    a = {"stem.weight": random(4, 3, 7, 7)} | blocks(range(3)) | {"head.weight": random(9, 4)}
    b = {"conv.weight": random(4, 3, 7, 7)} | blocks(range(2), "b.l") | {"out.weight": random(9, 4)}
    b = {name.replace("fc", "dense"): v for name, v in b.items()}
    found = {p.a: p.b for p in pair_up(stored(a), stored(b)) if p.is_whole}
    assert found == {"stem.weight": "conv.weight", "head.weight": "out.weight"}


def test_what_stands_on_both_sides_of_a_gap_is_paired() -> None:
    """The values of two layers tell where the gap is not."""
    a, b = blocks(range(4)), {}
    for number, name in enumerate(n for n in a if not n.startswith("blocks.2.fc1")):
        is_known = name.startswith(("blocks.1.fc2", "blocks.2.fc2"))
        leaf = name.rpartition(".")[2]
        b[f"layer_{number // 2}.{leaf}"] = a[name] if is_known else random(*a[name].shape)
    found = pair_up(stored(a), stored(b))
    assert [(p.a, p.b, p.how, p.confidence) for p in found if (p.a or "").endswith("weight")] == [
        ("blocks.0.fc1.weight", "layer_0.weight", "shape", 0.6),
        ("blocks.0.fc2.weight", "layer_1.weight", "shape", 0.6),
        ("blocks.1.fc1.weight", "layer_2.weight", "shape", 0.6),
        ("blocks.1.fc2.weight", "layer_3.weight", "value", 0.99),
        ("blocks.2.fc1.weight", None, "none", 0.0),
        ("blocks.2.fc2.weight", "layer_4.weight", "value", 0.99),
        ("blocks.3.fc1.weight", "layer_5.weight", "shape", 0.6),
        ("blocks.3.fc2.weight", "layer_6.weight", "shape", 0.6),
    ]


def without_block(arrays: Mapping[str, np.ndarray], gone: int) -> dict[str, np.ndarray]:
    """The same with one block less, and those behind it numbered anew."""
    found = {}
    for name, array in arrays.items():
        path, number, rest = name.split(".", 2)
        if int(number) != gone:
            found[f"{path}.{int(number) - (int(number) > gone)}.{rest}"] = array
    return found


def test_equal_names_of_other_layers() -> None:
    """Names alone would pair each block behind the gap with its neighbour."""
    a = {name: v if v.ndim == 2 else np.zeros_like(v) for name, v in blocks(range(5)).items()}
    b = without_block(a, 2)
    found = pair_up(stored(a), stored(b))
    assert {p.a: p.b for p in found} == {
        **{name: name for name in a if name[7] in "01"},
        **{name: None for name in a if name[7] == "2"},
        **{name: name.replace("3", "2", 1) for name in a if name[7] == "3"},
        **{name: name.replace("4", "3", 1) for name in a if name[7] == "4"},
    }
    assert {p.how for p in found if p.a and p.a[7] in "34"} == {"value"}
    back = {p.a: p.b for p in pair_up(stored(b), stored(a))}
    assert back["blocks.2.fc1.bias"] == "blocks.3.fc1.bias"


def test_counting_from_one() -> None:
    a = blocks(range(4))
    b = {f"blocks.{int(name[7]) + 1}{name[8:]}": value for name, value in a.items()}
    found = pair_up(stored(a), stored(b))
    assert [(p.a, p.b) for p in found] == list(zip(a, b, strict=True))


def test_names_stay_where_values_say_nothing() -> None:
    """The last block is gone, and all others were trained on."""
    a, b = blocks(range(4)), blocks(range(3))
    found = pair_up(stored(a), stored(b))
    assert {p.a: p.b for p in found} == {name: name if name in b else None for name in a}


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ("0_a 1_b 2_c", "3_a 4_b 5_c", "0_a 3_a, 1_b 4_b, 2_c 5_c"),
        ("0_a 1_c 2_d", "0_a 1_x 2_c 3_d", "0_a 0_a, 1_c 2_c, 2_d 3_d, - 1_x"),
        ("0_a 2_a 10_a", "4_a 5_a 11_a", "0_a 4_a, 2_a 5_a, 10_a 11_a"),
        ("a b", "0_a 1_b", "a 0_a, b 1_b"),
        ("x/0_n.weight x/1_y", "x/5_n.gamma x/7_y", "x/0_n.weight x/5_n.gamma, x/1_y x/7_y"),
    ],
)
def test_what_was_saved_one_after_the_other(ours: str, theirs: str, expected: str) -> None:
    """Numbers that `save` has put before names are no part of them, where all names have one."""
    pairs = pair_up(*(shaped_or_not(side) for side in (ours, theirs)))
    assert ", ".join(f"{p.a or '-'} {p.b or '-'}" for p in pairs) == expected


def shaped_or_not(names: str) -> dict[str, StoredTensor]:
    """Elements that are all the same pair by nothing."""
    return stored({name: np.zeros((2, 3), "f4") for name in names.split()})


def test_hostile_names() -> None:
    """Names of any length and number: the work grows with them, and with nothing else."""
    names = ["." * 20_000, "a." * 20_000, "", ".", "\0", "1" * 10_000, "weight_hh_l" * 5_000 + "1"]
    names += [f"{name}_x" for name in names]
    names += [f"a{n}.u{n}.{n}.weight" for n in range(2_000)]
    a, b = shaped(dict.fromkeys(names, (2,))), shaped({f"q{name}": (2,) for name in names})
    assert len(pair_up(a, b)) >= len(names)
