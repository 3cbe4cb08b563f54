"""A folder that is there as long as somebody holds it."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path


class Folder:
    """A new folder for temporary files; it goes when nobody holds the object any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="msconvert_"))
        self.removed = weakref.finalize(self, _remove, str(self.path), os.getpid())


def _remove(path: str, owner: int) -> None:
    """Only in the process that made it: a fork holds it too."""
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
