"""Outputs of commands: flags that take a file name, or none for standard output."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, TextIO, TypeVar

import click

from ..errors import harmless

STDOUT = "-"
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
NAMED = frozenset({"--html"})
"""Outputs that nobody reads as text: their FILE is given, if only as `-`."""
REPORTS = (".csv", ".htm", ".html", ".json", ".md", ".sarif", ".txt", ".xml")
"""Endings that what is written has, and nothing that is read."""
Suffixes = Mapping[str, tuple[str, ...]]
"""The output flags, and how the names of their files end."""

T = TypeVar("T")


class Outputs(click.Command):
    """A command whose output flags take a file name or none."""

    def __init__(self, *args: Any, suffixes: Suffixes, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.suffixes = suffixes

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, list(with_names(args, self.suffixes)))
        except WrongNameError as error:
            raise click.UsageError(str(error), ctx) from None


COLLECTED = 10_000, 20, 50
"""After so many new values cycles are looked for; of a hundred thousand tensors every value stays,
and Python's own 700 take a third of the time of a comparison."""


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Has values that hold one another freed seldom while the block runs."""
    before = gc.get_threshold()
    gc.set_threshold(*COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class WrongNameError(ValueError):
    """What follows an output flag is no name of a file that it writes, and nothing else either."""


def with_names(args: Sequence[str], suffixes: Suffixes) -> Iterator[str]:
    """`--json report.json src` as `--json=report.json src`, `--json src` as `--json=- src`.

    Raises: WrongNameError for `--json report.csv` and for `--html` without a name
    """
    waiting = ""
    for position, arg in enumerate(args):
        if waiting:
            takes = arg == STDOUT or arg.lower().endswith(suffixes[waiting])
            yield f"{waiting}={arg if takes else no_name(waiting, arg, suffixes)}"
            waiting = ""
            if takes:
                continue
        if arg == "--":
            yield from args[position:]
            return
        if arg in suffixes:
            waiting = arg
        else:
            yield arg
    if waiting:
        yield f"{waiting}={no_name(waiting, '', suffixes)}"


def no_name(flag: str, following: str, suffixes: Suffixes) -> str:
    """Standard output. Raises: WrongNameError where something else must have been meant"""
    endings = " or ".join(suffixes[flag])
    if following.lower().endswith(REPORTS):
        problem = f"{flag} takes a FILE whose name ends in {endings}, not {following}"
        raise WrongNameError(f"{problem}; with {flag}={following} any name will do")
    if flag in NAMED:
        raise WrongNameError(f"{flag} needs a FILE whose name ends in {endings}, or -")
    return STDOUT


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Prints `text`, harmless to a terminal: the one way of the commands to print text.

    Where stderr takes nothing more, the exit status is all that can be said.
    Raises: OSError where stdout does not
    """
    try:
        click.echo(harmless(text), err=err, nl=nl)
    except OSError:
        if not err:
            raise
        let_go(sys.stderr)


def let_go(stream: TextIO) -> None:
    """Flushes a stream; one that takes nothing more gets a place for what Python still has for it,
    and would complain of at the end, with a status of its own.
    """
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):  # no file at all, in a test
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@dataclass(frozen=True)
class Output(Generic[T]):
    """One output that is asked for: its flag, where it goes, how it is made."""

    flag: str
    file: str
    make: Callable[[T], str]

    def text(self, result: T) -> str:
        """What is printed or written, harmless to who looks at it in a terminal."""
        return harmless(self.make(result))


def outputs_of(
    ctx: click.Context, flags: Mapping[str, Any], makers: Mapping[str, Callable[[T], str]]
) -> list[Output[T]]:
    """The outputs that are asked for: `--json FILE` is the flag "json_file".

    Raises: click.UsageError for two on standard output
    """
    outputs = [
        Output(f"--{name}", flags[f"{name}_file"], make)
        for name, make in makers.items()
        if flags[f"{name}_file"] is not None
    ]
    printed = [output.flag for output in outputs if output.file == STDOUT]
    if len(printed) > 1:
        advice = f"give one of them a file: {printed[1]}=FILE"
        raise click.UsageError(f"{' and '.join(printed)} would both be printed; {advice}", ctx)
    return outputs


def most(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """So many rows or findings are printed; None is all."""
    if value == "all":
        return None
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a number nor 'all'", param=param)
    return int(value)


def size_of(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """`4GB`, `500MB` or a number of bytes."""
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]{1,15})\s*([kmg]?)b?", value.strip().lower())
    size = int(found[1]) * UNITS[found[2]] if found else 0
    if not 0 < size < 1 << 60:
        raise click.BadParameter(f"{value!r} is no size such as 4GB or 500MB", param=param)
    return size
