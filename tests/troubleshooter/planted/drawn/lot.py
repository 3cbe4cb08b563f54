"""The faults that were drawn: what each is, where, and what must be said of it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from ..fault import Edit, Fault, Reference, Spoiled, Target
from . import layers
from .otherwise import rewritten

FOLDER = Path(__file__).parents[1] / "networks_drawn"
ORIGINALS, PORTS = FOLDER / "pytorch", FOLDER / "ported"
LATER = ("cells", "coupling", "points", "shop", "tongues", "walker")
"""Written when the faults of the others had been mended."""
THIRD = ("experts", "motion", "rays", "roads", "speaker", "states")
"""Written when those of these had been, too."""
FOURTH = ("board", "captions", "genes", "orbits", "reader", "zoom")
"""And when a list of all of these had been compared."""
EVERY = tuple(sorted(path.stem for path in ORIGINALS.glob("*.py")))
EARLIER = tuple(name for name in EVERY if name not in FOURTH)
NETWORKS = tuple(name for name in EARLIER if name not in (*LATER, *THIRD))
CALLS = dict.fromkeys(EVERY, "build()")
LOTS = Path(__file__).with_name("lots")

WHOLE = "(the network)"


@dataclass(frozen=True)
class Drawn:
    """A stretch of a port, `old`, that begins at `start`, and what is written instead.

    `category`: "code", "option", "structure" or "weights". `is_otherwise`: whether the rest of the
    port is written otherwise. `ours`, `theirs`: lines of the original and of the port as it is, of
    the statement; `uses`: of the port, lines that are as right. `layers`: the paths that are right.
    `weights`: of those, what is done to which tensors.
    """

    network: str
    category: str
    kind: str
    reference: Reference
    target: Target
    is_otherwise: bool
    start: int
    old: str
    new: str
    ours: tuple[int, ...]
    theirs: tuple[int, ...]
    uses: tuple[int, ...]
    layers: tuple[str, ...]
    causes: tuple[str, ...]
    weights: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        what = " ".join(self.weights) or f"{self.old.strip()} -> {self.new.strip()}"
        return f"{self.network}, {self.reference}, {self.target}, {self.kind}: {what}"

    @property
    def text(self) -> str:
        """The port with the fault, and written otherwise if it is."""
        return self.placed[0]

    @property
    def placed(self) -> tuple[str, tuple[int, ...]]:
        """The text, and the lines of it in which the fault stands."""
        plain = port(self.network)
        faulty = plain[: self.start] + self.new + plain[self.start + len(self.old) :]
        first = min(self.theirs, default=1)
        last = max(self.theirs, default=0) + self.new.count("\n") - self.old.count("\n")
        spared = "\n".join(plain.split("\n")[first - 1 : max(self.theirs, default=0)]).strip()
        text = rewritten(faulty, self.network, spared) if self.is_otherwise else faulty
        lines = {*range(first, max(first, last) + 1), *self.uses}
        if not self.new:  # what is left out has no line of its own
            around = rounds(faulty, first)
            lines |= {first - 1, first, *users(faulty, first, self.old)}
            lines |= {x for loop in around for x in users(faulty, loop, self.old)}
        return text, moved(faulty, text, lines)

    @property
    def fault(self) -> Fault:
        """As it is planted: the whole text, or the tensors."""
        planted: Edit | Spoiled
        if self.weights:
            planted = layers.spoiled(self.weights[0], self.weights[1:])
        else:
            planted = Edit(((port(self.network), self.text),))
        more = (planted, self.reference, self.target)
        return Fault(self.network, self.kind, self.layers[0], self.causes, *more)


def users(text: str, line: int, old: str) -> set[int]:
    """The next line that reads what the statement that was there had changed."""
    name = old.split("=")[0].strip()
    for number, one in enumerate(text.split("\n")[line - 1 :], line):
        read = one if one.lstrip().startswith("return ") else one.partition("=")[2] or one
        if re.search(rf"\b{re.escape(name)}\b", read):
            return {number}
    return set()


def rounds(text: str, line: int) -> list[int]:
    """The first lines of the loops around a line: what is left out there is read there next."""
    return [
        node.body[0].lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.For) and node.lineno < line <= (node.end_lineno or 0) + 1
    ]


def moved(before: str, after: str, lines: set[int]) -> tuple[int, ...]:
    """The numbers that lines of one text have in the other, which differs by rewritings."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    found = set()
    for kind, i, j, k, m in matcher.get_opcodes():
        for line in lines:
            if i < line <= j:
                found |= {line - i + k} if kind == "equal" else set(range(k + 1, m + 1))
    return tuple(sorted(found))


@cache
def port(network: str) -> str:
    return (PORTS / f"{network}.py").read_text(encoding="utf-8")


@cache
def original(network: str) -> str:
    return (ORIGINALS / f"{network}.py").read_text(encoding="utf-8")


def answering(network: str, line: int) -> tuple[int, ...]:
    """The lines of the original's statement that answers to the port's at a line."""
    ours, theirs = (list(numbered(text)) for text in (original(network), port(network)))
    assert [one[0] for one in ours] == [one[0] for one in theirs], network
    place = next(i for i, one in enumerate(theirs) if line in one[1])
    return tuple(ours[place][1])


def numbered(text: str) -> Iterator[tuple[str, range]]:
    """Each statement's function and lines, in order."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        own = [x for x in ast.walk(node) if isinstance(x, (ast.Assign, ast.Return, ast.Expr))]
        name = {"construct": "forward"}.get(node.name, node.name)
        if name in ("build", "inputs"):
            continue
        for one in sorted(own, key=lambda x: (x.lineno, x.col_offset)):
            yield name, range(one.lineno, (one.end_lineno or one.lineno) + 1)


def write(lot: Sequence[Drawn], file: Path) -> None:
    rows = [json.dumps(asdict(one)) for one in lot]
    file.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def read(file: Path) -> tuple[Drawn, ...]:
    rows = json.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Drawn(**{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}) for row in rows
    )
