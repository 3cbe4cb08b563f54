"""Codemods of LibCST's that users have: they run on what we wrote.

A package names them as entry points of the group `msconvert.codemods`; each is a class derived from
`libcst.codemod.CodemodCommand`, as `VisitorBasedCodemodCommand` is.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

from ...extensions import installed

if TYPE_CHECKING:
    from libcst.codemod import TransformResult

GROUP = "msconvert.codemods"
WARNS, FAILED = "MS234", "MS235"

NOTEBOOK = WARNS, "your codemods have not seen this file: they are given no notebooks"


@dataclass(frozen=True)
class Modified:
    """A source after the codemods: its text, and (code, message) for each that warns or failed."""

    text: str
    remarks: tuple[tuple[str, str], ...] = ()


def modified(text: str, path: Path) -> Modified:
    """The text after each of the codemods that are installed, in the order of their names.

    One that fails leaves the text as it was before.
    """
    remarks: list[tuple[str, str]] = []
    for entry in installed(GROUP):
        found = transformed(entry, text, path)
        text = getattr(found, "code", text)
        told = [(WARNS, warning) for warning in found.warning_messages]
        error = getattr(found, "error", None)
        told += [(FAILED, f"{type(error).__name__}: {error}")] if error is not None else []
        remarks += [(code, f"codemod {entry.name}: {' '.join(m.split())}") for code, m in told]
    return Modified(text, tuple(remarks))


def transformed(entry: EntryPoint, text: str, path: Path) -> TransformResult:
    """What LibCST says of one codemod, whose faults it catches, those of loading it among them."""
    import libcst
    from libcst import codemod

    class Loaded(codemod.Codemod):
        def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
            made = entry.load()
            if not (isinstance(made, type) and issubclass(made, codemod.CodemodCommand)):
                raise TypeError("it is no class derived from libcst's CodemodCommand")
            return made(self.context).transform_module(tree)

    context = codemod.CodemodContext(filename=str(path))
    return codemod.transform_module(Loaded(context), text)
