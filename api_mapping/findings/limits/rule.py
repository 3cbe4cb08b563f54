"""What a rule about a limit of MindSpore's is; those of this folder, found by walking it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .facts import Facts


@dataclass(frozen=True)
class Hit:
    """A place that breaks a limit: the node, what is wrong there, the API if it is about one."""

    node: ast.AST
    message: str
    api: str = ""


Check = Callable[[Any, "Facts"], Iterable[Hit]]
Holds = Callable[["Facts"], bool]
About = Callable[[str], bool]


def always(facts: Facts) -> bool:
    return True


def in_modules(facts: Facts) -> bool:
    """Whether the file has classes of modules; rules for it look at nothing outside of them."""
    return "module" in facts.families.values()


@dataclass(frozen=True, eq=False)
class Limit:
    """One rule: its code, the nodes it looks at, what to do, and examples that are its tests.

    In `found`, the lines that end in `# !` are told, and no others; `clean` has none. The
    examples have torch, nn and F imported. `about`: only nodes that use for certain an API of
    which this is true; `called`: only calls of functions and methods with these names; `holds_for`:
    only files of which this is true, and with `in_modules` only what stands in classes of modules.
    A rule that looks at fewer nodes costs less: there are many.
    """

    code: str
    nodes: tuple[type[ast.AST], ...]
    advice: str
    found: tuple[str, ...]
    clean: tuple[str, ...]
    check: Check
    about: About | None = None
    called: frozenset[str] = frozenset()
    holds_for: Holds = always

    @property
    def name(self) -> str:
        return self.check.__name__

    @property
    def is_of_modules(self) -> bool:
        return self.holds_for is in_modules


LIMITS: list[Limit] = []


def limit(
    code: str,
    *nodes: type[ast.AST],
    advice: str,
    found: Sequence[str],
    clean: Sequence[str],
    about: About | None = None,
    called: Collection[str] = (),
    holds_for: Holds = always,
) -> Callable[[Check], Check]:
    """Registers a check of nodes of these types."""

    def register(check: Check) -> Check:
        examples, names = (tuple(found), tuple(clean)), frozenset(called)
        rule = Limit(code, nodes, advice, *examples, check, about, names, holds_for)
        LIMITS.append(rule)
        return check

    return register


@cache
def by_node() -> Mapping[type[ast.AST], Sequence[Limit]]:
    """The rules by the type of node that they look at, but those of uses."""
    return grouped(rule for rule in all_limits() if rule.about is None)


@cache
def by_use(api: str) -> Mapping[type[ast.AST], Sequence[Limit]]:
    """The rules about an API, by the type of node that they look at."""
    return grouped(rule for rule in all_limits() if rule.about is not None and rule.about(api))


def grouped(rules: Iterable[Limit]) -> Mapping[type[ast.AST], Sequence[Limit]]:
    found: dict[type[ast.AST], list[Limit]] = defaultdict(list)
    for rule in rules:
        for node in rule.nodes:
            found[node].append(rule)
    return dict(found)


@cache
def all_limits() -> Sequence[Limit]:
    """Every rule of this folder."""
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        import_module(f".{path.stem}", __package__)
    return tuple(sorted(LIMITS, key=lambda rule: (rule.code, rule.name)))
