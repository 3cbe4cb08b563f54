"""Where an error was raised: the layer by its path in the network, and the line of the user's."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from ...errors import MsconvertError
from ..engine.failure import line_of_user

INSIDE = __name__.rpartition(".")[0].rpartition(".")[0]


def locate(error: MsconvertError, cell: Any) -> None:
    """Notes in the error that it goes out of `cell`; each Cell around adds its name of it."""
    own = error.__dict__
    if "layer" not in own:
        own.update(layer=cell, kind=cell.cls_name, path=(), said=error.where, line=line_in(error))
        return
    names = [name for name, inner in cell._cells.items() if inner is own["layer"]]
    own.update(layer=cell, path=(*names[:1], *own["path"]))
    if own["path"]:
        place = ".".join(own["path"])
        line = "" if own["said"].startswith(own["line"]) else own["line"]
        error.where = f"{line}{place} ({own['kind']}): {own['said']}"


def line_in(error: MsconvertError) -> str:
    """The user's line nearest to where it was raised: "file:line: "."""
    found = None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        if not step.tb_frame.f_globals.get("__name__", "").startswith(INSIDE):
            found = step
        step = step.tb_next
    if found is None:
        return line_of_user()[0]
    return f"{Path(found.tb_frame.f_code.co_filename).name}:{found.tb_lineno}: "
