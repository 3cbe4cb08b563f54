"""The command `msconvert explain`: a page for a code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import click

from ..errors import CODES, UsageError
from .outputs import say

DONE = 0


@click.command(context_settings={"max_content_width": 100})
@click.argument("codes", nargs=-1, metavar="[CODE...]")
@click.option("--json", "as_json", is_flag=True, help="Print the pages as JSON, and nothing else.")
def explain(codes: tuple[str, ...], as_json: bool) -> int:
    """Explain a code: what it means, its smallest example, what to do.

    \b
    Without CODE, all of them are listed:
      msconvert explain
      msconvert explain MS222

    Exit status: 0 explained, 2 there is no such code.
    """
    wanted = [known(code) for code in codes] or list(CODES)
    if as_json:
        say(json.dumps([page(code) for code in wanted], indent=2))
    elif not codes:
        for code in wanted:
            say(f"{code}  {CODES[code]}")
    else:
        say("\n\n".join("\n".join(lines(page(code))) for code in wanted))
    return DONE


def known(code: str) -> str:
    """The code as it is written. Raises: MS105 for one that there is not, with the nearest"""
    plain = code.strip().upper()
    found = plain if plain.startswith("MS") else f"MS{plain}"
    if found in CODES:
        return found
    longer = [code for code in CODES if plain and code.startswith(found)]
    near = ", ".join(longer or get_close_matches(found[:20], CODES, n=3, cutoff=0.6))
    raise UsageError(
        "MS105",
        "explain",
        f"there is no code {code!r}",
        expected=near,
        advice="msconvert explain lists them",
    )


def page(code: str) -> dict[str, Any]:
    """What is known of a code."""
    from ..api_mapping.findings.guide import HELP
    from ..reporting.explained import EXPLAINED

    text = HELP[code][1] if code in HELP else ""
    explained = EXPLAINED[code]
    parts = [part for part in (text, explained.todo) if part]
    return {
        "code": code,
        "meaning": CODES[code],
        "explanation": " ".join(dict.fromkeys(parts)),
        "example": explained.example,
    }


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The page for a terminal."""
    import textwrap

    yield f"{found['code']}: {found['meaning']}"
    yield ""
    yield from textwrap.wrap(found["explanation"], 88, break_on_hyphens=False)
    yield ""
    yield from (f"  {line}".rstrip() for line in found["example"].rstrip("\n").split("\n"))
