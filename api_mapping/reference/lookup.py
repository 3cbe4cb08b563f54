"""Finds rows by what a person types: short names, parts of names, names of MindSpore's."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from ..table import registry

SHORT = {
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "functional": "torch.nn.functional",
    "init": "torch.nn.init",
    "Tensor": "torch.Tensor",
    "Module": "torch.nn.Module",
    "optim": "torch.optim",
    "lr_scheduler": "torch.optim.lr_scheduler",
    "data": "torch.utils.data",
    "dist": "torch.distributed",
    "transforms": "torchvision.transforms",
    "T": "torchvision.transforms",
}
"""What people import the modules as."""

MINDSPORES = ("mindspore.", "ms.", "ops.", "mint.", "nn.", "ds.", "Tensor.", "compat.")
"""How names of MindSpore's begin."""

MOST = 20
"""So many names are given for one word."""


def names(query: str) -> Sequence[str]:
    """The PyTorch names that a query stands for, best first; none if there are none."""
    query = query.strip().partition("(")[0]  # a call that is pasted as it stands
    if not all(part.isidentifier() for part in query.split(".")):
        return ()
    for search in (full, of_last_part, of_mindspore, of_last_parts, of_mindspores_last, of_advice):
        if found := search(query):
            return found[:MOST]
    return ()


def full(query: str) -> list[str]:
    """The query as a whole name, or as a name with its module shortened."""
    head, _, rest = query.partition(".")
    candidates = (query, f"{SHORT.get(head, '')}.{rest}", SHORT.get(query, ""), f"torch.{query}")
    return [name for name in candidates if name in registry.rules()][:1]


def of_last_part(query: str) -> list[str]:
    """Names that end in the query, in its spelling or else in any."""
    known = [(name, name.rpartition(".")[2]) for name in registry.rules()]
    exactly = [name for name, last in known if last == query]
    return exactly or [name for name, last in known if last.lower() == query.lower()]


def of_mindspore(query: str) -> list[str]:
    """Names whose target calls the MindSpore name that the query is."""
    if not query.startswith(MINDSPORES):
        return []
    return list(callers().get(normal(query), ()))


def of_last_parts(query: str) -> list[str]:
    """Names that end in several parts: `models.resnet18`, as it is imported."""
    ending = f".{query}"
    return [name for name in registry.rules() if "." in query and name.endswith(ending)]


def of_mindspores_last(query: str) -> list[str]:
    """Names whose target calls what ends in the query: `Dense`."""
    ending = f".{query}"
    found = (by for called, by in callers().items() if called.endswith(ending))
    every = dict.fromkeys(name for by in found for name in by)
    return sorted(every, key=lambda name: name.rpartition(".")[2].startswith("_"))


def of_advice(query: str) -> list[str]:
    """Names that have no counterpart, and whose advice speaks of the MindSpore name."""
    begins = r"(?<![\w.])" if query.startswith(MINDSPORES) else r"\."
    mention = re.compile(rf"{begins}{re.escape(normal(query))}(?!\w)")
    return list(dict.fromkeys(r.name for r in registry.all_rules() if mention.search(r.advice)))


def normal(name: str) -> str:
    """`mindspore.nn.Dense` as `nn.Dense`: as the targets write it."""
    name = "ms." + name.removeprefix("mindspore.") if name.startswith("mindspore.") else name
    name = "ds." + name.removeprefix("ms.dataset.") if name.startswith("ms.dataset.") else name
    short = name.removeprefix("ms.")
    return short if short.startswith(MINDSPORES[2:]) else name


@cache
def callers() -> Mapping[str, Sequence[str]]:
    """MindSpore name -> the PyTorch names whose code has it, the plainest first."""
    found: dict[str, dict[str, int]] = {}
    for rule, target in ((r, t) for r in registry.all_rules() for t in (r.target, r.mint) if t):
        for called in mentioned(target):
            shortest = found.setdefault(called, {})
            shortest[rule.name] = min(len(target), shortest.get(rule.name, len(target)))
    ordered = {called: sorted(by, key=by.__getitem__) for called, by in found.items()}
    return MappingProxyType(ordered)


def mentioned(target: str) -> Iterator[str]:
    """The dotted names of MindSpore's in a target; methods of a tensor as `Tensor.name`."""
    for node in ast.walk(ast.parse(target, mode="eval")):
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            if text.replace(".", "").replace("_", "").isalnum():
                yield "Tensor." + node.attr if text == f"self.{node.attr}" else text


def nearest(query: str) -> Sequence[str]:
    """Names much like the query, for who mistyped it; none for a module, which has too many."""
    query = query.strip().partition("(")[0]
    if not query or any(name.startswith(f"{query.rstrip('.')}.") for name in registry.rules()):
        return ()
    typed = query.rpartition(".")[2]
    whole = {name.lower(): name for name in registry.rules()}
    by_last: dict[str, list[str]] = {}
    for name in registry.rules():
        by_last.setdefault(name.rpartition(".")[2].lower(), []).append(name)
    head = (query.lower(), f"torch.{query.lower()}")
    begun = [name for low, name in whole.items() if low.startswith(head)]
    begun.sort(key=lambda name: (name.count("."), len(name)))
    close = difflib.get_close_matches(query.lower(), whole, 4, 0.75)
    parts = difflib.get_close_matches(typed.lower(), by_last, 4, 0.75)
    ending = [name for part in parts for name in by_last[part]]
    ending.sort(key=lambda name: name.rpartition(".")[2] != typed)
    return list(dict.fromkeys([*begun, *(whole[name] for name in close), *ending]))[:6]
