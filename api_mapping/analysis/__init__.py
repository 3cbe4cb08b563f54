"""What a PyTorch source uses, and what its expressions are: for the scanner and the converter."""

if not __name__.startswith("msconvert."):
    raise ImportError(
        "import it as msconvert.api_mapping: bare 'api_mapping' would collide with others"
    )

from ..table.kinds import Kind, verdict
from .files.problems import Problem
from .files.sources import find_sources, search
from .project import FileAnalysis, ModuleClass, Project
from .uses import Use

__all__ = [
    "FileAnalysis",
    "Kind",
    "ModuleClass",
    "Problem",
    "Project",
    "Use",
    "find_sources",
    "search",
    "verdict",
]
