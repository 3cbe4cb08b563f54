"""Names of MindSpore's tensor dumps, without what differs from one run to the next.

`Conv2D.Default_conv1-op3.0.0.1795318898757954.output.0.DefaultFormat.Float32.npy` is type and name
of an operator, task, stream, time in microseconds, input or output and which, layout, elements'
type. Source: MindSpore 2.10, dumps of MINDSPORE_DUMP_CONFIG.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

DUMP = re.compile(
    r"(?P<operator>.*)\.\d+\.\d+\.(?P<time>\d{10,20})\.(?P<place>(?:input|output)\.\d+)"
    r"\.\w+(?:\.\w+)?\.npy"
)


def dump_names(files: Iterable[str]) -> dict[str, str]:
    """For each dump among the files its operator, input or output, and number: `Conv2D.x.output.0`.

    Where an operator ran several times, `.2`, `.3` and so on stand behind it, in order of time.
    """
    found = [dump for file in files if "put." in file and (dump := DUMP.fullmatch(file))]
    runs: dict[str, int] = {}
    names: dict[str, str] = {}
    for dump in sorted(found, key=lambda each: int(each["time"])):
        name = f"{dump['operator']}.{dump['place']}"
        runs[name] = runs.get(name, 0) + 1
        names[dump.string] = name if runs[name] == 1 else f"{name}.{runs[name]}"
    return names


def executed(files: list[str]) -> list[str]:
    """The files, dumps among them in the order of execution: an operator with its tensors."""
    times: dict[str, int] = {}
    for file in files:
        dump = DUMP.fullmatch(file) if "put." in file else None
        if dump is not None:
            times[file] = int(dump["time"])
    if not times:
        return files
    began: dict[tuple[str, str], int] = {}
    for file, time in times.items():
        key = run_of(file)
        began[key] = min(time, began.get(key, time))
    rest = [file for file in files if file not in times]
    ordered = sorted(times, key=lambda file: (began[run_of(file)], place_of(file)))
    return [*rest, *ordered]


def run_of(file: str) -> tuple[str, str]:
    """The operator, and the second in which it ran: its tensors are written one after another."""
    dump = DUMP.fullmatch(file)
    assert dump is not None  # the caller has seen it
    return dump["operator"], dump["time"][:-6]


def place_of(file: str) -> tuple[str, str]:
    dump = DUMP.fullmatch(file)
    assert dump is not None  # the caller has seen it
    return dump["operator"], dump["place"]


TENSOR = re.compile(r"(?P<operator>.+)\.(?P<role>input|output)\.\d+(?P<run>\.\d+)?")


def operator_of(name: str) -> tuple[str, str] | None:
    """The operator, with its run, and "input" or "output", of a dumped tensor's name."""
    found = TENSOR.fullmatch(name)
    return None if found is None else (found["operator"] + (found["run"] or ""), found["role"])
