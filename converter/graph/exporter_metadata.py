"""What exporters write beside a node, and how they name, as PyTorch spells it."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

LONGEST_TEXT = 2000


def is_made_up(name: str) -> bool:
    """Whether PyTorch's exporters name so what is no weight of a module: a node's constant."""
    word = name.rsplit(".", 1)[-1]
    return "/" in name or word.startswith(("_", "val_", "onnx")) or is_lifted(name)


def is_lifted(name: str) -> bool:
    """Whether a tensor got its name from PyTorch's newer exporter, as the module keeps it in none:
    what it computed of weights once, as positional biases, or closed over.
    """
    return re.fullmatch(r"(.*\.)?(c_)?lifted_tensor_\d+", name) is not None


def is_filled(name: str) -> bool:
    """Whether a tensor is called as PyTorch's newer exporter calls what such a function made."""
    return re.fullmatch(r"(new_)?(zeros|ones|full)(_like)?(_\d+)?", name) is not None


@lru_cache(maxsize=4096)
def strings_in(text: str) -> tuple[str, ...]:
    """The strings of the list that `text` spells, as PyTorch writes it; none if it spells none."""
    if len(text) > 50 * LONGEST_TEXT:
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # Python's, of what is no list
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ()
    ok = isinstance(value, list) and value and all(isinstance(v, str) for v in value)
    return tuple(value) if ok else ()
