"""Functions with PyTorch's arguments, for names that are handed on: `act = F.softmax`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from ..syntax.code import text_of
from ..syntax.reading import unparsed
from . import registry
from .argument import DROPPED, Call, Refusal
from .rule import Param, Rule
from .side_arguments import NAMES
from .template import instantiate, names_in


@dataclass(frozen=True)
class Adapter:
    """A function of the compat module that stands for one of PyTorch's."""

    name: str
    code: str


@cache
def adapter_of(api: str) -> Adapter | None:
    """The function that takes PyTorch's arguments; None where they must be seen to be written."""
    found = (written(rule) for rule in registry.find(api) if is_adaptable(rule))
    return next((Adapter(name_of(api), code) for code in found if code), None)


def written(rule: Rule) -> str:
    """The text of the function; "" if the row's target takes no arguments but known ones."""
    asides = NAMES - names_in(rule.target)
    taken = [p for p in rule.params if p.name not in rule.reject and p.name not in asides]
    given = [p for p in taken if p.name not in DROPPED and p.name not in rule.drop]
    keywords = [ast.keyword(p.name, ast.Name(p.name)) for p in given]
    try:
        value = text_of(instantiate(rule, Call.of(None, (), keywords, unparsed)))
    except Refusal:
        return ""
    return definition(rule, taken, value)


def is_adaptable(rule: Rule) -> bool:
    """Whether a row fits every call, whatever the arguments are."""
    plain = all(p.kind in ("positional", "keyword") for p in rule.params)
    is_method = bool(rule.params) and rule.params[0].name == "self"
    return (
        bool(rule.target)
        and rule.is_callable
        and plain
        and not (is_method or rule.kinds or rule.writes or rule.assigned)
    )


def name_of(api: str) -> str:
    """The adapter's name: `functional_softmax` of torch.nn.functional.softmax."""
    short = api.removeprefix("torch.").removeprefix("nn.functional.").removeprefix("nn.modules.")
    space = "functional" if ".functional." in api and api.startswith("torch.nn") else "torch"
    return f"{space}_{short}" if "." not in short else short.replace(".", "_")


def definition(rule: Rule, params: list[Param], value: str) -> str:
    """The text of the function; `value` is the code of a call with its parameters."""
    names = ", ".join(p.name if p.default is None else f"{p.name}={p.default}" for p in params)
    own = value.replace("compat.", "")
    return f'def {name_of(rule.name)}({names}):\n    """{rule.name}."""\n    return {own}'


@cache
def adapter_named(name: str) -> Adapter | None:
    """The adapter that has this name; None if there is none."""
    return next(filter(None, map(adapter_of, apis_by_name().get(name, ()))), None)


@cache
def apis_by_name() -> dict[str, list[str]]:
    """The APIs of the table by the names that adapters of them would have."""
    found: dict[str, list[str]] = {}
    for api in registry.rules():
        found.setdefault(name_of(api), []).append(api)
    return found
