"""What a source has once, the network has once: modules called again, tied weights."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from msconvert.converter.code.expr import Weight
from msconvert.converter.modules.calls import calls_apart
from msconvert.converter.ties import LONGEST, Tie, remarks_on, tie_lines, tied
from msconvert.converter.weights import Parameter

Paths = list[tuple[str, ...]]

CALLS: dict[str, tuple[str, list[str]]] = {
    "a layer twice": ("h.a h.b h.a h.b", ["h.a", "h.b", "h#1.a", "h#1.b"]),
    "three times": ("h.a h.b " * 3, ["h.a", "h.b", "h#1.a", "h#1.b", "h#2.a", "h#2.b"]),
    "once": ("h.a h.b", [""] * 2),
    "parts in another order": ("h.a h.b h.b h.a", [""] * 4),
    "one more at the end": ("h.a h.b h.a h.b h.a", [""] * 5),
    "with others between": ("h.a h.b x h.a h.b", ["h.a", "h.b", "", "h#1.a", "h#1.b"]),
    "the part of one part": ("s.l.a s.l.b " * 2, ["s.l.a", "s.l.b", "s.l#1.a", "s.l#1.b"]),
    "two lists": ("h.0 h.1 g h.0 h.1", ["h.0", "h.1", "", "h#1.0", "h#1.1"]),
    "inside another": ("h.i.a h.i.b h.c " * 2, "h.i.a h.i.b h.c h#1.i.a h#1.i.b h#1.c".split()),
    "the network itself": ("a b a b", [""] * 4),
}


@pytest.mark.parametrize("case", CALLS)
def test_calls_of_a_module_are_told_apart(case: str) -> None:
    text, expected = CALLS[case]
    paths: Paths = [tuple(word.split(".")) for word in text.split()]
    found = calls_apart(paths, ["op"] * len(paths), [True] * len(paths))
    assert [".".join(path or ()) for path in found] == expected


def test_operators_and_weights_count_too() -> None:
    paths: Paths = [("h", "a"), ("h", "b")] * 2
    assert calls_apart(paths, ["Conv", "Relu", "Conv", "Tanh"], [True] * 4) == [None] * 4
    assert calls_apart(paths, ["Add", "Relu"] * 2, [False] * 4) == [None] * 4


def test_calls_are_found_in_time_that_grows_with_the_statements() -> None:
    paths: Paths = [("blocks", str(i % 1000), "part", str(i % 3)) for i in range(30_000)]
    found = calls_apart(paths, ["Conv"] * len(paths), [True] * len(paths))
    assert len(found) == len(paths)


def _parameters(**arrays: Any) -> list[Parameter]:
    given = {name.replace("__", "."): np.asarray(array) for name, array in arrays.items()}
    return [Parameter(name, Weight(array, (name,))) for name, array in given.items()]


A, B = np.float32([[1, 2], [3, 4]]), np.float32([[5, 6], [7, 8]])
ONES, ZEROS = np.ones(2, np.float32), np.zeros(2, np.float32)
TIES: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "equal numbers": ({"a__w": A, "b__w": A.copy()}, {"b.w": "a.w"}),
    "other numbers": ({"a__w": A, "b__w": B}, {}),
    "one number is another": ({"a__w": A, "b__w": A + np.float32([[0, 0], [0, 1e-6]])}, {}),
    "another shape": ({"a__w": A, "b__w": A.reshape(4)}, {}),
    "another element type": ({"a__w": A, "b__w": A.astype(np.float64)}, {}),
    "all ones, which any layer has": ({"a__g": ONES, "b__g": ONES.copy()}, {}),
    "ones beside a tied weight": (
        {"a__w": A, "a__b": ONES, "b__w": A, "b__b": ONES},
        {"b.w": "a.w", "b.b": "a.b"},
    ),
    "a bias of its own": ({"a__w": A, "a__b": ONES, "b__w": A, "b__b": ZEROS}, {"b.w": "a.w"}),
    "three": ({"a__w": A, "b__w": A, "c__w": A}, {"b.w": "a.w", "c.w": "a.w"}),
    "weights of one layer": ({"a__gamma": A, "a__beta": A}, {}),
    "weights of one layer beside others": (
        {"a__gamma": A, "a__beta": A, "a__x": ONES, "b__w": A, "b__x": ONES},
        {"b.w": "a.gamma", "b.x": "a.x"},
    ),
    "parameters of the network itself": ({"first": A, "second": A, "ones": ONES}, {}),
    "integers": ({"a__w": A.astype(np.int64), "b__w": A.astype(np.int64)}, {}),
    "single numbers": ({"a__w": np.float32([2]), "b__w": np.float32([2])}, {}),
    "zero and minus zero": ({"a__w": np.float32([0, 1]), "b__w": np.float32([-0.0, 1])}, {}),
    "nothing": ({"a__w": np.ones((0, 2), np.float32), "b__w": np.ones((0, 2), np.float32)}, {}),
}


@pytest.mark.parametrize("case", TIES)
def test_weights_are_tied_where_no_chance_makes_them_equal(case: str) -> None:
    arrays, expected = TIES[case]
    found = _parameters(**arrays)
    kept, ties = tied(found)
    assert {tie.name: tie.held for tie in ties} == expected
    assert [p.name for p in kept] == [p.name for p in found if p.name not in expected]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("b.w", "self.b.w = self.a.w"),
        ("layers.0.w", "self.layers[0].w = self.a.w"),
        ("x.1.2.dense.w", "self.x[1][2].dense.w = self.a.w"),
        ("0.w", "self[0].w = self.a.w"),
        ("w", "self.w = self.a.w"),
    ],
)
def test_a_tie_is_a_line_of_python(name: str, line: str) -> None:
    _, (tie,) = tied([Parameter("a.w", Weight(A, ("a",))), Parameter(name, Weight(A, ("b",)))])
    assert tie.lines == [line]


class Part:
    """A network that has whatever part or list member is asked for."""

    def __getattr__(self, name: str) -> Part:
        part = Part()
        setattr(self, name, part)
        return part

    def __getitem__(self, index: int) -> Part:
        return getattr(self, str(index))  # type: ignore[no-any-return]

    def at(self, path: list[str]) -> Part:
        return getattr(self, path[0]).at(path[1:]) if path else self


@pytest.mark.parametrize("depth", [2, 5, 9, 20])
def test_no_line_of_a_tie_is_long(depth: int) -> None:
    """A line of 88 to 100 characters would look otherwise to another formatter."""
    held, name = (".".join([*[f"{word}.0"] * depth, "w"]) for word in ("layers", "some_blocks"))
    _, (tie,) = tied([Parameter(held, Weight(A, ("a",))), Parameter(name, Weight(A, ("b",)))])
    assert max(map(len, tie.lines)) <= 78

    network = Part()
    exec("\n".join(tie.lines), {"self": network})  # the text under test
    assert network.at(name.split(".")) is network.at(held.split("."))


@pytest.mark.parametrize(
    ("names", "told"),
    [("ab", "1 weight is another name of a weight, and"), ("abc", "2 weights are other names of")],
)
def test_the_remark_counts(names: str, told: str) -> None:
    _, ties = tied(_parameters(**{f"{name}__w": A for name in names}))
    (remark,) = remarks_on(ties)
    assert remark.message.startswith(told)


def ties_of(*numbers: int, held: str = "e.layer.0.a.w") -> list[Tie]:
    return [Tie(f"e.layer.{i}.a.w", held) for i in numbers]


LOOPED = {
    "a list": (ties_of(1, 2, 3), True),
    "one": (ties_of(1), False),
    "a gap": (ties_of(1, 3), False),
    "from another": (ties_of(1, 2, held="e.layer.7.a.w"), False),
    "another weight": (ties_of(1, 2, held="e.layer.0.b.w"), False),
}


@pytest.mark.parametrize("case", LOOPED)
def test_the_elements_of_a_list_are_tied_in_a_loop(case: str) -> None:
    ties, is_loop = LOOPED[case]
    lines = tie_lines(ties)
    assert any(line.startswith("for i in range(1, ") for line in lines) == is_loop
    assert max(map(len, lines)) <= LONGEST
    layers = [SimpleNamespace(a=SimpleNamespace(w=i), b=SimpleNamespace(w=9)) for i in range(8)]
    network = SimpleNamespace(e=SimpleNamespace(layer=layers))
    exec("\n".join(lines), {"self": network})
    first = 9 if case == "another weight" else 7 if case == "from another" else 0
    tied_ones = [int(tie.name.split(".")[2]) for tie in ties]
    assert [x.a.w for x in layers] == [first if i in tied_ones else i for i in range(8)]


@pytest.mark.parametrize("kind", ["CellList", "SequentialCell"])
def test_a_loop_renames_no_weights(kind: str) -> None:
    """MindSpore makes a list of its own of a part of one, whose cells it names anew."""
    from msconvert.runtime import nn

    class Net(nn.Cell):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = getattr(nn, kind)([nn.Dense(2, 2) for _ in range(4)])
            lines = tie_lines([Tie(f"layer.{i}.weight", "layer.0.weight") for i in (1, 2, 3)])
            assert any("range(1, 4)" in line for line in lines)
            exec("\n".join(lines), {"self": self})

    net = Net()
    names = [parameter.name for parameter in net.get_parameters()]
    assert names == ["layer.0.weight", *(f"layer.{i}.bias" for i in range(4))]
    assert net.layer[3].weight is net.layer[0].weight
