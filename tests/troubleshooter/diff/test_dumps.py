"""Folders of MindSpore's dumps: judged as activations, in order of execution, by operators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights
from msconvert.troubleshooter.diff import Settings
from msconvert.troubleshooter.diff.comparison import Comparison
from msconvert.troubleshooter.diff.opening import compare_paths

OPERATORS = ("Relu.z", "Conv2D.b", "Add.a", "MatMul.m", "Cast.c")
"""In the order in which they run, which is not that of their names."""

FORMS = {
    "plain": "{op}.0.0.{time}.{place}.DefaultFormat.Float32.npy",
    "nested": "rank_0/Net/1/0/{op}.0.0.{time}.{place}.DefaultFormat.Float32.npy",
    "asynchronous": "rank_0/Net/1/0/{op}.34.7.{time}.{place}.ND.npy",
    "asynchronous, typed": "20261123/rank_0/Net/0/3/{op}.34.7.{time}.{place}.NC1HWC0.float16.npy",
    "statistics": "rank_0/Net/1/0/statistic.csv",
}
HEADS = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
HEADS += "Max Value,Min Value,Avg Value,Count,NaN Count"


def values(changed: int | None, by: float = 1.5) -> dict[str, np.ndarray]:
    """What each operator takes and gives; of the one that is changed, and of all behind it,
    other results."""
    numbers = np.random.default_rng(0)
    found, factor = {}, 1.0
    for i, operator in enumerate(OPERATORS):
        x, y = numbers.normal(size=(2, 60))
        found[f"{operator}.input.0"] = x * factor
        factor = by if changed is not None and i >= changed else 1.0
        found[f"{operator}.output.0"] = y * factor
    return {name: array.astype(np.float32) for name, array in found.items()}


def dumped(folder: Path, form: str, started: int, arrays: dict[str, np.ndarray]) -> Path:
    lines = []
    for i, (name, array) in enumerate(arrays.items()):
        operator, role, slot = name.rsplit(".", 2)
        time = started + 1000 * i
        path = FORMS[form].format(op=operator, time=time, place=f"{role}.{slot}")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        kind, own = operator.split(".")
        figures = [array.max(), array.min(), array.mean(), array.size, np.isnan(array).sum()]
        lines.append(f"{kind},{own},0,0,{time},{role},{slot},240,float32,(60),")
        lines[-1] += ",".join(f"{float(x):.9g}" for x in figures)
        if form != "statistics":
            np.save(folder / path, array)
    if form == "statistics":
        (folder / FORMS[form]).write_text("\n".join([HEADS, *sorted(lines)]))
    return folder


def compared(folder: Path, form: str, changed: int | None, by: float = 1.5) -> Comparison:
    sides = []
    for side, started in (("a", 1795318898000000), ("b", 1795318999000000)):
        where = folder / side
        where.mkdir()
        arrays = values(changed if side == "b" else None, by)
        sides.append(dumped(where, form, started, arrays))
    return compare_paths(sides[0], sides[1], Settings(), None, lambda _: None)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("changed", [0, 1, 3, 4])
def test_the_first_operator_is_named(form: str, changed: int, tmp_path: Path) -> None:
    found = compared(tmp_path, form, changed)
    assert found.settings.profile == "activations"
    line = found.summary.splitlines()[-1]
    assert f"{OPERATORS[changed]}, of the same inputs." in line
    names = [row.a.rpartition("/")[2].rpartition(":")[2] for row in found.rows if row.a]
    operators = list(dict.fromkeys(".".join(name.split(".")[:2]) for name in names))
    assert operators == list(OPERATORS)


@pytest.mark.parametrize("form", FORMS)
def test_equal_dumps_are_the_same(form: str, tmp_path: Path) -> None:
    """Other times, other rounding than of weights: 2e-6 is none between activations."""
    found = compared(tmp_path, form, 2, 1 + 2e-6)
    assert found.ok, str(found)
    assert len(found.measured) == 2 * len(OPERATORS)


BAD = {
    "nothing": "",
    "heads alone": "Op Type,Op Name,IO\n",
    "a text": "a,b\n1,2\n3,x\n",
    "other lengths": "1,2\n3\n",
    "no text": b"\xff\xfe\x00\x00",
    "too few columns": f"{HEADS}\nConv2D,a\n",
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_table_of_numbers(case: str, tmp_path: Path) -> None:
    content = BAD[case]
    (tmp_path / "x.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MsconvertError) as error:
        read_weights(tmp_path / "x.csv")
    assert error.value.code == "MS302"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1,2\n3,4\n", (2, 2)),
        ("x,y\n1,2\n3,4\n5,6\n", (3, 2)),
        ("1\n2\n3\n", (3,)),
        ("step,loss\n0,1e-3\n", (1, 2)),
        ("-1.5, nan\r\n2,inf\r\n", (2, 2)),
    ],
)
def test_tables_of_numbers(text: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    (tensor,) = read_weights(tmp_path / "x.csv").values()
    assert tensor.shape == shape
