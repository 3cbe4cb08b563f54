"""A few lines of PyTorch as MindSpore code, where all that is known of them is given."""

from __future__ import annotations

import ast

from ..syntax.edits import applied
from ..syntax.reading import Reading
from ..syntax.source_text import Source
from ..syntax.units import units_of
from ..table.facts.spelling import ON_TREES, PACKS
from .passes import PASSES
from .places import Places
from .rewriter import Notes, Rewriter
from .units import changes


def rewritten(code: str, places: Places, *, mint: bool = False) -> str:
    """The MindSpore code of lines that need no imports.

    Raises: Refusal if something in them has none
    """
    source = Source.of(code)
    packs = PACKS.search(code.encode()) is not None
    notes = Notes(packs=packs, is_on_trees=any(name in code for name in ON_TREES))
    to = Rewriter(places, Reading(source), PASSES, notes, mint=mint, is_strict=True)
    units = units_of(ast.parse(code))
    edits = [edit for unit in units for part in unit.parts for edit in changes(part, unit.node, to)]
    return applied(source.lines, edits)
