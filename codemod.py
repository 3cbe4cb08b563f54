"""msconvert as a codemod: `python -m libcst.tool codemod -x msconvert.codemod.Convert FILE`.

With --no-format, where the tool is not set up to run a formatter that is installed.
"""

from __future__ import annotations

from pathlib import Path

import libcst
from libcst.codemod import CodemodCommand, SkipFile

from .api_mapping.analysis import Project
from .api_mapping.source.file import migrate_file
from .api_mapping.table.target import Settings


class Convert(CodemodCommand):
    """Converts PyTorch code to MindSpore's API, a file for itself."""

    DESCRIPTION = "Converts PyTorch code to MindSpore's API, as `msconvert source` does."

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        """Raises: SkipFile for code that is in no file, or is another than in the file."""
        if self.context.filename is None:
            raise SkipFile("msconvert reads files: the code must be in one")
        path = Path(self.context.filename).absolute()
        found = migrate_file(Project([path]), path, str(path), Settings())
        if found.original != tree.code:
            raise SkipFile("another codemod has changed the code in memory: write it first")
        for use in found.left:
            self.warn(f"{use.place.line}:{use.place.column}: {use.code} {use.message}")
        if found.needed:
            self.warn(f"it needs _ms_compat.py, which `msconvert source {path}` writes")
        return libcst.parse_module(found.text)
