"""The text of a scanned file, as its findings' lines count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..analysis.files.reading import lines_of, read_source
from ..findings.model import FileScan


@dataclass(frozen=True)
class SourceText:
    """The text of a file; of a notebook, the line before each cell's first."""

    text: str
    shifts: Mapping[int, int]


def source_text(file: FileScan) -> SourceText | None:
    """The text of a file, None if it cannot be read."""
    source = read_source(Path(file.path))
    if not source.text:
        return None
    shifts = {cell.number: cell.first_line - 1 for cell in source.cells}
    return SourceText("\n".join(lines_of(source.original)), shifts)
