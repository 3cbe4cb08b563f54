"""Comments that hide findings: `# msconvert: ignore`, `# msconvert: ignore[MS201, MS222]`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence, Set

from .guide import HELP

COMMENT = re.compile(r"#\s*msconvert:\s*ignore(?!\w)(?:\s*\[([^\]]*)\])?", re.IGNORECASE)

ALL = frozenset({"all"})
"""What a comment without codes hides."""


def hidden_codes(lines: Sequence[str]) -> Mapping[int, Set[str]]:
    """The codes that comments hide, by line (from one)."""
    if b"msconvert" not in "\n".join(lines).encode(errors="replace").lower():  # str's is slow
        return {}
    candidates = [n for n, line in enumerate(lines, 1) if COMMENT.search(line)]
    if not candidates:
        return {}
    comments = comments_of(lines)
    found = {n: COMMENT.search(comments.get(n, "")) for n in candidates}
    return {n: codes_of(match[1]) for n, match in found.items() if match is not None}


def codes_of(listed: str | None) -> Set[str]:
    if listed is None:
        return ALL
    return frozenset(listed.upper().replace(",", " ").split())


def column_of(line: str) -> int:
    """Where the comment begins, from one."""
    return max((match.start() for match in COMMENT.finditer(line)), default=0) + 1


def useless(codes: Set[str]) -> Iterator[str]:
    """What is wrong with a comment that names codes: those that no finding has."""
    if not codes:
        yield "the comment names no code: it hides nothing"
    for code in sorted(codes - HELP.keys() if codes is not ALL else ()):
        yield f"the comment names {code}, which is no code of a finding: it hides nothing"


USEFUL = "write codes as they are told, or `# msconvert: ignore` for all of the line"


def is_hidden(hidden: Mapping[int, Set[str]], line: int, code: str) -> bool:
    codes = hidden.get(line, ())
    return code in codes or codes is ALL


def comments_of(lines: Sequence[str]) -> dict[int, str]:
    """The comments by line: text that looks like one within a string is none.

    Of a source that Python cannot read, those before the place where it stops.
    """
    found: dict[int, str] = {}
    tokens = tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline)
    try:
        for token in tokens:
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string
    except (tokenize.TokenError, SyntaxError):  # told as a finding by the analysis
        pass
    return found
