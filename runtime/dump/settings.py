"""The file that MINDSPORE_DUMP_CONFIG names: MindSpore's JSON, each key checked as MindSpore does.

Where MindSpore ignores what it cannot use ("2-0", a category that there is not), it is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import MsconvertError
from ...formats.storage import opening
from .patterns import Pattern, PatternError, pattern_of

VARIABLE = "MINDSPORE_DUMP_CONFIG"
DIAGNOSTIC = "MS_DIAGNOSTIC_DATA_PATH"
LIMIT = "MSCONVERT_DUMP_MAX_BYTES"
MOST_BYTES = 20 << 30
"""So much is written, if LIMIT does not say it: `"iteration": "all"` would fill any disk."""
MAX_BYTES = 16 << 20
MOST_ITERATION = 2**32
COMMON, E2E = "common_dump_settings", "e2e_dump_settings"
REGEX = re.compile(r"name-regex\((.*)\)", re.DOTALL)
RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")
COLUMNS = {
    "max": "Max Value",
    "min": "Min Value",
    "avg": "Avg Value",
    "count": "Count",
    "negative zero count": "Negative Zero Count",
    "positive zero count": "Positive Zero Count",
    "nan count": "NaN Count",
    "negative inf count": "Negative Inf Count",
    "positive inf count": "Positive Inf Count",
    "zero count": "Zero Count",
    "md5": "MD5",
    "l2norm": "L2Norm Value",
    "hash": "SHA1",
    "hash:sha1": "SHA1",
    "hash:md5": "MD5",
}
"""The columns of `statistic.csv` by `statistic_category`. Source: MindSpore 2.10"""

DEFAULT_CATEGORIES = ("max", "min", "l2norm")
WHOLE_DUMP, OVERFLOW, EXCEPTION = 0, 3, 4
ALL, KERNELS, MARKED = 0, 1, 2


class DumpConfigError(MsconvertError, RuntimeError):
    """MS301: a dump configuration that cannot be used."""

    def __init__(
        self, where: str, problem: str, *, got: str = "", expected: str = "", advice: str = ""
    ) -> None:
        super().__init__("MS301", where, problem, got=got, expected=expected, advice=advice)


@dataclass(frozen=True)
class DumpSettings:
    """What is dumped, of which iterations, where to. `text` is the file as it stands.

    `iterations` are ranges with both ends; None: all. `sampled`: so many elements of each tensor,
    half of them from its end; 0: all. `most`: so many bytes are written.
    """

    folder: str
    net: str
    iterations: tuple[tuple[int, int], ...] | None
    mode: int
    debug: int
    saved: str
    inputs: bool
    outputs: bool
    kernels: tuple[Pattern | str, ...]
    devices: tuple[int, ...]
    categories: tuple[str, ...]
    sampled: int
    most: int
    text: str

    def wants(self, iteration: int) -> bool:
        ranges = self.iterations
        return ranges is None or any(first <= iteration <= last for first, last in ranges)


@dataclass(frozen=True)
class Section:
    """The keys of one part of the file; each is asked for with what it may be."""

    place: str
    keys: dict[str, Any]

    def wrong(self, key: str, problem: str, got: Any, expected: str, advice: str = "") -> Exception:
        shown = got if isinstance(got, str) else repr(got)
        return DumpConfigError(
            f"{self.place}.{key}", problem, got=shown[:200], expected=expected, advice=advice
        )

    def value(self, key: str, kind: type, expected: str, default: Any = None) -> Any:
        """The value of a key. Raises: MS301 if it is missing without default, or of another type"""
        if key not in self.keys:
            if default is None:
                raise DumpConfigError(
                    f"{self.place}.{key}", "the key is missing", expected=expected
                )
            return default
        found = self.keys[key]
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise self.wrong(key, f"is a {type(found).__name__}", found, expected)
        return found

    def number(self, key: str, values: tuple[int, ...], default: int | None = None) -> int:
        expected = ", ".join(map(str, values))
        found: int = self.value(key, int, expected, default)
        if found not in values:
            raise self.wrong(key, "there is no such choice", found, expected)
        return found

    def word(self, key: str, words: tuple[str, ...], default: str) -> str:
        expected = ", ".join(words)
        found: str = self.value(key, str, expected, default)
        if found not in words:
            raise self.wrong(key, "there is no such choice", found, expected)
        return found


def read_settings(file: str) -> DumpSettings:
    """What the file says. Raises: DumpConfigError (MS301)"""
    try:
        data = opening.bytes_of(file, MAX_BYTES)
        found = opening.json_in(data)
    except (OSError, ValueError) as error:
        why = opening.reason(error) if isinstance(error, OSError) else str(error)
        raise DumpConfigError(
            f"{VARIABLE}={file}", "the file cannot be read", got=why,
            expected=f'JSON: {{"{COMMON}": {{...}}, "{E2E}": {{...}}}}',
        ) from error  # fmt: skip
    common = section_of(file, found, COMMON, True)
    e2e = section_of(file, found, E2E, False)
    return settings_of(common, e2e, data.decode())


def section_of(file: str, found: Any, name: str, needed: bool) -> Section:
    place = f"{file}: {name}"
    if not isinstance(found, dict) or (needed and name not in found):
        got = ", ".join(map(str, found)) if isinstance(found, dict) else type(found).__name__
        raise DumpConfigError(place, "the object is missing", got=got[:200], expected=name)
    keys = found.get(name, {})
    if not isinstance(keys, dict):
        raise DumpConfigError(place, "is no object", got=repr(keys)[:200], expected="{...}")
    return Section(place, keys)


def settings_of(common: Section, e2e: Section, text: str) -> DumpSettings:
    inout = common.number("input_output", (0, 1, 2))
    debug = common.number("op_debug_mode", (0, 1, 2, 3, 4), 0)
    if debug == EXCEPTION:
        raise common.wrong("op_debug_mode", "dumps on exceptions are of Ascend alone", 4, "0, 3")
    for key in ("enable", "trans_flag", "save_kernel_args"):
        e2e.value(key, bool, "true, false", False)
    e2e.word("stat_calc_mode", ("host", "device"), "host")
    e2e.word("device_stat_precision_mode", ("high", "low"), "high")
    return DumpSettings(
        folder_of(common),
        net_of(common),
        iterations_of(common),
        common.number("dump_mode", (ALL, KERNELS, MARKED)),
        OVERFLOW if debug else WHOLE_DUMP,
        common.word("saved_data", ("tensor", "statistic", "full"), "tensor"),
        inout != 2,
        inout != 1,
        tuple(each_of(common, "kernels", kernel_of)),
        tuple(each_of(common, "support_device", device_of)),
        tuple(categories_of(common)),
        sampled_of(e2e),
        most_bytes(),
        text,
    )


def most_bytes() -> int:
    """How much may be written. Raises: DumpConfigError (MS301)"""
    text = os.environ.get(LIMIT, "")
    if not text:
        return MOST_BYTES
    if re.fullmatch(r"[0-9]{1,18}", text) is None:
        raise DumpConfigError(LIMIT, "is no number of bytes", got=text[:100], expected="20000000")
    return int(text)


def folder_of(common: Section) -> str:
    folder: str = common.value("path", str, "an absolute path", "")
    if not folder and os.environ.get(DIAGNOSTIC):
        folder = os.path.join(os.environ[DIAGNOSTIC], "debug_dump")
    if not folder:
        raise common.wrong("path", "it is empty", "", "an absolute path", f"or set {DIAGNOSTIC}")
    if not folder.startswith("/") or re.fullmatch(r"[A-Za-z0-9_/-]+", folder) is None:
        expected = "an absolute path of letters, digits, -, _ and /, as MindSpore takes"
        raise common.wrong("path", "MindSpore takes no such path", folder, expected)
    return folder


def net_of(common: Section) -> str:
    name: str = common.value("net_name", str, "the name of a folder")
    if re.fullmatch(r"[A-Za-z0-9_-]{1,200}", name) is None:
        raise common.wrong("net_name", "is no name", name, "letters, digits, - and _")
    return name


def iterations_of(common: Section) -> tuple[tuple[int, int], ...] | None:
    expected = '"all", "0", "0|5-8", a text'
    text: str = common.value("iteration", str, expected)
    if text == "all":
        return None
    ranges = []
    for part in text.split("|"):
        found = RANGE.fullmatch(part)
        first, last = (found[1], found[2] or found[1]) if found is not None else ("1", "0")
        if len(last) > 10 or not int(first[:11]) <= int(last) < MOST_ITERATION:
            raise common.wrong("iteration", "is no range of iterations", text, expected)
        ranges.append((int(first), int(last)))
    return tuple(ranges)


def each_of(section: Section, key: str, made: Callable[[Section, Any], Any]) -> list[Any]:
    return [made(section, one) for one in section.value(key, list, "a list")]


def kernel_of(common: Section, kernel: Any) -> Pattern | str:
    """The name or the type of an operator in lower case, or a pattern of names."""
    expected = '"Default/fc1-Dense/MatMul-op0", "MatMul" or "name-regex(Default/.+)"'
    if not isinstance(kernel, str) or not kernel:
        raise common.wrong("kernels", "one of them is no name", kernel, expected)
    found = REGEX.fullmatch(kernel)
    if found is None:
        return kernel.lower()
    try:
        return pattern_of(found[1])
    except PatternError as error:
        raise common.wrong("kernels", str(error), kernel, expected) from error


def device_of(common: Section, device: Any) -> int:
    if type(device) is not int or device < 0:
        raise common.wrong("support_device", "one of them is no device", device, "[0]")
    return device


def categories_of(common: Section) -> list[str]:
    if "statistic_category" not in common.keys:
        return [*DEFAULT_CATEGORIES]
    found = common.value("statistic_category", list, "a list")
    for name in found:
        if not isinstance(name, str) or name not in COLUMNS:
            raise common.wrong("statistic_category", "there is no such one", name,
                               ", ".join(COLUMNS))  # fmt: skip
    return [*dict.fromkeys(found)]


def sampled_of(e2e: Section) -> int:
    mode = e2e.number("sample_mode", (0, 1), 0)
    count: int = e2e.value("sample_num", int, "a number from 1 on", 100)
    if count < 1:
        raise e2e.wrong("sample_num", "is too small", count, "a number from 1 on")
    return count if mode else 0
