"""The comments over PyTorch lines that stay: what each cannot become, why, and what to do."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from ..findings.model import Finding

WIDTH = 98
MARK = re.compile(r"#\s*MS2\d\d line:")


def mark(finding: Finding, indent: str) -> Iterator[str]:
    """The lines of the comment over a line that stays as it is."""
    what = finding.message
    advice = f"; {finding.advice}" if finding.advice else ""
    text = f"{finding.code} line: {one_line(what + advice)}"
    yield from (f"{indent}# {line}" for line in textwrap.wrap(text, max(40, WIDTH - len(indent))))


def one_line(text: str) -> str:
    return " ".join(text.split())


def is_marked(lines: Sequence[str], line: int) -> bool:
    """Whether a comment over the line (from one) says already why it stays."""
    at = line - 2
    while at >= 0 and lines[at].lstrip().startswith("#"):
        if MARK.search(lines[at]):
            return True
        at -= 1
    return False
