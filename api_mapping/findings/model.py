"""What a scan finds: uses of PyTorch, remarks, files; small, as a project has 100,000 uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from sys import intern
from typing import Any, Literal, NamedTuple

from ..table import registry
from ..table.facts.foreign import advice_for, library_of
from ..table.readable_target import readable
from ..table.rule import Rule, Verdict

Level = Literal["error", "warning", "note", ""]
"""How grave a finding is, as SARIF has it; "" is no finding."""


class Standing(StrEnum):
    """What becomes of a use: the verdicts of the table, and what keeps from one."""

    EXACT = Verdict.EXACT.value
    RENAMED = Verdict.RENAMED.value
    DIFFERS = Verdict.DIFFERS.value
    COMPOSITE = Verdict.COMPOSITE.value
    LIMITED = Verdict.LIMITED.value
    MISSING = Verdict.MISSING.value
    UNKNOWN = "unknown receiver"
    UNLISTED = "unlisted name"
    DYNAMIC = "dynamic name"
    FOREIGN = "foreign library"


CODES = {
    Standing.MISSING: "MS201",
    Standing.LIMITED: "MS202",
    Standing.DIFFERS: "MS203",
    Standing.COMPOSITE: "MS204",
    Standing.UNLISTED: "MS205",
    Standing.UNKNOWN: "MS206",
    Standing.DYNAMIC: "MS207",
    Standing.FOREIGN: "MS239",
}
"""The code of a use that is a finding; exact and renamed ones are none."""
REFUSED = "MS208"
"""The code of a use whose API has a counterpart, and whose arguments have none."""
UNREAD = "MS209"
"""The code of a file, or a part of one, that could not be analysed."""
UNKNOWN_CODE = "MS210"
"""The code of a comment that names a code which no finding has."""

LEVELS: dict[str, Level] = {
    "MS201": "error",
    "MS202": "warning",
    "MS203": "note",
    "MS204": "note",
    "MS205": "warning",
    "MS206": "note",
    "MS207": "warning",
    "MS208": "warning",
    "MS209": "error",
    "MS239": "error",
}
"""How grave each code is; the limits of MindSpore are warnings."""


class Place(NamedTuple):
    """Where something stands: lines and columns from one, the end behind the last character.

    `cell` is the notebook's cell that lines count in, 0 outside of notebooks; `mark` tells the
    text of the line from others, so that a finding is known again when lines above it change.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0
    mark: int = 0


class ScannedUse(NamedTuple):
    """A use of an API of PyTorch's, and what becomes of it; where it stands, as in Place.

    `kind` is the engine's (call, base, import...); `row` says which of the API's rows fits;
    `edit` is the MindSpore code of the smallest expression that holds it, `refusal` the reason
    why there is none.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int
    mark: int
    api: str
    kind: str
    standing: Standing
    row: int = 0
    edit: str = ""
    refusal: str = ""
    ignored: bool = False

    @property
    def place(self) -> Place:
        return Place(*self[:6])

    @property
    def rule(self) -> Rule | None:
        rules = registry.find(self.api)
        return rules[self.row] if self.row < len(rules) else None

    @property
    def target(self) -> str:
        """MindSpore's name, or the code that stands for the API; "" if there is none."""
        if self.rule is None or not self.has_target:
            return ""
        if self.rule.target:
            return readable(self.rule)
        return OF_STEPS if self.standing is Standing.COMPOSITE else ""  # of a module: none

    @property
    def has_target(self) -> bool:
        return self.rule is not None and self.standing in CONVERTED

    @property
    def note(self) -> str:
        """How the two differ, or what to do where there is no counterpart."""
        rule = self.rule
        return "" if rule is None else rule.note or rule.advice

    @property
    def code(self) -> str:
        return REFUSED if self.refusal else CODES.get(self.standing, "")

    @property
    def level(self) -> Level:
        return LEVELS.get(self.code, "")

    @property
    def message(self) -> str:
        api = self.api.removesuffix(".*")
        return MESSAGES[self.code].format(
            api=api, use=self, rule=self.rule, note=self.note or PLAIN
        )

    @property
    def whose(self) -> str:
        """How a use is bound to a foreign library."""
        return "of" if library_of(self.api) else "in a class of"

    @property
    def advice(self) -> str:
        if self.standing is Standing.FOREIGN and (library := library_of(self.api)):
            return advice_for(library)
        if self.standing is Standing.MISSING or self.refusal:
            return self.note if not self.refusal else ""
        return ADVICE.get(self.code, "")


OF_STEPS = "ms.value_and_grad(forward, None, parameters)"
"""What stands for what has no row with a target: it is written anew with its training step."""

PLAIN = "the code that is written accounts for it"
"""What is said of a difference that the row does not explain."""

MESSAGES = {
    "": "{api}",
    "MS201": "{api} has no counterpart in MindSpore",
    "MS202": "{api} has a counterpart for {rule.platform} only",
    "MS203": "{api} differs: {note}",
    "MS204": "{api} is written as {use.target}",
    "MS205": "{api} is not in the table of APIs",
    "MS206": "maybe {api}: what the receiver is, is not known",
    "MS207": "a name of {api} that is known only when the program runs",
    "MS208": "{api}: {use.refusal}",
    "MS239": "{api} is {use.whose} a library that is made on PyTorch",
}
ADVICE = {
    "MS205": "it is private, gone, or newer than the table: use a documented API",
    "MS239": "derive the class from nn.Cell, and what msconvert writes for the rest will fit",
    "MS206": "annotate the variable or the function that makes it",
    "MS207": "write the names out",
}
CONVERTED = frozenset(
    {
        Standing.EXACT,
        Standing.RENAMED,
        Standing.DIFFERS,
        Standing.COMPOSITE,
        Standing.LIMITED,
    }
)
"""There is MindSpore code for such a use."""


class Remark(NamedTuple):
    """Something about a source that is no use of one API: a limit of MindSpore's, a problem.

    `api` is what it is about, for telling remarks of one line apart; it may be empty.
    """

    place: Place
    code: str
    message: str
    advice: str = ""
    api: str = ""
    ignored: bool = False

    @property
    def level(self) -> Level:
        return LEVELS.get(self.code, "warning")


Finding = ScannedUse | Remark
"""Whatever has a code; both answer place, code, level, message, advice, api and ignored."""


@dataclass(frozen=True, slots=True)
class FileScan:
    """One file: its path as it is told, how many lines it has, what was found.

    What could not be looked at is none: a path that is not there, a folder that is not listed.
    """

    path: str
    lines: int
    uses: tuple[ScannedUse, ...] = ()
    remarks: tuple[Remark, ...] = ()
    is_file: bool = True

    def __reduce__(self) -> tuple[Callable[..., FileScan], tuple[object, ...]]:
        """Pickled as plain tuples: a project's 100,000 uses come from the workers so."""
        uses = list(map(tuple, self.uses))
        remarks = [(*remark.place, *remark[1:]) for remark in self.remarks]
        return file_scan, (self.path, self.lines, uses, remarks, self.is_file)

    @property
    def everything(self) -> tuple[Finding, ...]:
        return *self.uses, *self.remarks

    @property
    def findings(self) -> list[Finding]:
        """What has a code, in the order of the text."""
        found: list[Finding] = [use for use in self.uses if use.code]
        return sorted([*found, *self.remarks], key=order)


def file_scan(
    path: str,
    lines: int,
    uses: Sequence[tuple[Any, ...]],
    remarks: Sequence[tuple[Any, ...]],
    is_file: bool,
) -> FileScan:
    """A file from plain tuples: each begins with the six values of its place."""
    return FileScan(
        path,
        lines,
        tuple(map(scanned_use, uses)),
        tuple(Remark(Place(*remark[:6]), *remark[6:]) for remark in remarks),
        is_file,
    )


NUMBERS: dict[int, int] = {}
"""One object for each number of a line."""


def scanned_use(values: tuple[Any, ...]) -> ScannedUse:
    """A use from plain values; texts and lines that many uses have are one object each."""
    line, column, end_line, end_column, cell, mark, *more = values
    api, kind, standing, row, edit, refusal, ignored = more
    line, end_line = NUMBERS.setdefault(line, line), NUMBERS.setdefault(end_line, end_line)
    texts = intern(api), kind, standing, row, intern(edit), intern(refusal), ignored
    return ScannedUse(line, column, end_line, end_column, cell, mark, *texts)


def order(finding: Finding) -> tuple[int, int, int, str]:
    place = finding.place
    return place.cell, place.line, place.column, finding.code


@dataclass(frozen=True)
class Scan:
    """A whole scan, by file; so many others, or folders, are excluded."""

    files: tuple[FileScan, ...]
    excluded: int = 0

    def findings(self) -> Iterator[tuple[FileScan, Finding]]:
        """All findings that are not ignored, with their files."""
        for file in self.files:
            yield from ((file, finding) for finding in file.findings if not finding.ignored)

    @property
    def is_read(self) -> bool:
        """Whether every file could be read and parsed."""
        return not any(r.code == UNREAD for file in self.files for r in file.remarks)
