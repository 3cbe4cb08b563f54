"""New names by structure, by maps and by wishes; what is ambiguous is asked, not guessed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.names import renaming
from msconvert.formats.names.naming import BATCH_NORM, EMBEDDING, LINE, NORM, Naming, exchanged
from msconvert.formats.names.renaming import Plan, Wishes, plan_by_names, plan_of, unchanged
from msconvert.formats.names.weight_map import (
    ClassEntry,
    ClassMap,
    Container,
    NameMap,
    class_map_text,
    read_weight_map,
)

Shapes = dict[str, tuple[int, ...]]


def names(plan: Plan) -> dict[str, str]:
    """Old and new names, where they differ."""
    assert plan.questions == ()
    return {step.old: step.new for step in plan.steps if step.old != step.new}


BATCH = {
    "n.weight": (3,),
    "n.bias": (3,),
    "n.running_mean": (3,),
    "n.running_var": (3,),
    "n.num_batches_tracked": (),
}
AS_BATCH = {
    "n.weight": "n.gamma",
    "n.bias": "n.beta",
    "n.running_mean": "n.moving_mean",
    "n.running_var": "n.moving_variance",
    "n.num_batches_tracked": "",
}
DEEP = {old: new.replace("n.", "n.bn2d.") for old, new in AS_BATCH.items()}

STRUCTURES: dict[str, tuple[Shapes, dict[str, str]]] = {
    "linear": ({"a.weight": (3, 4), "a.bias": (3,)}, {}),
    "convolution": ({"a.0.weight": (3, 4, 1, 1)}, {}),
    "batch norm": (BATCH, AS_BATCH),
    "batch norm of volumes": ({"c.weight": (3, 4, 1, 1, 1)} | BATCH, DEEP),
    "layer norm": ({"a.weight": (3,), "a.bias": (3,)}, {"a.weight": "a.gamma", "a.bias": "a.beta"}),
    "layer norm of planes": (
        {"a.weight": (3, 4), "a.bias": (3, 4)},
        {"a.weight": "a.gamma", "a.bias": "a.beta"},
    ),
    "own parameters": ({"cls_token": (1, 1, 8), "a.scale": (3,), "a.weight_x": (2,)}, {}),
    "recurrent": ({"r.weight_ih_l0": (8, 4), "r.weight_hh_l0": (8, 2), "r.bias_ih_l0": (8,)}, {}),
    "attention": (
        {"a.in_proj_weight": (12, 4), "a.in_proj_bias": (12,), "a.out_proj.weight": (4, 4),
         "a.out_proj.bias": (4,)},
        {},
    ),
    "weight norm": ({"a.weight_g": (3, 1), "a.weight_v": (3, 4), "a.bias": (3,)}, {}),
}  # fmt: skip


@pytest.mark.parametrize(("shapes", "expected"), STRUCTURES.values(), ids=STRUCTURES)
def test_names_by_structure(shapes: Shapes, expected: dict[str, str]) -> None:
    plan = plan_of(shapes, None)
    assert names(plan) == expected
    back = plan_of({step.new: step.shape for step in plan.steps if step.new}, None, back=True)
    assert {step.new: step.shape for step in back.steps} == {
        name: shape for name, shape in shapes.items() if "tracked" not in name
    }


def test_parametrizations_become_the_older_names() -> None:
    """compat.weight_norm has these names, and torch.nn.utils.parametrizations loads them."""
    shapes = {
        "a.parametrizations.weight.original0": (3, 1, 1),
        "a.parametrizations.weight.original1": (3, 4, 5),
        "a.bias": (3,),
        "b.parametrizations.weight.original": (3, 4),
        "b.parametrizations.weight.0._u": (3,),
        "b.parametrizations.weight.0._v": (4,),
        "c.parametrizations.weight_hh_l0.original0": (3, 1),
    }
    assert [(step.new, step.shape) for step in plan_of(shapes, None).steps] == [
        ("a.weight_g", (3, 1, 1, 1)),
        ("a.weight_v", (3, 4, 1, 5)),
        ("a.bias", (3,)),
        ("b.weight_orig", (3, 4)),
        ("b.weight_u", (3,)),
        ("b.weight_v", (4,)),
        ("c.weight_hh_l0_g", (3, 1)),
    ]


def test_an_axis_of_one_dimensional_convolutions() -> None:
    shapes = {
        "c.weight": (4, 3, 5),
        "c.bias": (4,),
        "w.weight_v": (4, 3, 5),
        "w.weight_g": (4, 1, 1),
    }
    plan = plan_of(shapes, None)
    assert names(plan) == {}
    assert [step.shape for step in plan.steps] == [(4, 3, 1, 5), (4,), (4, 3, 1, 5), (4, 1, 1, 1)]
    found = plan_of({"c.weight": (4, 3, 1, 5)}, None, back=True)
    assert [q.layers for q in found.questions] == [("Conv1d", "Conv2d")]
    layer = Wishes(layers=[("c", LINE)])
    (step,) = plan_of({"c.weight": (4, 3, 1, 5)}, None, layer, back=True).steps
    assert step.shape == (4, 3, 5)


AMBIGUOUS = {
    "one vector": ({"a.weight": (3,)}, ("LayerNorm", "PReLU", "RMSNorm")),
    "one matrix": ({"a.weight": (3, 4)}, ("Linear", "Embedding")),
    "statistics": (
        {"c.weight": (3, 4, 1, 1, 1), "d.weight": (3, 4, 1, 1)} | BATCH,
        ("BatchNorm", "BatchNorm3d"),
    ),
    "a transformer layer": (
        {"e.linear1.weight": (8, 4), "e.linear1.bias": (8,), "e.norm1.weight": (4,),
         "e.norm1.bias": (4,), "e.self_attn.in_proj_weight": (12, 4)},
        ("TransformerEncoderLayer", "a class like it"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("shapes", "layers"), AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_what_is_ambiguous_is_asked(shapes: Shapes, layers: tuple[str, ...]) -> None:
    plan = plan_of(shapes, None)
    assert {question.layers for question in plan.questions} == {layers}


def test_batch_norm_without_weights_gets_constants() -> None:
    shapes = {name: shape for name, shape in BATCH.items() if name not in ("n.weight", "n.bias")}
    plan = plan_of(shapes, None)
    assert [(a.name, a.like, a.value) for a in plan.added] == [
        ("n.gamma", "n.running_mean", 1.0),
        ("n.beta", "n.running_mean", 0.0),
    ]


def test_wishes() -> None:
    shapes: Shapes = {
        "wte.weight": (9, 4),
        "h.0.norm.weight": (4,),
        "head.weight": (9, 4),
        "x": (1,),
    }
    wishes = Wishes(
        {"head.weight": "out.weight"}, [("wte", EMBEDDING), ("h.*.norm", NORM)], ["x", "y*"]
    )
    assert names(plan_of(shapes, None, wishes)) == {
        "wte.weight": "wte.embedding_table",
        "h.0.norm.weight": "h.0.norm.gamma",
        "head.weight": "out.weight",
        "x": "",
    }
    with pytest.raises(MsconvertError, match=r"MS310 --rename: there is no 'y'"):
        plan_of(shapes, None, Wishes({"y": "z"}))
    with pytest.raises(MsconvertError, match=r"'a' and 'b' would have the same name"):
        plan_of({"a": (1,), "b": (1,)}, None, Wishes({"a": "c", "b": "c"}))
    assert names(unchanged(shapes, Wishes({"x": "z"}))) == {"x": "z"}


def test_parts_of_names_are_exchanged_once() -> None:
    assert (
        exchanged("a.norm1.weight.b", {"norm1.weight": "weight.x", "weight": "no"})
        == "a.weight.x.b"
    )
    assert Naming({"a": "b", "b": "a"}).renamed("a.b") == "b.a"
    assert BATCH_NORM.renamed("num_batches_tracked") == ""
    assert BATCH_NORM.original("moving_mean") == "running_mean"


MAP = ClassMap(
    "net.py",
    ("net.Net", "net.Critic"),
    {
        "net.Block": ClassEntry(
            ("torch.nn.Module",),
            {"conv": ("torch.nn.Conv1d",), "norm": ("torch.nn.LayerNorm", "torch.nn.PReLU")},
            ("scale",),
        ),
        "net.Wide": ClassEntry(("net.Block",), {"table": ("torch.nn.Embedding",)}),
        "net.Planes": ClassEntry(("torch.nn.LayerNorm",)),
        "net.Net": ClassEntry(
            (),
            {
                "stem": (Container((("torch.nn.Linear",), ("torch.nn.Embedding",), ())),),
                "blocks": (Container(each=("net.Block", "net.Wide")),),
                "fc*": ("torch.nn.Embedding",),
                "planes": ("net.Planes",),
                "unknown": (),
            },
            ("cls_token", "list.*"),
        ),
        "net.Critic": ClassEntry((), {"stem": ("torch.nn.Embedding",)}),
    },
    {
        "torch.nn.Conv1d": LINE,
        "torch.nn.LayerNorm": NORM,
        "torch.nn.PReLU": Naming({"weight": "w"}),
        "torch.nn.Embedding": EMBEDDING,
        "torch.nn.Linear": Naming(),
    },
)
MAPPED: Shapes = {
    "cls_token": (1, 4),
    "list.0": (2,),
    "stem.0.weight": (3, 4),
    "stem.1.weight": (3, 4),
    "blocks.0.scale": (1,),
    "blocks.0.conv.weight": (4, 3, 5),
    "blocks.0.norm.weight": (4,),
    "blocks.0.norm.bias": (4,),
    "blocks.1.table.weight": (4, 5),
    "fc2.weight": (2, 3),
    "planes.weight": (4,),
}


def test_a_map_of_classes_decides(tmp_path: Path) -> None:
    file = tmp_path / "weight_map_of_net.json"
    file.write_text(class_map_text(MAP))
    known = read_weight_map(file)
    assert isinstance(known, ClassMap)
    assert (known.roots, known.classes, known.layers) == (MAP.roots, MAP.classes, MAP.layers)
    plan = plan_of(MAPPED, known)
    assert plan.root == "net.Net"
    assert names(plan) == {
        "stem.1.weight": "stem.1.embedding_table",
        "blocks.0.norm.weight": "blocks.0.norm.gamma",
        "blocks.0.norm.bias": "blocks.0.norm.beta",
        "blocks.1.table.weight": "blocks.1.table.embedding_table",
        "fc2.weight": "fc2.embedding_table",
        "planes.weight": "planes.gamma",
    }
    assert {step.old for step in plan.steps if step.how == "map"} == set(MAPPED)
    new = {step.new: step.shape for step in plan.steps}
    assert new["blocks.0.conv.weight"] == (4, 3, 1, 5)
    back = plan_of(new, known, back=True)
    assert {step.new: step.shape for step in back.steps} == MAPPED


def test_what_a_map_leaves_open_is_asked_or_seen() -> None:
    shapes = MAPPED | {"blocks.2.norm.weight": (4,), "unknown.weight": (5, 4), "unknown.bias": (5,)}
    plan = plan_of(shapes, MAP)
    assert [(q.name, q.layers) for q in plan.questions] == [
        ("blocks.2.norm.weight", ("LayerNorm", "PReLU"))
    ]
    assert [step.how for step in plan.steps if step.old.startswith("unknown")] == ["same", "same"]


def test_the_root_of_a_map() -> None:
    assert plan_of({"stem.weight": (3, 4)}, MAP).root == "net.Critic"
    assert plan_of(MAPPED, MAP, Wishes(root="Net")).root == "net.Net"
    with pytest.raises(MsconvertError, match=r"MS310 .*no classes 'Nothing'(.|\n)*net.Net"):
        plan_of(MAPPED, MAP, Wishes(root="Nothing"))
    assert plan_of({"other.x": (1,)}, MAP).root == ""
    assert plan_of({"planes.other.x": (1,)}, MAP).root == "net.Net"
    twins = replace(MAP, roots=("net.Block", "net.Wide"))
    with pytest.raises(MsconvertError, match=r"several classes(.|\n)*Block, Wide(.|\n)*--root"):
        plan_of({"conv.weight": (3, 4, 5)}, twins)


def named_map(folder: Path, *entries: tuple[str, object, str]) -> NameMap:
    """The map of a converted ONNX model: name, source, change; all of shape (2, 3)."""
    content = [
        {
            "converted_weight": {"name": name, "shape": [2, 3], "data_type": "float32"},
            "source_weight": source,
            "transformation": change,
        }
        for name, source, change in entries
    ]
    file = folder / "weight_map_of_x.json"
    file.write_text(json.dumps(content))
    found = read_weight_map(file)
    assert isinstance(found, NameMap)
    return found


def test_the_map_of_an_onnx_model(tmp_path: Path) -> None:
    known = named_map(
        tmp_path,
        ("a.gamma", {"name": "a.weight", "shape": [2, 3]}, "none"),
        ("b.weight", {"name": "b", "shape": [3, 2]}, "transpose(1, 0)"),
        ("c.weight", {"name": "c", "shape": [6]}, "part [0], gates i o f c reordered to i f c o"),
        ("d.weight", [{"name": "d"}, {"name": "e"}], "none"),
        ("f.weight", {"name": "f", "shape": [2, 3]}, "none"),
    )
    plan = plan_by_names({"a.weight": (2, 3), "b": (3, 2), "c": (6,), "x": (1,)}, known)
    assert [(s.old, s.new, s.shape, s.turned) for s in plan.steps] == [
        ("a.weight", "a.gamma", (2, 3), False),
        ("b", "b.weight", (2, 3), True),
        ("c", "", (6,), False),
        ("x", "", (1,), False),
    ]
    assert [(q.name, q.reason.partition(":")[0]) for q in plan.questions] == [
        ("c.weight", "it is made by"),
        ("d.weight", "it is made by"),
        ("f", "the map names it, and the file has it not"),
    ]
    back = plan_by_names({"a.gamma": (2, 3), "b.weight": (2, 3)}, known, back=True)
    assert [(s.old, s.new, s.shape) for s in back.steps] == [
        ("a.gamma", "a.weight", (2, 3)),
        ("b.weight", "b", (3, 2)),
    ]
    with pytest.raises(MsconvertError, match="the map names none of these"):
        plan_by_names({"y": (1,)}, known)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not a weight map"),
        ("{}", r"got: +\{\} without 'kind'"),
        ("[1]", r"not a weight map\n +got: +\[1\]\n"),
        ("null", "not a weight map"),
        ("[" * 100_000, "not a weight map"),
        ('{"kind": "layers of classes", "version": 9}', "another version"),
        ('{"kind": "layers of classes", "version": 1, "roots": [], "classes": 3}', "not a weight"),
        (
            '{"kind": "layers of classes", "version": 1, "roots": [], "layers": {}, '
            '"classes": {"a": {"modules": {"b": "c"}}}}',
            "a list of layers was expected",
        ),
    ],
)
def test_files_that_are_no_maps(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(MsconvertError, match=f"MS310 .*(.|\n)*{problem}"):
        read_weight_map(tmp_path / "m.json")
    with pytest.raises(MsconvertError, match=r"MS310 .*cannot be read"):
        read_weight_map(tmp_path / "missing.json")


def test_maps_in_circles_end() -> None:
    entry = ClassEntry(("b",), {"a": ("a", Container(each=("b",)))})
    circle = ClassMap("x", ("a",), {"a": entry, "b": ClassEntry(("a",))}, {})
    name = ".".join(["a"] * 300)
    assert [
        step.how for step in plan_of({name: (1,), "a": (2,)}, circle, Wishes(root="a")).steps
    ] == [
        "map",
        "map",
    ]


@pytest.mark.parametrize("back", [False, True])
def test_a_module_of_many_parameters_is_looked_at_once(
    back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a file of 20,000 tensors without modules would take minutes."""
    asked: list[int] = []
    name = "guesses_back" if back else "guesses"
    looked = getattr(renaming, name)
    monkeypatch.setattr(renaming, name, lambda *given: asked.append(1) or looked(*given))
    plan = plan_of({f"m{k}": (1,) for k in range(500)}, None, back=back)
    assert len(plan.steps) == 500
    assert len(asked) == 1
