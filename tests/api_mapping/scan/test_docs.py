"""docs/scan.md: its list of codes is made from the code, its flags are those of the command."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from msconvert.api_mapping.findings.guide import HELP
from msconvert.api_mapping.findings.model import LEVELS, Standing
from msconvert.commands.scan import scan
from msconvert.errors import CODES

PAGE = Path(__file__).parents[3] / "docs" / "scan.md"


def codes() -> str:
    """The list of codes: what each is, how grave, and what to do."""
    parts = [
        f"**{code}** ({LEVELS.get(code, 'warning')}): {CODES[code]}. {text}\n"
        for code, (_, text) in HELP.items()
    ]
    return "\n".join(parts)


def test_the_codes_are_those_of_the_code(golden: Callable[[Path, str], None]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    head, mark, rest = text.partition(" --renew-golden -->\n")
    _, end, tail = rest.partition("<!-- end of codes -->")
    assert mark
    assert end
    golden(PAGE, f"{head}{mark}\n{codes()}\n{end}{tail}")


def test_every_verdict_is_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [s.value for s in Standing if f"\n| {s.value} |" not in text] == []


def test_every_flag_is_told_of_and_no_other() -> None:
    offered = {option for parameter in scan.params for option in parameter.opts if option[0] == "-"}
    told = set(re.findall(r"`(--[a-z][a-z-]*)", PAGE.read_text(encoding="utf-8")))
    assert told - offered == set()
    assert offered - told <= {"--no-config"}
