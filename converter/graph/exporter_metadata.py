"""What exporters write beside a node, and how they name, as PyTorch spells it."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

LONGEST_TEXT = 2000


def name_before_fusion(name: str) -> str:
    """`/proj/MatMul` of "/proj/MatMul/MatMulScaleFusion/", as ONNX Runtime's optimiser names."""
    return name[:-1].rpartition("/")[0] if name.endswith("Fusion/") else name


def is_made_up(name: str) -> bool:
    """Whether PyTorch's exporters name so what is no weight of a module: a node's constant."""
    word = name.rsplit(".", 1)[-1]
    return "/" in name or word.startswith(("_", "val_", "onnx")) or is_lifted(name)


def is_lifted(name: str) -> bool:
    """Whether a tensor got its name from PyTorch's newer exporter, as the module keeps it in none:
    what it computed of weights once, as positional biases, or closed over.
    """
    return re.fullmatch(r"(.*\.)?(c_)?lifted_tensor_\d+", name) is not None


_COMPUTED = frozenset(
    """abs add arange bitwise_and bitwise_not bitwise_or cat clamp clone cos cumsum div exp expand
    eye flatten full full_like gather gt ge lt le eq ne index_select linspace log logical_and
    logical_not logical_or masked_fill matmul mean mm mul neg new_full new_ones new_zeros ones
    ones_like permute pow reciprocal remainder repeat reshape rsqrt rsub scalar_tensor
    scalar_tensor_default select sigmoid sin slice softmax split sqrt squeeze stack sub sum tanh
    transpose tril triu unsqueeze view where zeros zeros_like""".split()
)
"""Functions of PyTorch after which its newer exporter calls what it computed of constants."""


def is_computed(name: str) -> bool:
    """Whether a tensor is called as PyTorch's newer exporter calls the result of a function."""
    return re.sub(r"_\d+$", "", name) in _COMPUTED


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
