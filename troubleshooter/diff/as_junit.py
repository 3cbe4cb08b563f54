"""A comparison as JUnit's XML: each pair is a test."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from ...errors import printable
from .as_text import remarks
from .comparison import Comparison
from .row import Row


def to_junit(comparison: Comparison) -> str:
    """One suite, its tests in a's order; what differs fails, what cannot be read is an error."""
    rows = comparison.rows
    errors = sum(row.status == "unreadable" for row in rows)
    counts = {
        "tests": len(rows),
        "failures": len(comparison.failing) - errors,
        "errors": errors,
        "skipped": sum(row.ok and row.metrics is None for row in rows),
    }
    head = " ".join(f'{name}="{count}"' for name, count in counts.items())
    title = attribute(f"{comparison.a} against {comparison.b}")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {head}>"]
    lines += [f"<testsuite name={title} {head}>"]
    lines += [line for row in rows for line in case(row)]
    return "\n".join([*lines, "</testsuite>", "</testsuites>"]) + "\n"


def case(row: Row) -> Iterator[str]:
    """The lines of one test."""
    begin = f'<testcase classname="msconvert.diff" name={attribute(row.name)}'
    if row.ok and row.metrics is not None:
        yield f"{begin}/>"
        return
    kind = "error" if row.status == "unreadable" else "failure"
    message = attribute("; ".join([row.status, *remarks(row)]))
    result = f"<skipped message={message}/>" if row.ok else f"<{kind} message={message}/>"
    yield f"{begin}>{result}</testcase>"


def attribute(text: str) -> str:
    """A text as an attribute's value, in quotes, without what XML cannot hold."""
    return quoteattr(printable(text, 2000))
