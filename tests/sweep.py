"""Sweeps: tests of many cases of a kind, of which a run takes a share and `pytest --whole` all.

    @pytest.mark.sweep                            each value of each parameter in one case at least
    @pytest.mark.sweep(each="slip.network")       each network that a slip has
    @pytest.mark.sweep(each="case.0", one_in=4)   each first part of it, and a fourth of the rest
    @pytest.mark.sweep(each=(), one_in=3)         a third: another test has each of them

What `each` names, parameters or parts of them, loses no value: so every feature keeps a case.
Cases are taken by a number made of their names: the same ones in every run, and the same ones for
all tests of a file that have the same parameters, which share what is made of them. A test without
the mark always runs, and so does all that a person asks for by name, by `-k` or by `--lf`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")
Has = Callable[[T], Iterable[Hashable]]
MARK = "sweep(each, one_in): many cases of a kind, of which a run takes a share; see tests/sweep.py"


def number(item: pytest.Item) -> int:
    return crc32(f"{item.nodeid.partition('::')[0]} {item.callspec.id}".encode())  # type: ignore[attr-defined]


def values(item: pytest.Item, each: tuple[str, ...] | None) -> Iterator[tuple[str, str]]:
    """What this case has of what must not be left out."""
    parameters = item.callspec.params  # type: ignore[attr-defined]
    for path in parameters if each is None else each:
        value: Any = parameters
        for part in path.split("."):
            if isinstance(value, dict):
                value = value[part]
            else:
                value = value[int(part)] if part.isdigit() else getattr(value, part)
        yield path, repr(value)


def share(cases: Sequence[T], number: Callable[[T], int], has: Has[T], one_in: int = 0) -> list[T]:
    """The cases that are taken, in their order: with all that any case has, and one in so many."""
    taken: set[int] = set()
    seen: set[Hashable] = set()
    for k in sorted(range(len(cases)), key=lambda k: number(cases[k])):
        found = set(has(cases[k])) or {None}  # where nothing is named, one case stays
        if not found <= seen or (one_in and number(cases[k]) % one_in == 0):
            taken.add(k)
            seen |= found
    return [case for k, case in enumerate(cases) if k in taken]


def chosen(request: pytest.FixtureRequest, name: str, test: str = "") -> list[Any]:
    """The values of a parameter in the tests of the fixture's module that are run; in one of them
    if it is named. What a fixture makes of all at once, it makes of these."""
    items = [i for i in request.session.items if getattr(i, "module", None) is request.module]
    items = [i for i in items if not test or i.originalname == test]  # type: ignore[attr-defined]
    found = [i.callspec.params for i in items if hasattr(i, "callspec")]
    return list(dict.fromkeys(parameters[name] for parameters in found if name in parameters))


class Sweeps:
    """Leaves out what is not of the share, and says at the end how much that was."""

    def __init__(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", MARK)
        asked = ("whole", "renew_golden", "keyword", "lf", "failedfirst")
        self.whole = any(config.getoption(name, False) for name in asked)
        self.whole = self.whole or any("::" in argument for argument in config.args)
        self.config = config
        self.left_out: dict[str, int] = {}
        """How many cases, by where: processes of xdist's that leave out the same say so once."""

    def rows(
        self, where: str, rows: Sequence[T], name: Callable[[T], str], has: Has[T], one_in: int = 0
    ) -> list[T]:
        """The share of the rows that one test goes through; `where` is its name."""
        if self.whole:
            return list(rows)
        taken = share(rows, lambda row: crc32(name(row).encode()), has, one_in)
        self.left_out[where] = len(rows) - len(taken)
        return taken

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        sweeps: dict[str, list[pytest.Item]] = {}
        for item in items:
            if item.get_closest_marker("sweep") is not None:
                sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
        if self.whole or not sweeps:
            return
        left_out: set[pytest.Item] = set()
        for cases in sweeps.values():
            mark = cases[0].get_closest_marker("sweep").kwargs  # type: ignore[union-attr]
            each = mark.get("each")
            has = partial(values, each=(each,) if isinstance(each, str) else each)
            left_out |= set(cases) - set(share(cases, number, has, mark.get("one_in", 0)))
        self.left_out["tests"] = len(left_out)
        self.config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]

    def pytest_sessionfinish(self) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["left_out"] = self.left_out

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A process of xdist's has ended: each has collected all tests."""
        self.left_out |= getattr(node, "workeroutput", {}).get("left_out", {})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if count := sum(self.left_out.values()):
            terminalreporter.write_line(
                f"{count} cases of sweeps were left out, and no feature of theirs;"
                " `pytest --whole` runs them all"
            )
