"""What MindSpore says of its APIs: signatures, and examples that are run with the runtime.

    python doc_runner.py signatures NAMES.json FOUND.json  by MindSpore's Python
    python doc_runner.py read NAMES.json EXAMPLES.json     by MindSpore's Python
    python doc_runner.py run EXAMPLES.json RESULTS.json SECONDS
                                         by ours: "ok", or why not, per name

Nothing of the documentation is kept: it is read where MindSpore is installed.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import io
import json
import re
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|\bnan\b|[-+]?\binf\b")

RANDOM = re.compile(
    r"rand|dropout|uniform|normal$|(?i:normal)\b|bernoulli|multinomial|gumbel|cauchy|laplace"
    r"|gamma$|poisson|shuffle|xavier|sampler",
    re.IGNORECASE,
)
"""Names whose examples print random numbers: only the form of the output is compared."""


def read(names: str, examples: str) -> None:
    """Writes the examples of every name: pairs of source and expected output."""
    warnings.simplefilter("ignore")
    found = {}
    for name in json.loads(Path(names).read_text(encoding="utf-8")):
        text = inspect.getdoc(named(name)) or ""
        try:
            parts = doctest.DocTestParser().get_examples(text)
        except ValueError:  # MindSpore's documentation is not well formed
            continue
        if parts:
            found[name] = [(part.source, part.want) for part in parts]
    Path(examples).write_text(json.dumps(found), encoding="utf-8")


def signatures(names: str, results: str) -> None:
    """Writes the parameters of every name; null where there are none to be seen."""
    warnings.simplefilter("ignore")
    every = json.loads(Path(names).read_text(encoding="utf-8"))
    found = {name: parameters(named(name)) for name in every}
    Path(results).write_text(json.dumps(found), encoding="utf-8")


def parameters(made: Any) -> list[list[str]] | None:
    """Names and defaults, less `self`; None if it takes anything."""
    try:
        found = inspect.signature(made.__init__ if inspect.isclass(made) else made)
    except (TypeError, ValueError):
        return None
    every = [p for p in found.parameters.values() if p.name != "self"]
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in every):
        return None
    return [[p.name, "" if p.default is p.empty else shown(p.default)] for p in every]


def shown(default: Any) -> str:
    """A default as both frameworks write it."""
    return re.sub(r"mindspore\.|Type: |<class '|'>", "", repr(default)).lower()


def named(name: str) -> Any:
    """What `name` means, its modules imported."""
    parts = name.split(".")
    found: Any = importlib.import_module(parts[0])
    for k, part in enumerate(parts[1:], 2):
        if not hasattr(found, part) and inspect.ismodule(found):
            importlib.import_module(".".join(parts[:k]))
        found = getattr(found, part)
    return found


def form(text: str) -> str:
    """What is left of printed output without its numbers and layout."""
    return re.sub(r"[\s,\[\]]+|<BLANKLINE>", "", NUMBER.sub("#", text))


def agree(expected: str, got: str, is_random: bool) -> bool:
    if form(expected) != form(got):
        return False
    a, b = ([float(token) for token in NUMBER.findall(text)] for text in (expected, got))
    return is_random or np.allclose(a, b, rtol=2e-3, atol=2e-4, equal_nan=True)


TAKEN_FOR_GRANTED = """
import numpy as np
import numpy
import mindspore as ms
import mindspore
import mindspore.ops as ops
import mindspore.nn as nn
from mindspore import Tensor, Parameter, context, dtype as mstype
from mindspore.common.initializer import Normal

class LeNet5(nn.Cell):
    def __init__(self, num_class=10, num_channel=1):
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode='valid')
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode='valid')
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120, weight_init=Normal(0.02))
        self.fc2 = nn.Dense(120, 84, weight_init=Normal(0.02))
        self.fc3 = nn.Dense(84, num_class, weight_init=Normal(0.02))

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))
"""
"""What many examples use and do not import or define."""


class TooSlow(BaseException):
    """An example took longer than it may."""


def stop(*_: object) -> None:
    raise TooSlow


def outcome(name: str, parts: list[tuple[str, str]], seconds: int) -> str:
    """Gives "ok", or the first thing that went wrong."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(TAKEN_FOR_GRANTED, names)
    signal.alarm(seconds)
    try:
        for source, expected in parts:
            wrong = difference(source, expected, names, RANDOM.search(name) is not None)
            if wrong:
                return wrong
    except TooSlow:
        return f"takes more than {seconds} s"
    finally:
        signal.alarm(0)
    return "ok"


def difference(source: str, expected: str, names: dict[str, Any], is_random: bool) -> str:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "<example>", mode_of(source)), names)
    except Exception as error:  # noqa: BLE001 - whatever an example raises is its outcome
        if "Error" in expected or "Traceback" in expected:
            return ""
        return f"raises {type(error).__name__}: {error} at {source.strip()[:100]}"
    if not expected.strip() or agree(expected, printed.getvalue(), is_random):
        return ""
    return f"prints {printed.getvalue().strip()[:200]!r} for {expected.strip()[:200]!r}"


def mode_of(source: str) -> str:
    """Loops do not show what their statements give, as the documentation has it."""
    return "exec" if source.startswith(("for ", "while ", "with ")) else "single"


def run(examples: str, results: str, seconds: str) -> None:
    from msconvert.runtime.alias import answer_mindspore

    answer_mindspore()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, stop)
    import mindspore as ms

    found = {}
    for name, parts in json.loads(Path(examples).read_text(encoding="utf-8")).items():
        found[name] = outcome(name, parts, int(seconds))
        ms.set_context(mode=ms.PYNATIVE_MODE)
    Path(results).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    {"signatures": signatures, "read": read, "run": run}[sys.argv[1]](*sys.argv[2:])
