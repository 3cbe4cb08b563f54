"""What watchpoints have found, as text."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from pathlib import Path

from .finding import Finding


def to_text(found: Sequence[Finding], steps: int, status: int) -> str:
    """All findings, the first first."""
    count = f"{steps} step" if steps == 1 else f"{steps} steps"
    if not found:
        lines = [f"Nothing found in {count}."]
    else:
        lines = [f"In {count}, in the order in which it was seen:"]
    for one in found:
        lines += ["", *paragraph(one)]
    if status:
        lines += ["", f"The script itself ended with status {status}."]
    if not steps and not found:
        lines += ["", "No gradient was computed in the script's own process: nothing was trained."]
    return "\n".join(lines)


def paragraph(one: Finding) -> list[str]:
    lines = [one_line(one)]
    if one.op:
        way = " (its gradient)" if one.backward else ""
        lines.append(f"  operator: {one.op}{way}")
    if one.line:
        lines.append(f"  line:     {source_of(one.line)}")
    if one.grown is not None:
        op, layer, line = one.grown
        lines.append(f"  grown in: {op} of {layer or 'no layer'}, {source_of(line)}")
    lines += [f"  {'figures:' if not k else '':<9} {f.text()}" for k, f in enumerate(one.before)]
    lines.append(f"  try:      {one.advice}")
    if one.repro:
        shows = "python " if one.repro.endswith(".py") else ""
        lines.append(f"  again:    {shows}{one.repro}")
    return lines


def one_line(one: Finding) -> str:
    note = "note, " if one.note else ""
    layer = one.layer or "outside of layers"
    return f"{note}{one.condition}, step {one.step}, {layer}: {one.problem}"


def source_of(line: str) -> str:
    """ "file:12: its text"."""
    path, _, number = line.rpartition(":")
    text = linecache.getline(path, int(number)).strip() if number.isdigit() else ""
    return f"{Path(path).name}:{number}: {text}"
