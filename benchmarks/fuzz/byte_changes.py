"""Changes of bytes, for any kind of file."""

from __future__ import annotations

import os
import tempfile
from random import Random

CANARY = os.path.join(tempfile.gettempdir(), "msconvert-fuzz-executed")
"""A file that is made if anything of a case is executed, wherever that happens."""

EDGES = (0, 1, 2, 7, 8, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32, 2**40, 2**62)
NUMBERS = (*EDGES, 2**63 - 1, 2**63, 2**64 - 1, -1, -2, -(2**31), -(2**63), 3, 5, 65, 100, 4000)

TEXTS = (
    "",
    " ",
    "_",
    "_0",
    "__class__",
    "self",
    "class",
    "ops",
    "a.b.c",
    "../../executed",
    "/dev/zero",
    "\x1b]0;own\x07",
    "\u202etxt",
    "a\u2028b",
    "\x00",
    '\'"""\\',
    "x" * 5000,
    "模型",
    "٣",
    f"__import__('os').system('touch {CANARY}')",
    f"'''\n__import__('os').system('touch {CANARY}')\n'''",
    "{{ 7 * 7 }}",
    "%s%n",
    "nan",
    "1e400",
    "-0",
)
"""Names and values; some would make a file `executed` if anybody ran them."""


def changed(data: bytes, random: Random) -> bytes:
    """The bytes with one to eight small changes."""
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        data = random.choice(CHANGES)(data, random)
    return data


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _flipped(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]


def _set(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + bytes([random.choice((0, 1, 127, 128, 255))]) + data[at + 1 :]


def _number(data: bytes, random: Random) -> bytes:
    at, size = _place(data, random), random.choice((2, 4, 8))
    number = random.choice(NUMBERS) & (1 << 8 * size) - 1
    return data[:at] + number.to_bytes(size, random.choice(("little", "big"))) + data[at + size :]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _without(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + data[at + random.randrange(1, 64) :]


def _twice(data: bytes, random: Random) -> bytes:
    start = _place(data, random)
    part = data[start : start + random.randrange(1, 256)]
    return data[:start] + part * random.choice((2, 2, 3, 50)) + data[start + len(part) :]


def _inserted(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.choice(TEXTS).encode() + data[at:]


def _swapped(data: bytes, random: Random) -> bytes:
    a, b = sorted((_place(data, random), _place(data, random)))
    size = random.randrange(1, 32)
    return (
        data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]
    )


CHANGES = (_flipped, _set, _number, _cut, _without, _twice, _inserted, _swapped)
