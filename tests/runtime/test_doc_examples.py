"""MindSpore's documentation examples, run with the runtime: their printed output is the same.

    pytest tests/runtime/test_doc_examples.py --renew-golden     writes the names that pass

The examples are read from the installed MindSpore. Those named in `doc_examples.txt` pass; the
others have a reason below.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.tests.runtime import doc_runner
from msconvert.tests.runtime.parity_rows import listed

ALL = Path(__file__).with_name("mindspore_cpu_names.txt")
PASSING = Path(__file__).with_name("doc_examples.txt")


OUTCOMES = {
    "the runtime has no such name": "MS301|cannot import name|has no attribute",
    "the example is not complete": "raises (NameError|SyntaxError|IndentationError)",
    "it takes longer than a test may": "takes more than",
}
"""Why an example need not pass, by what became of it."""

NAMES = {
    "MindSpore's CPU build refuses it, or prints something else itself": """
        Tensor.count_nonzero Tensor.is_contiguous Tensor.logical_xor Tensor.repeat_interleave
        Tensor.sort Tensor.to communication_stream jit mint.cos mint.erf mint.erfc mint.erfinv
        mint.isfinite mint.nn.Flatten mint.sign mint.special.erfc nn.FractionalMaxPool2d
        ops.AdaptiveMaxPool2D
        ops.CTCLossV2 ops.Dropout ops.UnravelIndex ops.atleast_3d ops.cos ops.ctc_loss ops.erf
        ops.erfc ops.erfinv ops.ihfftn ops.matrix_norm ops.sign scipy.linalg.cho_factor
    """,
    "it prints how much memory a device holds": """
        max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats
        reset_max_memory_allocated reset_max_memory_reserved reset_peak_memory_stats
    """,
    "it prints random numbers": "nn.RReLU ops.rrelu ops.diag seed",
    "it prints where a class is defined": """
        Tensor amp.get_black_list amp.get_white_list ops.TupleToArray ops.tuple_to_array
    """,
    "singular vectors may have either sign": "ops.Svd ops.svd",
    "MindSpore's CPU build loses the fraction": "ops.full",
    "the runtime does not do it yet": """
        Tensor.choose Tensor.set_dtype numpy.heaviside numpy.pad ops.CTCLoss ops.Print
        ops.multinomial ops.print_ ops.DumpGradient Tensor.set_
    """,
}
"""Why an example need not pass, by name."""

SECONDS = 8
"""How long one example may take at first: some ask for more than there is memory."""

SECONDS_AGAIN = 300
"""How long one that is known to pass may take: only to end what hangs."""

NOT_LOOKED_AT = 10
"""How many examples of names that are new may differ without a reason here."""


@pytest.fixture(scope="module")
def outcomes(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """What became of each example: "ok", or why not."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "names.json").write_text(json.dumps(sorted(listed(ALL))))
    run_mindspore(folder, doc_runner.__file__, "read", "names.json", "examples.json")
    found = run(folder, "examples.json", SECONDS)
    slow = {name for name in listed(PASSING) if "takes more than" in found[name]}
    examples = json.loads((folder / "examples.json").read_text())
    (folder / "again.json").write_text(json.dumps({name: examples[name] for name in slow}))
    return found | run(folder, "again.json", SECONDS_AGAIN)


def run(folder: Path, examples: str, seconds: int) -> dict[str, str]:
    """What becomes of the examples in a file, run with the runtime in a process of their own."""
    command = [sys.executable, doc_runner.__file__, "run", examples, "results.json", str(seconds)]
    subprocess.run(command, cwd=folder, check=True, timeout=1800, capture_output=True)
    found: dict[str, str] = json.loads((folder / "results.json").read_text())
    return found


def as_list(names: list[str]) -> str:
    """Names by module, as the lists beside this file are written."""
    lines = []
    modules: dict[str, list[str]] = {}
    for name in sorted(names):
        module, _, label = name.rpartition(".")
        modules.setdefault(module, []).append(label)
    for module, labels in modules.items():
        wrapped = textwrap.wrap(" ".join(labels), 92, break_on_hyphens=False)
        lines += [module, *(f"    {line}" for line in wrapped)]
    return "\n".join(lines) + "\n"


def test_examples_that_passed_pass(
    outcomes: dict[str, str], request: pytest.FixtureRequest
) -> None:
    passing = [name for name, outcome in outcomes.items() if outcome == "ok"]
    if request.config.getoption("--renew-golden"):
        PASSING.write_text(as_list(passing), encoding="utf-8")
    failing = {name: outcomes[name] for name in listed(PASSING) if outcomes[name] != "ok"}
    assert failing == {}


def test_others_have_a_reason(outcomes: dict[str, str]) -> None:
    excused = {f"mindspore.{name}" for names in NAMES.values() for name in names.split()}
    pattern = re.compile("|".join(OUTCOMES.values()))
    failing = {n: o for n, o in outcomes.items() if o != "ok" and not pattern.search(o)}
    unknown = {n: o for n, o in failing.items() if n not in excused}
    assert len(unknown) <= NOT_LOOKED_AT, unknown
    assert len(outcomes) > 2000


def test_what_is_compared() -> None:
    """Numbers to three digits, layout not at all; random ones by their form."""
    assert doc_runner.agree("[[1. 2.]\n [3. 4.]]", "[[1.0001 2.]\n\n [3. 4.]]", False)
    assert not doc_runner.agree("[1. 2.]", "[1. 2.1]", False)
    assert not doc_runner.agree("[1. 2.]", "[1. 2. 3.]", True)
    assert doc_runner.agree("[1. 2.]", "[0.3 -2.5]", True)
    assert not doc_runner.agree("True", "False", True)
