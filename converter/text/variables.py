"""Lines as a person would write them: what their variables are called."""

from __future__ import annotations

import heapq
import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from ..code.expr import Call, Code, Expr, ForEach, Size, Tuple, refs
from ..code.source_text import ATOM, render
from ..code.statement import Targets, names_of
from ..modules.plan import Line, Plan
from .nesting import SIDE_BRANCH, hint_of, nested, returned_at_once


@dataclass(frozen=True)
class Body:
    """The text of `construct`: parameter names and source lines, the last one a return."""

    parameters: tuple[str, ...]
    lines: tuple[str, ...]


def write_body(plan: Plan, given: Mapping[str, str]) -> Body:
    """The lines of a class; `given` are the names of inputs that have one of their own."""
    lines = nested(plan, given)
    return _Namer(plan, lines, given).body()


class _Numbers:
    """The numbers that one word has got: those whose variables live, until when; those free again.

    So a number is found at once, however many are in use.
    """

    def __init__(self) -> None:
        self.new = count(2)
        self.busy: list[tuple[int, int]] = []
        self.free: list[int] = []

    def wait_for(self, number: int, until: int, index: int) -> None:
        """Puts a number to those that are free, or back if its variable lives on."""
        if until <= index:
            heapq.heappush(self.free, number)
        else:
            heapq.heappush(self.busy, (until, number))

    def busy_until(self, number: int, line: int) -> None:
        heapq.heappush(self.busy, (line, number))


class _Namer:
    """Chooses variables line by line: the main line keeps its name, side values get their own."""

    def __init__(self, plan: Plan, lines: list[Line], given: Mapping[str, str]) -> None:
        self._plan = plan
        self._lines = lines
        self._names: dict[str, str] = {}
        self._numbers: dict[str, _Numbers] = {}
        self._until: dict[str, int] = {}
        self._last_use = {n: i for i, line in enumerate(lines) for n in refs(line.expr)}
        self._last_use.update(dict.fromkeys(plan.outputs, len(lines)))
        self._last_use |= {name: max(self._last_use.get(name, 0), 0) for name in plan.inputs}
        for i, name in enumerate(plan.inputs):
            self._name(name, self._fresh([given.get(name, ""), *("xyz"[i : i + 1])], -1))

    def body(self) -> Body:
        parameters = tuple(self._names[name] for name in self._plan.inputs)
        parameters += (f"*{self._plan.variadic}",) if self._plan.variadic else ()
        written: list[str] = []
        lines = self._lines
        returned = self._plan.outputs
        ends = returned_at_once(lines, returned)
        lines = lines[: len(lines) - len(ends)]
        for i, line in enumerate(lines):
            written += self._written(line, i)
        texts = [
            self._text(ends[name].expr) if name in ends else self._names[name] for name in returned
        ]
        written.append(f"return {', '.join(texts)}")
        return Body(parameters, tuple(written))

    def _written(self, line: Line, index: int) -> list[str]:
        if isinstance(line.expr, ForEach):
            return self._loop(line.expr, line, index)
        text = self._text(line.expr)
        text = text[1:-1] if isinstance(line.expr, Tuple) else text
        bound = self._bind(line, index)
        return [f"{bound} = {text}"] if bound != text else []

    def _loop(self, e: ForEach, line: Line, index: int) -> list[str]:
        """`for block in self.blocks:` and its body."""
        first, others = self._text(e.first), [self._text(o) for o in e.others]
        for read in (name for other in e.others for name in refs(other)):
            self._until[self._names[read]] = max(self._until[self._names[read]], index + 1)
        name = self._bind(line, index)
        self._until[name] = max(self._until[name], index + 1)
        begun = [] if name == first else [f"{name} = {first}"]
        arguments = ", ".join([name, *others])
        if e.start:  # MindSpore makes a list of its own of `members[1:]`, and renames all in it
            number = self._fresh(["i", "number"], index)
            numbers = f"range({e.start}, len(self.{e.members}))"
            call = f"self.{e.members}[{number}]({arguments})"
            return [*begun, f"for {number} in {numbers}:", f"    {name} = {call}"]
        one = e.members[:-1] if e.members.endswith("s") and len(e.members) > 2 else "cell"
        one = self._fresh([one, "cell"], index)
        return [*begun, f"for {one} in self.{e.members}:", f"    {name} = {one}({arguments})"]

    def _text(self, e: Expr) -> str:
        return render(e, lambda name: (self._names[name], ATOM))

    def _bind(self, line: Line, index: int) -> str:
        if isinstance(line.targets, str):
            return self._name(line.targets, self._choose(line, index))
        bound = names_of(line.targets)
        for i, name in enumerate(bound):
            self._name(name, self._fresh(_part_names(line.expr, i, len(bound)), index))
        return self._pattern(line.targets)

    def _pattern(self, targets: Targets) -> str:
        if isinstance(targets, str):
            return self._names[targets] if targets else "_"
        inner = [
            f"({self._pattern(t)})" if isinstance(t, tuple) else self._pattern(t) for t in targets
        ]
        return ", ".join(inner)

    def _choose(self, line: Line, index: int) -> str:
        """The variable of one line: a name that dies here, else x, out, or what it is."""
        hint = hint_of(line.expr)
        if isinstance(line.expr, Size):
            return self._fresh(["size"], index)
        if hint in SIDE_BRANCH.values():
            return self._fresh([hint], index)
        read = list(dict.fromkeys(refs(line.expr)))
        ending = [v for v in (self._names[n] for n in read) if not self._live(v, index)]
        main = [name for name in ending if name in ("x", "out")]
        if main or (len(read) == 1 and ending and index):
            return (main or ending)[0]
        started = any(self._live(name, index) for name in ("x", "out"))
        first = ["out"] if started else ["x", "out"]
        return self._fresh([*(first if len(read) < 2 or not started else []), hint], index)

    def _live(self, variable: str, index: int) -> bool:
        return self._until.get(variable, -1) > index

    def _name(self, value: str, variable: str) -> str:
        """Binds the variable, which holds the value until its last use."""
        self._names[value] = variable
        last = self._last_use.get(value, -1)
        self._until[variable] = max(self._until.get(variable, -1), last)
        return variable

    def _fresh(self, choices: list[str], index: int) -> str:
        words = [w for w in choices if w and not keyword.iskeyword(w) and not _is_reserved(w)]
        words = words or ["y"]
        free = next((word for word in words if not self._live(word, index)), None)
        return self._numbered(words[-1], index) if free is None else free

    def _numbered(self, word: str, index: int) -> str:
        """The word with the smallest number from 2 on that no live variable has."""
        numbers = self._numbers.setdefault(word, _Numbers())
        while numbers.busy and numbers.busy[0][0] <= index:
            _, number = heapq.heappop(numbers.busy)
            numbers.wait_for(number, self._until.get(f"{word}{number}", -1), index)
        while True:
            number = heapq.heappop(numbers.free) if numbers.free else next(numbers.new)
            until = self._until.get(f"{word}{number}", -1)
            numbers.busy_until(number, max(until, index + 1))
            if until <= index:
                return f"{word}{number}"


_RESERVED = frozenset(
    {"self", "ms", "nn", "ops", "np", "float", "load", "super", "print", "range", "_"}
)


def _is_reserved(word: str) -> bool:
    """Whether a variable would hide a name that the script needs."""
    return word in _RESERVED or word.startswith("onnx_")


def _part_names(e: Expr, i: int, several: int) -> list[str]:
    """Names for part `i` of a result that is unpacked into `several`."""
    if isinstance(e, Size) and e.names:
        return [e.names[i]]
    text = render(e.func) if isinstance(e, Call) and isinstance(e.func, Code) else ""
    if any(word in text for word in ("lstm", "gru", "rnn")):
        return [("out", "h", "c")[i]] if i < 3 else ["state"]
    if "topk" in text:
        return [("values", "indices")[i % 2]]
    if several == 3:
        return ["qkv"[i]]
    return ["abcdef"[i]] if i < 6 else ["part"]
