"""The one shape of errors: their text, hostile text in it, the list of codes, docs/errors.md."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from msconvert.errors import CODES, MsconvertError, UsageError, printable
from msconvert.reporting.report import Finding

ROOT = Path(__file__).parents[1]

PACKAGES = (
    *("converter", "formats", "runtime", "api_mapping", "troubleshooter", "migration"),
    *("observation", "live"),
)

RANGES = {
    "MS1": "Converting an ONNX model",
    "MS2": "Scanning and migrating PyTorch source",
    "MS3": "The bundled runtime",
    "MS4": "The troubleshooter",
    "MS9": "Defects of msconvert itself",
}

PAGE_HEAD = """# Error codes

Generated from `errors.CODES` by `pytest tests/test_errors.py --renew-golden`.

An error says its code and place, and then, as far as it is known, what was got, what was
expected and what to try. Wrong usage ends the command with status 2, anything else with 1.
"""


def errors_page() -> str:
    """docs/errors.md: one table for each range of codes in use."""
    page = PAGE_HEAD
    for prefix, title in RANGES.items():
        rows = [f"| {code} | {CODES[code]} |" for code in sorted(CODES) if code.startswith(prefix)]
        if rows:
            table = "\n".join(["| code | meaning |", "|---|---|", *rows])
            page += f"\n## {prefix}xx: {title}\n\n{table}\n"
    return page


def test_text_of_an_error_with_all_facts() -> None:
    error = MsconvertError(
        "MS101",
        "model.onnx",
        "Clip 'backbone/clip_3': no handler for Clip at opset 6",
        got="opset 6",
        expected="schema version 11, 12 or 13",
        advice="re-export at opset 11 or newer",
    )
    assert str(error) == (
        "MS101 model.onnx: Clip 'backbone/clip_3': no handler for Clip at opset 6\n"
        "  got:      opset 6\n"
        "  expected: schema version 11, 12 or 13\n"
        "  try:      re-export at opset 11 or newer"
    )


@pytest.mark.parametrize(
    ("facts", "rest"),
    [
        ({}, ""),
        ({"got": "0 bytes"}, "\n  got:      0 bytes"),
        ({"expected": "a file"}, "\n  expected: a file"),
        ({"advice": "x", "got": "y"}, "\n  got:      y\n  try:      x"),
    ],
)
def test_facts_that_are_not_known_are_left_out(facts: dict[str, str], rest: str) -> None:
    assert str(UsageError("MS105", "--shape", "wrong rank", **facts)) == (
        "MS105 --shape: wrong rank" + rest
    )


def test_without_a_place_the_code_comes_before_the_problem() -> None:
    assert str(MsconvertError("MS901", "", "a defect")) == "MS901: a defect"


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(KeyError, match="MS000"):
        MsconvertError("MS000", "here", "problem")
    with pytest.raises(KeyError, match="MS000"):
        Finding("MS000", "here", "message")


@pytest.mark.parametrize("kind", [MsconvertError, UsageError])
def test_an_error_survives_pickling(kind: type[MsconvertError]) -> None:
    error = kind("MS105", "--shape", "wrong rank", got="3", advice="give 4 numbers")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert copy.text() == error.text()
    assert (copy.code, copy.got, copy.advice) == ("MS105", "3", "give 4 numbers")


class Narrow(MsconvertError, RuntimeError):
    """As most errors of the runtime: its own code, other arguments."""

    def __init__(self, where: str, *, got: str = "") -> None:
        super().__init__("MS304", where, "it is too narrow", got=got)


def test_an_error_made_of_other_arguments_survives_pickling() -> None:
    """A pool of processes ends at once where the error of one cannot be read."""
    error = Narrow("Resize", got="3")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is Narrow
    assert copy.text() == error.text()
    assert copy.args == error.args


HOSTILE = {
    "line end": ("a\nMS000 forged", r"a\nMS000 forged"),
    "carriage return": ("a\rb", r"a\rb"),
    "ansi": ("\x1b[2Jgone", r"\x1b[2Jgone"),
    "8-bit control": ("a\x9b31mb", r"a\x9b31mb"),
    "bidi override": ("a\u202egpj.exe", r"a\u202egpj.exe"),
    "bidi isolate": ("a\u2066b", r"a\u2066b"),
    "zero width": ("a\u200bb", r"a\u200bb"),
    "line separator": ("a\u2028b", r"a\u2028b"),
    "no-break space": ("a\xa0b", r"a\xa0b"),
    "surrogate": ("a\udc80b", r"a\udc80b"),
    "null": ("a\0b", r"a\x00b"),
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_escaped_everywhere(text: str, shown: str) -> None:
    assert printable(text) == shown
    error = str(MsconvertError("MS104", text, text, got=text, expected=text, advice=text))
    assert error.count(shown) == 5
    assert error.count("\n") == 3
    error.encode("utf-8")
    finding = Finding("MS104", text, text, advice=text).text
    assert finding.count(shown) == 3
    assert "\n" not in finding


@pytest.mark.parametrize(
    "text", ["", "conv1.weight", "Grüße/模型.onnx", "हिन्दी", r"C:\new\table", "a 'b' \"c\"", "🙂"]
)
def test_harmless_text_is_left_alone(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("text", ["x" * 301, "x" * 10_000_000, "\x1b" * 300, "\U000e0001" * 99])
def test_length_is_bounded(text: str) -> None:
    shown = printable(text)
    assert len(shown) <= 300
    assert f"({len(text)} characters)" in shown
    assert len(str(MsconvertError("MS104", text, text, got=text, advice=text))) < 1300


def test_of_long_text_both_ends_are_kept() -> None:
    shown = printable("/models/" + "deep/" * 1000 + "resnet.onnx")
    assert shown.startswith("/models/deep/")
    assert shown.endswith("/resnet.onnx")
    assert printable("x" * 300) == "x" * 300


def test_every_code_is_in_a_known_range() -> None:
    assert [code for code in CODES if not re.fullmatch(r"MS\d{3}", code)] == []
    assert [code for code in CODES if code[:3] not in RANGES] == []


def mentions(paths: Iterable[Path]) -> set[str]:
    """The codes that stand in these files."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return {code for text in texts for code in re.findall(r"\bMS\d{3}\b", text)}


def test_every_code_is_used_and_no_other() -> None:
    packages = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    modules = [path for path in ROOT.glob("*.py") if path.name != "errors.py"]
    assert mentions([*packages, *modules]) == CODES.keys()


def test_every_code_is_read_by_a_test() -> None:
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert CODES.keys() - mentions(tests) == set()


def test_docs_errors_lists_every_code(golden: Callable[[Path, str], None]) -> None:
    golden(ROOT / "docs" / "errors.md", errors_page())
