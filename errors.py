"""The one error of msconvert: a code, a place, what was got, what was expected, what to try."""

from __future__ import annotations

import errno
import os
import re
import signal
from typing import Any

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says when a disk takes no more."""

SPENT = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
"""What it says when a process may have no more open files, processes or memory."""

NO_PATH = frozenset({errno.ENAMETOOLONG, errno.ELOOP})

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

CODES = {
    # MS1xx: converting an ONNX model
    "MS101": "an operator, or this version of it, has no handler",
    "MS102": "the model file cannot be read",
    "MS103": "external data is missing, too short or outside the model's folder",
    "MS104": "the graph is not valid",
    "MS105": "a wrong command line, or shapes or names that do not fit the model",
    "MS106": "an operator set newer or older than those known",
    "MS107": "an output exists already, or cannot be written",
    "MS108": "the script's numbers differ from the original's, or it did not run",
    "MS109": "the model changes in a way that the reader must know of",
    "MS110": "a model takes more memory or time than it may, or ends the process that reads it",
    "MS111": "a live module cannot be exported: it is none, has no values, or its exporter fails",
    # MS2xx: scanning and migrating PyTorch source
    "MS200": "the table of PyTorch APIs has no such name",
    "MS201": "an API of PyTorch's has no counterpart in MindSpore",
    "MS202": "an API has a counterpart that runs on some platforms only",
    "MS203": "an API has a counterpart that differs",
    "MS204": "an API is written as an expression of several calls",
    "MS205": "a name of PyTorch's is not in the table of APIs",
    "MS206": "an attribute could be PyTorch's: what its receiver is, is not known",
    "MS207": "which API is used is known only when the program runs",
    "MS208": "an API has a counterpart, and this call of it has none",
    "MS209": "a source, or a part of it, cannot be read or parsed",
    "MS210": "a setting of [tool.msconvert], or a verdict or code, does not exist",
    "MS211": "a file cannot be used as a baseline",
    "MS221": "the shape of an operator's output follows from values",
    "MS222": "a branch follows from values of a tensor, in code that runs as a graph",
    "MS223": "the length of a loop follows from values of a tensor, in code that runs as a graph",
    "MS224": "a sparse tensor",
    "MS225": "an operation on tensors in data-set code",
    "MS226": "modules or parameters in a container of Python's, which does not register them",
    "MS227": "a slice whose bounds follow from values of a tensor",
    "MS228": "distributed code that sets no seed",
    "MS229": "a write in place by another name of a tensor",
    "MS230": "an assignment to a buffer",
    "MS231": "a call of forward by its name",
    "MS232": "a tensor in formatted text",
    "MS233": "an attribute of a module that has a name of MindSpore's own",
    "MS234": "a codemod of yours warns of a file",
    "MS235": "a codemod of yours cannot be run on a file, which stays as msconvert wrote it",
    "MS236": "mixed precision that becomes full precision",
    "MS237": "what MindSpore runs and the bundled runtime does not",
    "MS238": "a method of what is not known, which MindSpore's tensors have with another meaning",
    "MS239": "a name of a library that is made on PyTorch, or what stands in a class of one",
    "MS240": "a product of complex tensors, whose gradient MindSpore has not",
    "MS241": "a method that PyTorch's layers call by themselves, and MindSpore's do not",
    "MS242": "a complex weight, which MindSpore's optimizers do not step",
    "MS243": "entries of a state are counted, and MindSpore's BatchNorm has one less",
    "MS244": "a Trainer that writes logs or checkpoints becomes one that does not",
    "MS245": "weights that some steps do not use have gradients of zeros in MindSpore",
    # MS3xx: the bundled runtime
    "MS301": "the runtime has no such name, or an argument it cannot take",
    "MS302": "a checkpoint is damaged or of an unknown kind",
    "MS303": "a checkpoint does not fit the network",
    "MS304": "element types or shapes that do not go together",
    "MS305": "a value that the weight format cannot hold",
    "MS306": "the value of a tensor was asked for while a graph was traced",
    "MS307": "a gradient was asked for where there is none",
    "MS308": "a network cannot be written as an ONNX file",
    "MS309": "a PyTorch file asks for something that is not loaded",
    "MS310": "the new names of weights cannot be told, or a weight map does not fit them",
    "MS311": "a written weight file is not what it should be",
    "MS312": "a weight cannot be computed of the parts that a file holds of it",
    "MS313": "an optimizer's state cannot be told, or is of another kind",
    "MS314": "data cannot be read, or a function of their pipeline fails",
    # MS4xx: the troubleshooter
    "MS401": "two networks cannot be compared: a framework, a file or the inputs are missing",
    "MS402": "converted code does not parse, import, construct or run",
    "MS403": "parameters or buffers of two networks do not fit",
    "MS404": "a converted network's numbers differ from the original's",
    "MS405": "the original itself does not parse, import, construct or run",
    "MS406": "the results of a comparison cannot be read, or do not tell what is asked",
    "MS407": "a training cannot be compared: its function is missing, or gives no step",
    "MS408": "a training gives something else each time, so that nothing can be said of it",
    # MS9xx: msconvert itself
    "MS901": "a defect of msconvert",
    "MS902": "an installed extension of msconvert cannot be used",
    "MS903": "a package that the command needs is not installed",
}
"""What each code means; docs/errors.md is generated from it."""


class MsconvertError(Exception):
    """A refusal or failure that the user can act on.

    Args: code from `CODES`; where the file, node or argument, "" if there is none; problem in
    one sentence; got, expected, advice: one line each, left out of the text if empty.
    All are made `printable`, so that names from a hostile model can be passed as they are.
    """

    def __init__(
        self,
        code: str,
        where: str,
        problem: str,
        *,
        got: str = "",
        expected: str = "",
        advice: str = "",
    ) -> None:
        if code not in CODES:
            raise KeyError(code)
        super().__init__(code, where, problem)
        self.code = code
        self.where = printable(where)
        self.problem = printable(problem)
        self.got = printable(got)
        self.expected = printable(expected)
        self.advice = printable(advice)

    def __reduce__(self) -> tuple[Any, ...]:
        """As itself, from one process to another: classes below it are made of other arguments."""
        return remade, (type(self), self.args), self.__dict__

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The error as it is printed: code, place and problem, then got, expected and try."""
        place = f"{self.code} {self.where}" if self.where else self.code
        facts = (("got:", self.got), ("expected:", self.expected), ("try:", self.advice))
        lines = [f"{place}: {self.problem}"]
        return "\n".join(lines + [f"  {label:<9} {fact}" for label, fact in facts if fact])


def remade(kind: type[MsconvertError], args: tuple[Any, ...]) -> MsconvertError:
    """An error that has been pickled, without its facts, which come behind."""
    return kind.__new__(kind, *args)


class UsageError(MsconvertError):
    """The command line was wrong: the command exits with status 2."""


def told(error: Exception) -> MsconvertError:
    """Any error as the user is told it: what is not foreseen is a defect."""
    if isinstance(error, MsconvertError):
        return error
    if isinstance(error, MemoryError):
        return MsconvertError("MS110", "", "there is not enough memory", got=str(error))
    refused = of_system(error) if isinstance(error, OSError) else None
    return refused or defect(error)


def of_system(error: OSError) -> MsconvertError | None:
    """What the system refuses to a process whatever it does; None for all else."""
    said = error.strerror or type(error).__name__
    if error.errno in FULL:
        where = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
        problem = f"cannot be written ({said})"
        return MsconvertError("MS107", where or "the output", problem, advice="make room")
    if error.errno in SPENT:
        problem = f"the system gives this process no more of something that it needs ({said})"
        return MsconvertError("MS110", "", problem, advice="ulimit -a shows the limits")
    if error.errno in NO_PATH:
        return UsageError("MS105", str(error.filename or ""), f"it is no path here ({said})")
    if said.startswith("No usable temporary directory"):
        problem, advice = "nothing can be written in any of them", "TMPDIR=FOLDER, one with room"
        return MsconvertError("MS107", "folders for temporary files", problem, advice=advice)
    if isinstance(error, FileNotFoundError) and not has_current_folder():
        problem = "the current folder has been removed"
        return UsageError("MS105", "the command line", problem, advice="cd to a folder that exists")
    return None


def has_current_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def defect(error: Exception) -> MsconvertError:
    """MS901: an error that nobody foresaw, with what a report of it should say."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    wrapped = MsconvertError(
        "MS901",
        "msconvert",
        "this is a defect of msconvert, not of your files",
        got=f"{type(error).__name__} at {place}: {error}",
        advice="report this text, the versions of msconvert and onnx, and the model if you may; "
        "MSCONVERT_DEBUG=1 shows where it happened",
    )
    wrapped.__cause__ = error
    return wrapped


TERMINATED = 128 + signal.SIGTERM
"""The exit status of a command that SIGTERM has ended."""


def interruption(error: BaseException) -> KeyboardInterrupt | SystemExit | None:
    """What a signal raised, where an error was made of it; None if no signal is the reason.

    Python 3.11 makes one where a class is made (__set_name__), extensions where they are imported.
    """
    found, seen = error.__cause__ or error.__context__, {id(error)}
    while found is not None and id(found) not in seen:
        if isinstance(found, KeyboardInterrupt):
            return found
        if isinstance(found, SystemExit) and found.code == TERMINATED:
            return found
        seen.add(id(found))
        found = found.__cause__ or found.__context__
    return None


def harmless(text: str) -> str:
    """`text` of several lines with nothing in it that a terminal obeys; escaped as in `printable`.

    The last gate of everything that is printed, and of every report: what names of files, models
    and sources bring along is not trusted to have been made printable where it entered.
    """
    if text.isascii() and not CONTROL.search(text):
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else escaped(c) for c in text)


def escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def printable(text: str, limit: int = 300) -> str:
    """`text` on one line, at most `limit` characters, harmless to a terminal.

    Escaped as in a Python string: control and format characters (ANSI sequences, line ends,
    text direction, zero width) and unpaired surrogates. Of what is too long the middle is left
    out, since paths and node names differ at their ends.
    """
    if len(text) <= limit and text.isprintable():
        return text
    # 10 MB of a name need not be looked at: what is beyond the limit on both sides is cut.
    short = text if len(text) <= limit else text[:limit] + text[-limit:]
    shown = "".join(c if c.isprintable() else escaped(c) for c in short)
    if len(text) <= limit and len(shown) <= limit:
        return shown
    gap = f"... ({len(text)} characters) ..."
    kept = (limit - len(gap)) // 2
    return f"{shown[:kept]}{gap}{shown[-kept:]}"
