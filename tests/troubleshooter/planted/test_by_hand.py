"""The line on both sides, and the cause, of slips in networks that were ported by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the networks are written in PyTorch")

from msconvert.tests.troubleshooter.planted.by_hand import (
    CUTS,
    OTHERWISE,
    SLIPS,
    Slip,
    lines_of,
    lines_with,
    original,
    planted,
    ported,
)
from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings
from msconvert.troubleshooter.compare.as_html import to_html

SETTINGS = NetworkSettings(mode="eval", target="bundled", call="build()")


@pytest.fixture(scope="module")
def comparer() -> Iterator[NetworkComparer]:
    with NetworkComparer() as comparer:
        yield comparer


def compared(comparer: NetworkComparer, slip: Slip, folder: Path) -> tuple[NetworkComparison, int]:
    found = planted(slip.network, slip.right, slip.wrong, folder)
    return comparer.compare(original(slip.network), found.file, SETTINGS), found.line


@pytest.mark.sweep(each=("slip.network", "slip.causes"), one_in=4)
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.key)
def test_both_lines_and_the_cause_are_named(
    slip: Slip, comparer: NetworkComparer, tmp_path: Path
) -> None:
    found, line = compared(comparer, slip, tmp_path)
    row = found.first_difference
    assert row is not None
    assert row.operator is not None
    one, other = [side or row.operator.near for side in (row.operator.a, row.operator.b)]
    assert one is not None
    assert other is not None
    assert set(lines_with(slip.network, slip.line)) & {*range(one.line, one.last + 1)}
    room = 0 if slip.wrong else 1  # what is left out has no line of its own
    used = [line] if not slip.used else lines_of(tmp_path / f"{slip.network}_ported.py", slip.used)
    assert any(other.line - room <= line <= other.last + room for line in used)
    assert {one.cause for one in row.hypotheses} & set(slip.causes), row.hypotheses


@pytest.mark.parametrize("name", sorted({slip.network for slip in SLIPS}))
def test_nothing_is_said_of_the_ports_themselves(name: str, comparer: NetworkComparer) -> None:
    assert comparer.compare(original(name), ported(name), SETTINGS).ok


@pytest.mark.sweep(each="pair.0")
@pytest.mark.parametrize("pair", OTHERWISE, ids=lambda pair: f"{pair[0]}: {pair[2][:30]}")
def test_nothing_is_said_of_what_is_written_otherwise(
    pair: tuple[str, str, str], comparer: NetworkComparer, tmp_path: Path
) -> None:
    name, right, otherwise = pair
    file = planted(name, right, otherwise, tmp_path).file
    assert comparer.compare(original(name), file, SETTINGS).ok


def test_the_report_has_both_lines_in_text_json_and_html(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    found, line = compared(comparer, SLIPS[0], tmp_path)
    text, page, content = str(found), to_html(found), json.loads(found.to_json())
    operator = content["first_difference"]["operator"]
    assert operator["verdict"] == "differs"
    assert operator["b"]["line"] == line
    assert operator["a"]["inputs"][0]["shape"]
    for source in ("q = q * cos + rotate_half(q) * sin", "q = q * cos - rotate_half(q) * sin"):
        assert source in text
        assert source in page
    assert f":{line}: " in text


def test_lines_with_control_characters_are_made_printable(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    slip = SLIPS[16]
    odd = f"{slip.wrong}  # \x1b[31m \u202e"
    file = planted(slip.network, slip.right, odd, tmp_path).file
    assert "\x1b" in file.read_text(encoding="utf-8")
    text = str(comparer.compare(original(slip.network), file, SETTINGS))
    assert "ops.cat((x, skip), axis=1)" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("network", "right", "wrong", "callers"),
    [
        ("decoder", "(-second, first)", "(second, first)", ("q = q * cos", "q = q * cos")),
        ("decoder", "1.0 / (base**steps)", "1.0 / (base + steps)", ("cos, sin =", "cos, sin =")),
        ("translator", "(distance > 0)", "(distance >= 0)", ("bias = self.b", "bias = self.b")),
        ("speech", "(a - b)", "(a + b)", ("loss = -forward", "loss = -forward")),
        ("tree", "c = f * c + i * g", "c = f * c - i * g", ("new, memory =", "new, memory =")),
        ("losses", "smooth) / (p.sum(1)", "smooth) / (p.sum()", ("overlap = dice", "overlap = ")),
    ],
)
def test_a_function_of_the_users_own_has_its_line_and_its_callers(
    network: str,
    right: str,
    wrong: str,
    callers: tuple[str, str],
    comparer: NetworkComparer,
    tmp_path: Path,
) -> None:
    file = planted(network, right, wrong, tmp_path)
    found = comparer.compare(original(network), file.file, SETTINGS)
    assert found.first_difference is not None
    operator = found.first_difference.operator
    assert operator is not None
    one, other = [side or operator.near for side in (operator.a, operator.b)]
    assert one is not None
    assert other is not None
    assert other.line == file.line
    for side, text in zip((one, other), callers, strict=True):
        assert side.callers[-1].text.startswith(text)
        assert side.callers[-1].line != side.line
        assert f"called at {side.callers[-1].file}:{side.callers[-1].line}: {text}" in str(found)
        assert side.callers[-1].text in found.to_json().replace('\\"', '"')


@pytest.mark.parametrize(
    ("network", "right", "wrong", "told"),
    [
        ("decoder", "eps=1e-6", "eps=1e-3", "eps: 1e-06 on the reference, 0.001 here"),
        ("mixer", "eps=1e-5", "eps=1e-3", "eps: 1e-05 on the reference, 0.001 here"),
        ("mixer", "heads) ** -0.5", "heads) ** -1", "scale: 0.5 on the reference, 0.25 here"),
        ("losses", "alpha=0.25", "alpha=0.5", "alpha: 0.25 on the reference, 0.5 here"),
        ("losses", "gamma=2.0", "gamma=1.5", "gamma: 2.0 on the reference, 1.5 here"),
        ("speech", "length=32, hop=16", "length=32, hop=8", "hop: 16 on the reference, 8 here"),
    ],
)
def test_attributes_of_own_classes_are_told(
    network: str, right: str, wrong: str, told: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    file = planted(network, right, wrong, tmp_path)
    text = str(comparer.compare(original(network), file.file, SETTINGS))
    assert f"its attribute {told}" in text


@pytest.mark.parametrize("slip", CUTS, ids=lambda slip: slip.key)
def test_where_a_gradient_is_cut_off_is_named(
    slip: Slip, comparer: NetworkComparer, tmp_path: Path
) -> None:
    file = planted(slip.network, slip.right, slip.wrong, tmp_path)
    settings = NetworkSettings(mode="train", target="bundled", call="build()")
    row = comparer.compare(original(slip.network), file.file, settings).first_difference
    assert row is not None
    assert row.part == "gradient"
    assert row.operator is not None
    one, other = [side or row.operator.near for side in (row.operator.a, row.operator.b)]
    assert one is not None
    assert other is not None
    assert one.line in lines_with(slip.network, slip.line)
    assert other.line == file.line
    assert "function-gradient" in {one.cause for one in row.hypotheses}


@pytest.mark.parametrize("number", [0, 1, 4, 6])
def test_on_the_real_mindspore(number: int, tmp_path: Path, mindspore_python: Path) -> None:
    slip = SLIPS[number]
    found = planted(slip.network, slip.right, slip.wrong, tmp_path)
    text = found.file.read_text(encoding="utf-8").replace("mint.nn.Embedding", "nn.Embedding")
    text = text.replace("bias=False", "has_bias=False").replace("mint.nn.Linear", "nn.Dense")
    found.file.write_text(text, encoding="utf-8")
    settings = NetworkSettings(
        mode="eval", target="mindspore", python_b=str(mindspore_python), call="build()"
    )
    with NetworkComparer() as comparer:
        row = comparer.compare(original(slip.network), found.file, settings).first_difference
    assert row is not None
    assert row.operator is not None
    other = row.operator.b or row.operator.near
    assert other is not None
    room = 0 if slip.wrong else 1
    assert other.line - room <= found.line <= other.last + room
    assert {one.cause for one in row.hypotheses} & set(slip.causes)
