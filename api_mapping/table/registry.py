"""Looks up rules by name: the rows of rows/, found by walking the folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from ...extensions import extensions, unusable
from .facts.spelling import ALIASES
from .rule import Rule, Verdict

GROUP = "msconvert.api_rows"
"""The entry points by which packages of users name rows for APIs that the table has not."""

RANK = {verdict: place for place, verdict in enumerate(Verdict)}


@cache
def rules() -> Mapping[str, tuple[Rule, ...]]:
    """All rules by the full PyTorch name; overloads in the order in which they are tried."""
    found: dict[str, list[Rule]] = {}
    for path in sorted(Path(__file__).parent.glob("rows/[!_]*.py")):
        module = import_module(f".rows.{path.stem}", __package__)
        own: dict[str, list[Rule]] = {}
        for rule in module.RULES:
            own.setdefault(rule.name, []).append(rule)
        if twice := own.keys() & found.keys():
            raise ValueError(f"rows/{path.name} has rows of another table: {sorted(twice)}")
        found |= own
    for name, rows in extensions(GROUP):
        for rule in checked(name, rows, found):
            found.setdefault(rule.name, []).append(rule)
    return MappingProxyType({name: tuple(of_name) for name, of_name in found.items()})


def checked(name: str, rows: object, known: Mapping[str, object]) -> Sequence[Rule]:
    """The rows of an extension. Raises: MsconvertError (MS902) for others, and for names of ours"""
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Rule) for row in rows):
        raise unusable(GROUP, name, "it is no list of msconvert.api_mapping.table.rule.Rule")
    if twice := {row.name for row in rows} & known.keys():
        raise unusable(GROUP, name, f"the table has a row for {min(twice)} already")
    return rows


@cache
def roots() -> frozenset[str]:
    """The packages whose APIs the table has: PyTorch's, and those of extensions."""
    return frozenset(name.partition(".")[0] for name in (*rules(), *ALIASES))


def all_rules(prefix: str = "") -> Iterator[Rule]:
    """Every rule whose name begins so."""
    for name, of_name in rules().items():
        if name.startswith(prefix):
            yield from of_name


@lru_cache(20_000)
def find(name: str) -> Sequence[Rule]:
    """The rules of a full PyTorch name, none if the table has no row for it."""
    return rules().get(name, ())


@cache
def is_callable(name: str) -> bool:
    """Whether one of the rules is for calls."""
    return any(rule.is_callable for rule in find(name))


ABSENT = "None"
"""The code of a module that MindSpore has not."""


@cache
def has_target(name: str) -> bool:
    """Whether MindSpore has something for a name, or for one in that module or class."""
    found = (rule for rule in (*find(name), *all_rules(f"{name}.")) if rule.target)
    return any(rule.is_callable or rule.target != ABSENT for rule in found)


def verdict(name: str) -> Verdict:
    """The worst verdict of the overloads: what to count a name as.

    Of a class that can also be handed on (families.of_class), only calls count.

    Raises: KeyError if the table has no row for it
    """
    found = rules()[name]
    if any("starred(" in rule.target for rule in found):
        calls = [rule for rule in found if rule.is_callable and "starred(" not in rule.target]
        found = tuple(calls) or found
    return max((rule.verdict for rule in found), key=RANK.__getitem__)
