"""What `msconvert api NAME` shows: the row of a name, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from ...errors import MsconvertError
from ..table import cpu_kernels, registry
from ..table.argument import Refusal
from ..table.readable_target import readable
from ..table.rule import Rule
from . import lookup, verification
from .examples import Example


@dataclass(frozen=True)
class Pair:
    """PyTorch code and the MindSpore code that the row makes of it."""

    pytorch: str
    mindspore: str


@dataclass(frozen=True)
class Form:
    """One overload: how it is called, what is written for it, where that was seen to be right."""

    signature: str
    verdict: str
    mindspore: str
    mint: str
    platform: str
    note: str
    limit: str
    cpu: str
    advice: str
    refused: dict[str, str]
    weights: dict[str, str]
    verified: tuple[str, ...]
    examples: tuple[Pair, ...]


@dataclass(frozen=True)
class Card:
    """A name with all its overloads."""

    name: str
    verdict: str
    forms: tuple[Form, ...]

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    def lines(self) -> Iterator[tuple[str, str]]:
        """Label and text of each line, the label empty where the last one goes on."""
        yield self.name, self.verdict
        for form in self.forms:
            yield from lines_of(form)


def cards(query: str) -> list[Card]:
    """The cards of the names that a query stands for.

    Raises: MS200 if there are none; the advice has the nearest
    """
    found = [card(name) for name in lookup.names(query)]
    if not found:
        near = ", ".join(lookup.nearest(query)) or "docs/api-mapping.md has all names"
        raise MsconvertError("MS200", query, "the table has no such name", advice=near)
    return found


def card(name: str) -> Card:
    forms = tuple(form(rule) for rule in registry.find(name))
    return Card(name, registry.verdict(name), forms)


def form(rule: Rule) -> Form:
    return Form(
        rule.signature,
        rule.verdict,
        readable(rule),
        readable(rule, mint=True),
        rule.platform,
        rule.note,
        rule.limit,
        cpu_kernels.of(rule.name) if rule.target else "",
        rule.advice,
        dict(rule.reject),
        dict(rule.state),
        verification.sides(rule),
        tuple(pairs(rule)),
    )


def pairs(rule: Rule) -> Iterator[Pair]:
    """The examples of a row, converted by it."""
    for code in rule.examples:
        try:
            yield Pair(code, Example(rule, code).converted)
        except Refusal as refusal:
            yield Pair(code, f"# {refusal}")


def lines_of(form: Form) -> Iterator[tuple[str, str]]:
    yield "PyTorch", form.signature
    facts = (
        ("MindSpore", form.mindspore),
        ("mint", form.mint),
        ("runs on", form.platform),
        ("differs", form.note),
        ("refuses", form.limit),
        ("CPU", form.cpu),
        ("instead", form.advice),
    )
    yield from ((label, text) for label, text in facts if text)
    for argument, advice in form.refused.items():
        yield "refused", f"{argument}: {advice}"
    if form.weights:
        yield "weights", ", ".join(f"{old} -> {new}" for old, new in form.weights.items())
    for pair in form.examples[:2]:
        yield "example", f"{pair.pytorch}\n-> {pair.mindspore}"
    versions = verification.record().versions
    seen = [f"{side} {versions.get(side.removeprefix('mint '), '')}" for side in form.verified]
    if seen:
        yield "verified", f"PyTorch {versions['PyTorch']} = {' = '.join(seen)}"
