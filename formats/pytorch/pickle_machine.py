"""A small pickle machine: it builds plain values, and calls nothing but what it was given.

Python's own unpickler imports what a file names, allocates what it asks for, and recurses in C.
This one knows the instructions that `torch.save` writes; each takes at least one byte of the file
and makes at most one small value, so that memory is bounded by the file. Names of globals are
looked up in a table; what is not there is refused by name.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import MsconvertError
from ..stored import damage

MAX_STEPS = 8_000_000
"""Instructions of one pickle; a state dict has some 30 for each tensor."""
MAX_INT_BYTES = 1024
MARK = object()
"""Where the arguments of an instruction begin on the stack."""

KEYS = (str, int, float, bool, bytes, type(None))
"""What keys of dictionaries and members of sets are: hashing them does not recurse."""

Callee = Callable[["PickleMachine", tuple[Any, ...]], Any]


class Global:
    """A name that a pickle may mention, and what calling it makes; None: it is not called."""

    __slots__ = ("call", "name")

    def __init__(self, name: str, call: Callee | None = None) -> None:
        self.name = name
        self.call = call


Globals = Callable[[str], Global | None]


TOO_LITTLE = "the pickle takes a value that it has not made"


class PickleMachine:
    """Runs one pickle of `source`, from byte `place` on; afterwards `place` is behind it."""

    def __init__(
        self,
        where: str,
        source: Any,
        place: int,
        end: int,
        known: Globals,
        persistent: Callable[[Any], Any],
    ) -> None:
        self.where = where
        self.source = source
        self.place = place
        self.end = end
        self.known = known
        self.persistent = persistent
        self.stack: list[Any] = []
        self.marks: list[int] = []
        """Where on the stack the marks are."""
        self.memo: dict[int, Any] = {}
        self.globals: dict[bytes, Global] = {}
        """Those that were looked up, by how the pickle writes them."""
        self.left = min(MAX_STEPS, 2 * (end - place) + 1000)

    def run(self) -> Any:
        """The value that the pickle describes. Raises: MS302 damaged, MS309 not allowed"""
        source, end, steps = self.source, self.end, INSTRUCTIONS
        while self.place < end:
            code = source[self.place]
            self.place += 1
            if code == STOP:
                return self.pop()
            step = steps[code]
            if step is None:
                raise self.refuse_instruction(code)
            self.left -= 1
            if self.left < 0:
                raise self.too_many()
            step(self)
        raise self.cut_short(1)

    def spend(self, count: int) -> None:
        """Counts work; what is copied counts as if it were written out. Raises: MS302"""
        self.left -= count
        if self.left < 0:
            raise self.too_many()

    def too_many(self) -> MsconvertError:
        return self.damage("the pickle makes too many values")

    def cut_short(self, size: int) -> MsconvertError:
        """The MS302 error about `size` bytes that are not there."""
        where, got = f"{self.where} at byte {self.place}", f"{self.end - self.place} bytes"
        return damage(where, "the pickle is cut short", got, str(size))

    def refuse_instruction(self, code: int) -> MsconvertError:
        name = REFUSED.get(code)
        if name is None:
            return self.damage("no instruction of a pickle", f"byte 0x{code:02x}")
        return refusal(self.where, f"the pickle instruction {name}")

    def damage(self, problem: str, got: str = "") -> MsconvertError:
        """The MS302 error about the instruction just read."""
        return damage(f"{self.where} at byte {self.place}", problem, got)

    # the source

    def take(self, size: int) -> bytes:
        """The next bytes. Raises: MS302 if there are not so many"""
        start = self.place
        if size > self.end - start:
            raise self.cut_short(size)
        self.place = start + size
        return bytes(self.source[start : start + size])

    def number(self, form: struct.Struct) -> int:
        """The next number."""
        start = self.place
        if form.size > self.end - start:
            raise self.cut_short(form.size)
        self.place = start + form.size
        found: int = form.unpack_from(self.source, start)[0]
        return found

    def sized(self, form: struct.Struct) -> bytes:
        """Bytes that stand behind their number."""
        size = self.number(form)
        if size < 0:
            raise self.damage("a negative size", str(size))
        return self.take(size)

    def line(self) -> str:
        """A text up to the end of its line, as protocol 0 has them."""
        stop = self.source.find(b"\n", self.place, self.end)
        if stop < 0:
            raise self.damage("the pickle is cut short: a line does not end")
        return self.text(self.take(stop + 1 - self.place)[:-1])

    def text(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise self.damage("a text is not UTF-8", repr(raw[:40])) from error

    # the stack

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is MARK:
            raise self.damage(TOO_LITTLE)
        return self.stack.pop()

    def top(self, kind: type | tuple[type, ...]) -> Any:
        """The topmost value, which must be of this kind."""
        if not self.stack or not isinstance(self.stack[-1], kind):
            raise self.damage("the pickle fills something that cannot be filled")
        return self.stack[-1]

    def since_mark(self) -> list[Any]:
        """Takes the values off the stack that stand above the last mark."""
        if not self.marks:
            raise self.damage("the pickle takes values that it has not marked")
        place = self.marks.pop()
        found = self.stack[place + 1 :]
        del self.stack[place:]
        return found

    def mark(self) -> None:
        self.marks.append(len(self.stack))
        self.stack.append(MARK)

    def set_items(self, items: list[Any]) -> None:
        """Puts keys and values, one behind the other, into the dictionary on top."""
        target = self.top(dict)
        if len(items) % 2:
            raise self.damage("a key of a dictionary has no value")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[self.key(key)] = value

    def key(self, value: Any) -> Any:
        """The value, if it can be a key. Raises: MS302"""
        plain = type(value) in KEYS
        if not plain and not (type(value) is tuple and all(type(part) in KEYS for part in value)):
            raise self.damage("a key is neither text nor a number", type(value).__name__)
        return value

    # instructions that are more than a line

    def next_named(self) -> None:
        """Pushes the global whose module and name are the next two lines. Raises: MS309"""
        start, source, end = self.place, self.source, self.end
        stop = source.find(b"\n", source.find(b"\n", start, end) + 1, end)
        found = self.globals.get(source[start:stop]) if stop > start else None
        if found is None:
            self.named(self.line(), self.line())
            self.globals[source[start : self.place - 1]] = self.stack[-1]
        else:
            self.place = stop + 1
            self.stack.append(found)

    def named(self, module: str, name: str) -> None:
        """Pushes a global. Raises: MS309 if it is not one of those known"""
        full = f"{module}.{name}"
        found = self.known(full)
        if found is None:
            raise refusal(self.where, full)
        self.stack.append(found)

    def instance(self) -> None:
        """Refuses an object of a class that the pickle names. Raises: MS309"""
        module = self.line()
        raise refusal(self.where, f"{module}.{self.line()}")

    def stack_named(self) -> None:
        name, module = self.pop(), self.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise self.damage("the name of a global is no text")
        self.named(module, name)

    def call(self) -> None:
        """Calls a known global with the tuple on top."""
        arguments, called = self.pop(), self.pop()
        if not isinstance(called, Global) or not isinstance(arguments, tuple):
            raise self.damage("the pickle calls something that is no function")
        if called.call is None:
            raise refusal(self.where, f"a call of {called.name}")
        self.stack.append(called.call(self, arguments))

    def build(self) -> None:
        """Gives the object on top its state: only arrays and their types have one that counts."""
        state = self.pop()
        target = self.top(object)
        settle = getattr(target, "set_state", None)
        if settle is not None:
            settle(self, state)
        elif not isinstance(target, dict) or not isinstance(state, dict):
            raise self.damage("the pickle gives a state to a plain value", type(target).__name__)

    def remember(self, index: int) -> None:
        if not self.stack or self.stack[-1] is MARK:
            raise self.damage("the pickle remembers a value that it has not made")
        self.memo[index] = self.stack[-1]

    def recall(self, index: int) -> None:
        if index not in self.memo:
            raise self.damage("the pickle recalls a value that it has not kept", str(index))
        self.stack.append(self.memo[index])

    def integer(self, form: struct.Struct) -> int:
        raw = self.sized(form)
        if len(raw) > MAX_INT_BYTES:
            raise self.damage("a number is too long", f"{len(raw)} bytes")
        return int.from_bytes(raw, "little", signed=True)

    def extend(self, items: list[Any]) -> None:
        self.top(list).extend(items)

    def add(self, items: list[Any]) -> None:
        target = self.top(set)
        for item in items:
            target.add(self.key(item))

    def marked_tuple(self) -> None:
        self.stack.append(tuple(self.since_mark()))

    def dictionary(self) -> None:
        items = self.since_mark()
        self.stack.append({})
        self.set_items(items)

    def persist(self) -> None:
        self.stack.append(self.persistent(self.pop()))

    def protocol(self) -> None:
        version = self.take(1)[0]
        if version > 5:
            raise self.damage("a pickle of an unknown protocol", str(version))

    def gather(self, count: int) -> None:
        """Makes one tuple of the topmost values."""
        stack, least = self.stack, self.marks[-1] + 1 if self.marks else 0
        if len(stack) - count < least:
            raise self.damage(TOO_LITTLE)
        if count == 1:  # tuples in tuples are the longest pickles of one instruction
            stack[-1] = (stack[-1],)
        else:
            stack[-count:] = [tuple(stack[-count:])]


def refusal(where: str, what: str) -> MsconvertError:
    """The MS309 error about something that a PyTorch file asks for and does not get."""
    return MsconvertError(
        "MS309",
        where,
        f"the file asks for {what}, which is not loaded: it could run anything",
        expected="tensors, and plain values around them",
        advice="in PyTorch, if you trust the file: torch.save(network.state_dict(), PATH)",
    )


def pushed(make: Callable[[PickleMachine], Any]) -> Callable[[PickleMachine], None]:
    """An instruction that pushes what `make` gives."""

    def step(machine: PickleMachine) -> None:
        machine.stack.append(make(machine))

    return step


def pushed_number(form: struct.Struct) -> Callable[[PickleMachine], None]:
    """An instruction that pushes the next number."""
    size, unpack = form.size, form.unpack_from

    def step(machine: PickleMachine) -> None:
        start = machine.place
        machine.place = start + size
        if machine.place > machine.end:
            machine.place = start
            raise machine.cut_short(size)
        machine.stack.append(unpack(machine.source, start)[0])

    return step


def pushed_text(form: struct.Struct) -> Callable[[PickleMachine], None]:
    """An instruction that pushes the text behind its number of bytes."""

    def step(machine: PickleMachine) -> None:
        machine.stack.append(machine.text(machine.sized(form)))

    return step


def pushed_value(value: Any) -> Callable[[PickleMachine], None]:
    """An instruction that pushes a value that nobody changes."""
    return lambda machine: machine.stack.append(value)


Step = Callable[[PickleMachine], Any]

STOP = ord(".")
BYTE, SHORT, INT = struct.Struct("<B"), struct.Struct("<H"), struct.Struct("<i")
UNSIGNED, LONG = struct.Struct("<I"), struct.Struct("<Q")
VALUES: Mapping[bytes, Callable[[PickleMachine], Any]] = {
    b"\x8a": lambda m: m.integer(BYTE),
    b"\x8b": lambda m: m.integer(INT),
    b"G": lambda m: struct.unpack(">d", m.take(8))[0],
    b"B": lambda m: m.sized(UNSIGNED),
    b"C": lambda m: m.sized(BYTE),
    b"\x8e": lambda m: m.sized(LONG),
    b"\x96": lambda m: m.sized(LONG),
    b"]": lambda m: [],
    b"}": lambda m: {},
    b"\x8f": lambda m: set(),
    b"l": lambda m: m.since_mark(),
}
STEPS: Mapping[bytes, Step] = {
    b"(": PickleMachine.mark,
    b"N": pushed_value(None),
    b"\x88": pushed_value(True),
    b"\x89": pushed_value(False),
    b")": pushed_value(()),
    b"U": pushed_text(BYTE),
    b"T": pushed_text(INT),
    b"X": pushed_text(UNSIGNED),
    b"\x8c": pushed_text(BYTE),
    b"\x8d": pushed_text(LONG),
    b"J": pushed_number(INT),
    b"K": pushed_number(BYTE),
    b"M": pushed_number(SHORT),
    b"\x80": PickleMachine.protocol,
    b"\x95": lambda m: m.take(8),
    b"0": PickleMachine.pop,
    b"1": PickleMachine.since_mark,
    b"\x85": lambda m: m.gather(1),
    b"\x86": lambda m: m.gather(2),
    b"\x87": lambda m: m.gather(3),
    b"a": lambda m: m.extend([m.pop()]),
    b"e": lambda m: m.extend(m.since_mark()),
    b"s": lambda m: m.set_items([m.pop(), m.pop()][::-1]),
    b"u": lambda m: m.set_items(m.since_mark()),
    b"t": PickleMachine.marked_tuple,
    b"d": PickleMachine.dictionary,
    b"\x90": lambda m: m.add(m.since_mark()),
    b"q": lambda m: m.remember(m.number(BYTE)),
    b"r": lambda m: m.remember(m.number(UNSIGNED)),
    b"\x94": lambda m: m.remember(len(m.memo)),
    b"h": lambda m: m.recall(m.number(BYTE)),
    b"j": lambda m: m.recall(m.number(UNSIGNED)),
    b"c": PickleMachine.next_named,
    b"i": PickleMachine.instance,
    b"\x93": PickleMachine.stack_named,
    b"R": PickleMachine.call,
    b"\x81": PickleMachine.call,
    b"b": PickleMachine.build,
    b"Q": PickleMachine.persist,
    b"\x98": lambda m: None,  # what is on the stack may not be written to
}
KNOWN = {**STEPS, **{code: pushed(make) for code, make in VALUES.items()}}
INSTRUCTIONS: Sequence[Step | None] = [KNOWN.get(bytes([code])) for code in range(256)]
"""What each byte stands for."""

REFUSED = {
    ord("o"): "OBJ",
    ord("P"): "PERSID",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
    0x92: "NEWOBJ_EX",
    0x97: "NEXT_BUFFER",
}
"""Instructions that torch.save does not write: they make objects of any class."""
