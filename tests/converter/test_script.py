"""The text of scripts: golden files, and what ruff says of them."""

from __future__ import annotations

import importlib.resources
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ruff import find_ruff_bin

from msconvert.converter.convert import Options, script_of, understood
from msconvert.tests.converter.hand_graphs import W, graph, node
from msconvert.tests.converter.in_process import text_of
from msconvert.tests.converter.random_graphs import random_model
from msconvert.tests.models.light import LIGHT

GOLDEN = Path(__file__).with_name("golden")
DEMO = Path(str(importlib.resources.files("msconvert"))) / "examples" / "demo.onnx"
MODELS = {
    "demo": DEMO,
    **{
        name: LIGHT / f"{name}.onnx"
        for name in (
            "light_densenet121",
            "light_inception_v1",
            "light_resnet50",
            "light_shufflenet",
            "light_squeezenet",
            "light_zfnet512",
        )
    },
}
LINES = {"light_resnet50": 160}


@pytest.fixture(scope="module", params=MODELS)
def emitted(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Name of a model and its script."""
    found = understood(Options(model_file=MODELS[request.param], output=Path("unused")))
    return request.param, script_of(found, "bundled")


def test_scripts_are_as_reviewed(
    emitted: tuple[str, str], golden: Callable[[Path, str], None]
) -> None:
    name, text = emitted
    golden(GOLDEN / f"{name}.py", text)


def test_scripts_are_short(emitted: tuple[str, str]) -> None:
    name, text = emitted
    assert text.count("\n") <= LINES.get(name, 400)


def said_by_ruff(text: str, *arguments: str) -> str:
    """What ruff prints about a script; the script itself if it formats it."""
    command = [find_ruff_bin(), *arguments, "--no-cache", "--stdin-filename=script.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else f"{done.stdout}{done.stderr}"


OURS = Path(str(importlib.resources.files("msconvert"))) / "pyproject.toml"
"""The project's own rules hold for what it writes; a script may print, and is no test."""


def remarks(text: str) -> str:
    plain = said_by_ruff(text, "check", "-q", "--isolated")
    return plain + said_by_ruff(text, "check", "-q", f"--config={OURS}", "--ignore=T20,PT")


def test_ruff_has_nothing_to_say(emitted: tuple[str, str]) -> None:
    _, text = emitted
    assert remarks(text) == ""


def formatted_at(text: str, width: int) -> str:
    return said_by_ruff(text, "format", "--isolated", f"--line-length={width}")


@pytest.mark.parametrize("width", [88, 100])
def test_both_widths_leave_scripts_alone(emitted: tuple[str, str], width: int) -> None:
    _, text = emitted
    assert formatted_at(text, width) == text


@pytest.mark.parametrize("seed", range(24))
def test_random_networks_are_formatted(seed: int, tmp_path: Path) -> None:
    text = text_of(random_model(seed), tmp_path)
    assert remarks(text) == ""
    assert formatted_at(text, 88) == formatted_at(text, 100) == text


@pytest.mark.parametrize("length", range(1, 40, 3))
def test_names_of_every_length_are_formatted(length: int, tmp_path: Path) -> None:
    word = "a" * length
    nodes = [node("Gemm", f"x {word}.0.{word}.weight", "g", f"/{word}/{word}.0/{word}/Gemm")]
    nodes.append(node("Clip", "g low high", "c", f"/{word}/{word}.0/Clip"))
    nodes.append(node("Add", "c x", "y", f"/{word}/{word}.0/Add"))
    numbers = {"low": W[0, 0], "high": W[0, 0] + 1}
    text = text_of(graph(nodes, weights={f"{word}.0.{word}.weight": W, **numbers}), tmp_path)
    assert remarks(text) == ""
    assert formatted_at(text, 88) == formatted_at(text, 100) == text


THREADS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from msconvert.converter.text.formatting import formatted
start = Barrier(8)
def one(number):
    start.wait()
    return formatted("x  =  1")
with ThreadPoolExecutor(8) as pool:
    print({*pool.map(one, range(8))})
"""


def test_threads_may_format_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True)
    assert done.stdout == "{'x = 1\\n'}\n", done.stderr
