"""Pairs of tensors measured and judged, one after the other: a bad one is a bad row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...errors import MsconvertError
from ...formats.stored import Checkpoint, StoredTensor
from ..measure.measuring import TEXTS, Source, measure
from .judgement import all_close, status_of
from .row import Kind, Row, Status
from .settings import EXPLAINED_BYTES, Settings

if TYPE_CHECKING:
    from ..pairing.mapped import Naming
    from ..pairing.pair import Pair

Tell: TypeAlias = Callable[[str], None]
Sources: TypeAlias = tuple[Source, Source]
RELEASE_BYTES = 32 << 20
"""After so many bytes the pages of the mapped files are let go of."""


@dataclass(frozen=True, slots=True)
class Found:
    """A row, and how its tensors are got again."""

    row: Row
    sources: Callable[[], Sources] | None = None
    size: int = 0
    """Bytes of the reference."""


class Comparing:
    """Two files, or folders, whose tensors are compared pair by pair."""

    def __init__(
        self,
        a: Checkpoint,
        b: Checkpoint,
        settings: Settings,
        naming: Naming | None = None,
        tell: Tell = lambda _step: None,
    ) -> None:
        self.a, self.b, self.settings, self.naming, self.tell = a, b, settings, naming, tell
        self.tensors_a, self.tensors_b = readable(a, b), readable(b, a)
        self.passed = 0

    def rows(self) -> tuple[Row, ...]:
        """What cannot be read, then each pair in the order of `a`, then texts.

        The gravest differences are explained, as many as the settings say.
        Raises: MS310 for a map that does not fit
        """
        found = [*self.unreadable(), *self.found(), *self.texts()]
        for place in self.to_explain(found):
            self.tell(f"explaining {found[place].row.name}")
            found[place] = Found(self.explained(found[place]))
        rows = [one.row for one in found]
        if self.settings.explain == 0 or self.settings.profile != "weights":
            return tuple(rows)
        from .kinship import with_kin

        return tuple(with_kin(rows, self.tensors_a, self.tensors_b))

    def to_explain(self, found: list[Found]) -> list[int]:
        """The rows whose difference is to be explained, the gravest first."""
        failing = [place for place, one in enumerate(found) if one.sources and not one.row.ok]
        failing.sort(key=lambda place: found[place].row.gravity)
        if self.settings.explain is None:
            return failing
        sizes = accumulate(found[place].size for place in failing)
        within = sum(size <= EXPLAINED_BYTES for size in sizes)
        return failing[: min(self.settings.explain, max(within, 1))]

    def unreadable(self) -> Iterator[Found]:
        """The entries that could not be read on one side or on both."""
        for name in dict.fromkeys([*self.a.unreadable, *self.b.unreadable]):
            sides = (self.a, self.b)
            problems = [side.unreadable[name].text() for side in sides if name in side.unreadable]
            there = [name if name in side or name in side.unreadable else None for side in sides]
            yield Found(Row(there[0], there[1], "unreadable", problem="; ".join(problems)))

    def found(self) -> Iterator[Found]:
        """Each pair of tensors; none if there is nothing but what cannot be read in a side."""
        if any(side.unreadable and not side for side in (self.a, self.b)):
            return
        ours, theirs = [*self.tensors_a], [*self.tensors_b]
        if self.naming is None and ours == theirs:
            yield from self.of_names([(name, name, "name") for name in ours])
        elif self.naming is None and len(ours) == len(theirs) == 1:
            yield from self.of_names([(ours[0], theirs[0], "only")])
        else:
            yield from self.paired()

    def of_names(self, names: list[tuple[str, str, str]]) -> Iterator[Found]:
        """Pairs of which nothing needs to be found out: their names, and how they are known."""
        for number, (name, other, how) in enumerate(names, 1):
            self.tell(f"comparing {number} of {len(names)}: {name}")
            a, b = self.tensors_a[name], self.tensors_b[other]
            row = Row(name, other, "ok", how, kind_a=kind_of(a), kind_b=kind_of(b))
            yield self.compared(row, partial(given, a, b))

    def paired(self) -> Iterator[Found]:
        """Each tensor with its counterpart, found by names, rules, shapes and values."""
        from ..pairing import pair_up

        self.tell("pairing the tensors of both")
        pairs = pair_up(self.tensors_a, self.tensors_b, naming=self.naming)
        if self.settings.profile != "weights":  # only these have further names
            pairs = tuple(untied(pairs))
        for number, pair in enumerate(pairs, 1):
            self.tell(f"comparing {number} of {len(pairs)}: {pair.a or pair.b}")
            row = self.row_of(pair)
            whole = pair.is_whole
            yield self.compared(row, partial(self.sources, pair)) if whole else Found(row)

    def row_of(self, pair: Pair) -> Row:
        """The row of a pair that is still to be compared, or of a tensor without counterpart."""
        kind_a = None if pair.a is None else kind_of(self.tensors_a[pair.a])
        kind_b = None if pair.b is None else kind_of(self.tensors_b[pair.b])
        known = (pair.how, pair.confidence, pair.change, kind_a, kind_b)
        status: Status = "ok" if pair.is_whole else "missing"
        return Row(pair.a, pair.b, status, *known, tied=pair.tied, made=made_of(pair))

    def sources(self, pair: Pair) -> Sources:
        """Both tensors, a's in the form of b's. Raises: MS312 if a weight cannot be computed"""
        if pair.fold is None and pair.change in ("", "reshape") and pair.a and pair.b:
            return self.tensors_a[pair.a], self.tensors_b[pair.b]
        return pair.arrays(self.tensors_a, self.tensors_b)

    def compared(self, row: Row, sources: Callable[[], Sources]) -> Found:
        """The row of a pair, measured and judged; of one that cannot be read, why."""
        try:
            a, b = sources()
            return Found(self.judged(row, a, b), sources, a.size * a.dtype.itemsize)
        except MsconvertError as error:
            return Found(replace(row, status="unreadable", problem=error.text()))

    def judged(self, row: Row, a: Source, b: Source) -> Row:
        """The row of a pair, measured and judged."""
        self.let_go(a, b)
        tolerance = self.settings.tolerance(
            (row.a, row.b), dtype_name(a.dtype), dtype_name(b.dtype)
        )
        if a.shape != b.shape and row.change != "reshape":
            return replace(row, status="shape", tolerance=tolerance)
        if 0 in a.shape:
            return row.measured("empty")
        if (a.dtype.kind in TEXTS) != (b.dtype.kind in TEXTS):
            return replace(row, status="dtype", problem="texts are not compared with numbers")
        metrics = measure(a, b, tolerance, record=self.settings.record)
        status = status_of(metrics, all_close(metrics), self.settings, a.dtype == b.dtype)
        return row.measured(status, tolerance, metrics)

    def explained(self, found: Found) -> Row:
        """The row with what explains its difference, if anything does."""
        from .explanation import explained

        assert found.sources is not None
        try:
            a, b = found.sources()
            self.let_go(a, b)
            return explained(found.row, a, b, thorough=self.settings.explain is None)
        except MsconvertError as error:  # the file has changed meanwhile
            return replace(found.row, status="unreadable", problem=error.text())

    def let_go(self, a: Source, b: Source) -> None:
        """Notes that so many bytes will be read, and lets go of what was read before."""
        self.passed += a.size * a.dtype.itemsize + b.size * b.dtype.itemsize
        if self.passed >= RELEASE_BYTES:
            self.a.release()
            self.b.release()
            self.passed = 0

    def texts(self) -> Iterator[Found]:
        """The texts of both files; what is a text in one and a tensor in the other is missing.

        What stood around the weights is a text in converted checkpoints alone.
        """
        ours, theirs = texts_of(self.a), texts_of(self.b)
        if not ours and not theirs:
            return
        from ...formats.ckpt import STRUCTURE

        if STRUCTURE not in ours.keys() & theirs.keys():
            ours.pop(STRUCTURE, None)
            theirs.pop(STRUCTURE, None)
        for name in dict.fromkeys([*ours, *theirs]):
            there = [name if name in side else None for side in (ours, theirs)]
            if None in there:
                yield Found(Row(there[0], there[1], "missing", "none"))
                continue
            a, b = np.array(ours[name]), np.array(theirs[name])
            kind = Kind((), "str")
            yield Found(self.judged(Row(name, name, "ok", kind_a=kind, kind_b=kind), a, b))


def untied(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The pairs; what only holds the same as another tensor has no counterpart of its own."""
    from ..pairing.pair import Pair

    names = {(pair.a, pair.b) for pair in pairs if not pair.tied}
    for pair in pairs:
        if not pair.tied:
            yield pair
        elif (pair.tied, pair.b) in names:
            yield Pair(pair.a, None, "none")
        else:
            yield Pair(None, pair.b, "none")


def made_of(pair: Pair) -> str:
    """Which side of a pair is computed, and of what; "" if none is."""
    if pair.fold is None:
        return ""
    return f"{pair.folded} is computed ({pair.fold.kind}) of {', '.join(pair.fold.sources)}"


def given(a: Source, b: Source) -> Sources:
    """Two tensors of which nothing needs to be computed."""
    return a, b


def readable(of: Checkpoint, other: Checkpoint) -> dict[str, StoredTensor]:
    """The tensors of one side, but for those that cannot be read in the other."""
    tensors = of.tensors()
    if not other.unreadable:
        return tensors
    return {name: tensor for name, tensor in tensors.items() if name not in other.unreadable}


def texts_of(side: Checkpoint) -> dict[str, str]:
    """The entries that are texts."""
    return {name: value for name, value in side.items() if isinstance(value, str)}


def kind_of(tensor: StoredTensor) -> Kind:
    """Shape and element type of a tensor."""
    return Kind(tensor.shape, dtype_name(tensor.dtype))


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """The name of an element type; of texts of any length, "str"."""
    return "str" if dtype.kind in TEXTS else dtype.name
