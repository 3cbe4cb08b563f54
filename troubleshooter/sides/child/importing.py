"""Imports a file as its project does, and forgets it for the next one."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from types import ModuleType

from .caught import INSTALLED, is_below, own_folders
from .messages import Source


class Imports:
    """The imports of one project at a time."""

    def __init__(self) -> None:
        self.path = list(sys.path)
        self.modules = set(sys.modules)
        self.own: tuple[str, ...] = ()

    def folders(self) -> tuple[str, ...]:
        """Where the files of the project at hand are."""
        return self.own

    def load(self, source: Source) -> ModuleType:
        """The module, newly imported with everything of its project.

        Raises: ImportError if the name belongs to another file; what the file raises
        """
        self.forget()
        self.own = own_folders(source)
        self.modules = set(sys.modules)
        sys.path[:0] = source.paths
        os.chdir(source.paths[-1])
        importlib.invalidate_caches()
        held, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            module = self.imported(source)
        finally:
            sys.dont_write_bytecode = held
        if not same_file(module, source.file):
            problem = f"the name {source.module} belongs to {module.__file__} already"
            raise ImportError(f"{problem}: rename the file, or move it into a package")
        return module

    def beside(self, source: Source, other: ModuleType) -> ModuleType:
        """The module of another file of the project, whose imports stay; `other` if it is that."""
        if same_file(other, source.file):
            return other
        sys.path[:0] = [path for path in source.paths if path not in sys.path]
        self.own = (*self.own, *own_folders(source))
        importlib.invalidate_caches()
        held, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            return self.imported(source)
        finally:
            sys.dont_write_bytecode = held

    def imported(self, source: Source) -> ModuleType:
        """Nothing is put beside the files: what was would hide a change within the same second."""
        if "." in source.module or os.path.basename(source.file) == "__init__.py":
            return importlib.import_module(source.module)
        return of_file(source)

    def forget(self) -> None:
        """Takes back the last project's imports, so that equal names mean the next one's."""
        sys.path[:] = self.path
        for name in set(sys.modules) - self.modules:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file and is_below(file, self.own) and not INSTALLED.search(file):
                del sys.modules[name]


def of_file(source: Source) -> ModuleType:
    """A file that is in no package, whatever else has its name."""
    name = source.module
    if name in sys.modules:
        name = f"{name}_of_the_project"
    spec = importlib.util.spec_from_file_location(name, source.file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{source.file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def same_file(module: ModuleType, file: str) -> bool:
    own = getattr(module, "__file__", None)
    return own is not None and os.path.realpath(own) == os.path.realpath(file)
