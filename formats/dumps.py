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
