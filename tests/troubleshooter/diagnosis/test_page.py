"""docs/causes.md: every cause that is tried, made from the causes themselves."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from msconvert.troubleshooter.diagnosis import VERDICTS
from msconvert.troubleshooter.diagnosis.causes import GENERAL, SPECIFIC, Cause, optimizer
from msconvert.troubleshooter.diagnosis.functions.named import CAUSES as FUNCTIONS
from msconvert.troubleshooter.diagnosis.gradients import CAUSES as GRADIENTS
from msconvert.troubleshooter.diagnosis.layers.layer import Layer
from msconvert.troubleshooter.training import causes as of_training
from msconvert.troubleshooter.training.causes import MEANINGS
from msconvert.troubleshooter.training.causes.loss import NAMES
from msconvert.troubleshooter.training.causes.step import TOLD

NEWLINE = "\n"
PAGE = Path(__file__).parents[3] / "docs" / "causes.md"

HEAD = """# Causes that are tried

Generated from `troubleshooter/diagnosis/causes` by
`pytest tests/troubleshooter/diagnosis/test_page.py --renew-golden`.

Where two networks part at a layer, its output is computed a third time: in NumPy and float64, with
the reference's options, weights and input. If that does not give the reference's own output, this
is said and nothing is tried. Else one thing after another is changed, one at a time, until the
candidate's output comes out. A cause is told if what remains is rounding and at most a tenth of
the error before; where several explain it all of them are told, those in the order below, but
first those whose option is known to differ.
"""

OF_FUNCTIONS = """Where it is no layer that differs but the code around layers, both run once more,
operator by operator: [compare.md](compare.md) says how the first that differs is found. It is
computed in NumPy from what the reference's was given, and one argument after another is changed:
the candidate's own first. The search takes at most three seconds for each place.
"""


def row(cause: Cause) -> str:
    layers = ", ".join(kind.__name__ for kind in cause.layers if kind is not Layer)
    return f"| `{cause.name}` | {cause.meaning} | {layers or 'any'} |"


def table(causes: tuple[Cause, ...]) -> str:
    head = "| cause | the candidate has | layers |\n|---|---|---|\n"
    return head + "\n".join(dict.fromkeys(row(cause) for cause in causes)) + "\n"


def plain(causes: dict[str, str]) -> str:
    rows = "\n".join(f"| `{name}` | {meaning} |" for name, meaning in causes.items())
    return f"| cause | the candidate has |\n|---|---|\n{rows}\n"


def page() -> str:
    gradients, functions = plain(GRADIENTS), plain(FUNCTIONS)
    verdicts = "\n".join(f"- `{name}`: {text}." for name, text in VERDICTS.items())
    return (
        f"{HEAD}\n## In settings and weights\n\n{table(SPECIFIC)}\n"
        f"## In any layer\n\nTried where none of the above explains the output.\n\n"
        f"{table(GENERAL)}\n## In functions that a network's own code calls\n\n{OF_FUNCTIONS}\n"
        f"{functions}\n## In gradients\n\n{gradients}\n"
        f"## In an optimiser's steps\n\n{table(optimizer.CAUSES)}\n"
        f"## In training scripts\n\nWhat `msconvert compare --train` names beside those; of one "
        f"group alone with `-of-group` behind it.\n\n| cause | the candidate has |\n|---|---|\n"
        f"{''.join(f'| `{name}` | {meaning} |{NEWLINE}' for name, meaning in MEANINGS.items())}\n"
        f"## What else is said\n\n{verdicts}\n"
    )


def test_the_page_lists_every_cause(golden: Callable[[Path, str], None]) -> None:
    golden(PAGE, page())


def names_in(source: str) -> set[str]:
    """The causes that a module tells by their names."""
    calls = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call)]
    of_reasons = [n for n in calls if getattr(n.func, "id", "") == "Reason" and n.args]
    return {str(n.args[0].value) for n in of_reasons if isinstance(n.args[0], ast.Constant)}


def test_the_page_has_what_is_told_of_training_scripts() -> None:
    folder = Path(of_training.__file__).parent
    files = [*folder.glob("*.py"), folder.parent / "judging.py"]
    told = set[str]().union(*(names_in(file.read_text()) for file in files))
    told |= {name for name, _ in (*NAMES.values(), *TOLD.values())}
    known = MEANINGS.keys() | {cause.name for cause in optimizer.CAUSES}
    assert len(told) > 30
    assert told <= known


def test_meanings_complete_the_sentence() -> None:
    for cause in (*SPECIFIC, *GENERAL, *optimizer.CAUSES):
        assert not cause.meaning.endswith(".")
        assert cause.name == cause.name.lower()
