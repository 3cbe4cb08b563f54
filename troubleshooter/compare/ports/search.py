"""The weights of one network found in the other by structure, and shown by what comes of them.

What shapes, kinds, names and the order of calls say is a guess. B is given A's weights by it and
run: where a layer then takes what its counterpart takes, the guess was right up to there; where
another layer of its shape does so instead, both change places.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...sides.child.messages import Call, Held
from ..matching.closeness import same_figures
from ..recorded import Run
from .chain import Chains
from .owners import Owner, owners_of, without_constants, without_statistics
from .shares import Share, Step, shares_of

MOST_RUNS = 40
"""So often B is run to find which weights are whose."""

NUMBER = re.compile(r"[0-9]+")

Filled = Callable[[tuple[Share, ...]], Run]
"""B's run with these weights."""


@dataclass(frozen=True)
class Match:
    """What B's tensors are made of; `agrees`: whether the networks then give the same."""

    steps: tuple[Step, ...]
    shares: tuple[Share, ...]
    run: Run
    right: frozenset[str]
    agrees: bool

    @property
    def value(self) -> tuple[bool, int, int]:
        return self.agrees, len(self.right), sum(len(x.ours) + len(x.theirs) for x in self.steps)


class Search:
    """Guesses, each tried by a run of B."""

    def __init__(
        self,
        a: Run,
        held: tuple[Sequence[Held], Sequence[Held]],
        filled: Filled,
        known: Mapping[str, str],
    ) -> None:
        """`known`: B's layers by A's, where the user has said so."""
        self.a = a
        self.known = known
        self.held = held
        self.filled = filled
        self.runs = 0

    def found(self, b: Run) -> Match:
        """The best of what the order of calls says, and the order in which layers are made.

        Then B may have apart what A ties.
        """
        best: Match | None = None
        is_tied = any(item.same_as for item in self.held[0])
        held = without_statistics(without_constants(self.held[1], self.held[0]), self.held[0])
        for is_called, is_apart in ((True, False), (False, False), (True, True))[: 2 + is_tied]:
            ours = owners_of(self.held[0], self.a, is_apart=is_apart)
            theirs = owners_of(held, b)
            if not is_called:
                ours, theirs = registered(ours, self.held[0]), registered(theirs, self.held[1])
            match = self.improved(self.tried(Chains(self.a, b, ours, theirs, self.known).steps()))
            best = match if best is None or match.value > best.value else best
            if best.agrees:
                break
        assert best is not None
        return best

    def tried(self, steps: tuple[Step, ...]) -> Match:
        shares = shares_of(steps)
        self.runs += 1
        run = self.filled(shares)
        right = frozenset(step.ours[0].path for step in steps if self.takes_the_same(step, run))
        return Match(steps, shares, run, right, self.agrees(run))

    def improved(self, match: Match) -> Match:
        """Changed as long as more layers take what they should."""
        while not match.agrees and self.runs < MOST_RUNS:
            better = self.better(match)
            if better is None:
                break
            match = better
        return match

    def better(self, match: Match) -> Match | None:
        for steps in itertools.chain(self.exchanges(match), self.permutations(match)):
            if self.runs >= MOST_RUNS:
                break
            trial = self.tried(steps)
            if trial.value > match.value:
                return trial
        return None

    def takes_the_same(self, step: Step, run: Run) -> bool:
        return self.agree(step.ours[0], step.theirs[0], run)

    def agree(self, one: Owner, other: Owner, run: Run) -> bool:
        """Whether two layers are given the same in their first calls."""
        ours = self.a.by_place.get((one.path, 0))
        theirs = run.by_place.get((other.path, 0))
        return ours is not None and theirs is not None and self.alike(ours, theirs, run, "inputs")

    def agrees(self, run: Run) -> bool:
        return self.alike(self.a.calls[0], run.calls[0], run, "outputs")

    def alike(self, one: Call, other: Call, run: Run, role: str) -> bool:
        """By figures of the tensors that do not depend on the order of their elements."""
        ours, theirs = getattr(one, role)[:1], getattr(other, role)[:1]
        if role == "outputs" and one.path == other.path == "":
            ours, theirs = one.outputs, other.outputs
        return len(ours) == len(theirs) and all(
            same_figures(self.a, x, run, y) for x, y in zip(ours, theirs, strict=True)
        )

    def exchanges(self, match: Match) -> Iterator[tuple[Step, ...]]:
        """With layers in each other's place that take what the other's counterpart does."""
        steps = list(match.steps)
        places: dict[str, int] = {s.ours[0].path: i for i, s in enumerate(steps)}
        ordered = sorted(places, key=lambda path: self.moment(path))
        moved: set[int] = set()
        for i in (places[path] for path in ordered):
            step = steps[i]
            if self.is_fixed(step) or self.takes_the_same(step, match.run) or i in moved:
                continue
            for j, other in enumerate(steps):
                fits = not self.is_fixed(other) and other.ours[0].sizes == step.ours[0].sizes
                if j in moved or not fits or self.takes_the_same(other, match.run):
                    continue
                if self.agree(step.ours[0], other.theirs[0], match.run):
                    steps[i] = Step(step.ours, other.theirs)
                    steps[j] = Step(other.ours, step.theirs)
                    moved |= {i, j}
                    break
        if moved:
            yield tuple(steps)

    def is_fixed(self, step: Step) -> bool:
        """Whether it stays as it is: fused, or said by the user."""
        return not is_single(step) or step.ours[0].path in self.known

    def moment(self, path: str) -> int:
        call = self.a.by_place.get((path, 0))
        return call.began if call is not None else 1 << 60

    def permutations(self, match: Match) -> Iterator[tuple[Step, ...]]:
        """With layers that all take the same in another order, wherever such a group stands."""
        groups: dict[tuple[str, ...], list[list[int]]] = {}
        by_input: dict[tuple[str, tuple[int, ...]], list[int]] = {}
        for i, step in enumerate(match.steps):
            call = self.a.by_place.get((step.ours[0].path, 0))
            if not self.is_fixed(step) and call is not None and call.inputs:
                key = call.inputs[0].digest, step.ours[0].sizes
                by_input.setdefault(key, []).append(i)
        for places in by_input.values():
            if 1 < len(places) <= 4:
                names = tuple(plain(match.steps[i].ours[0].path) for i in places)
                groups.setdefault(names, []).append(places)
        for several in groups.values():
            for order in itertools.permutations(range(len(several[0]))):
                if order != tuple(range(len(order))):
                    yield reordered(match.steps, several, order)


def reordered(
    steps: tuple[Step, ...], groups: list[list[int]], order: tuple[int, ...]
) -> tuple[Step, ...]:
    found = list(steps)
    for places in groups:
        for i, k in zip(places, order, strict=True):
            found[i] = Step(steps[i].ours, steps[places[k]].theirs)
    return tuple(found)


def registered(owners: tuple[Owner, ...], held: Sequence[Held]) -> tuple[Owner, ...]:
    """In the order in which they were made."""
    places = {item.name: i for i, item in enumerate(held)}
    return tuple(sorted(owners, key=lambda owner: places[owner.held[0].name]))


def is_single(step: Step) -> bool:
    return len(step.ours) == len(step.theirs) == 1


def plain(path: str) -> str:
    """The path without the numbers of repeated layers."""
    return NUMBER.sub("#", path)
