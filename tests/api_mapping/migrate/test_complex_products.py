"""Products of complex tensors: the bundled runtime has their gradient, MindSpore has not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.api_mapping.source.as_text import findings, next_steps
from msconvert.api_mapping.source.outcome import Outcome
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings, Target
from msconvert.tests.api_mapping.verification import mindspore_python

PRODUCTS = (
    "def f(x, w):\n    return torch.view_as_real(torch.view_as_complex(x) * w)\n",
    "def f(x, angles):\n    turns = torch.polar(torch.ones_like(angles), angles)\n"
    "    return (torch.view_as_complex(x) * turns.unsqueeze(0)).real\n",
    "class Net(torch.nn.Module):\n    def forward(self, x):\n"
    "        return torch.fft.irfft(self.filter * torch.fft.rfft(x))\n",
    "def f(x, w):\n    z = torch.complex(x, x)\n    return torch.mul(z, other=w).imag\n",
    "def f(x):\n    z = torch.fft.fft(x)\n    return (z * z.conj()).real\n",
    "def f(x):\n    z = torch.fft.fft(x)\n    return torch.square(z).real\n",
)
OTHERS = (
    "def f(x):\n    return torch.view_as_real(torch.view_as_complex(x) * 0.5)\n",
    "def f(x, w):\n    z = torch.view_as_complex(x)\n    return z.real * w - z.imag * w\n",
    "def f(x):\n    return torch.fft.fft(x).abs() ** 2\n",
    "@torch.inference_mode()\ndef f(x, w):\n    return torch.view_as_complex(x) * w\n",
    "def f(x: torch.Tensor, cos, sin):\n    return x * cos - x * sin\n",
)


def converted(folder: Path, code: str, target: Target) -> Outcome:
    path = folder / "net.py"
    path.write_text(f"import torch\n\n\n{code}")
    return Outcome(convert_paths([path], Settings(target)))


def is_told(outcome: Outcome) -> bool:
    texts = [*findings(outcome), *next_steps(outcome)]
    told = {any("MS240" in text for text in texts), outcome.marks == 1, not outcome.tree.ok}
    assert len(told) == 1
    return told.pop()


@pytest.mark.parametrize("code", PRODUCTS)
def test_they_are_marked_for_mindspore_alone(tmp_path: Path, code: str) -> None:
    outcome = converted(tmp_path, code, Target.MINDSPORE)
    assert is_told(outcome)
    (file,) = outcome.tree.files
    assert b"# MS240 line: MindSpore has no gradient" in (file.data or b"")
    assert not is_told(converted(tmp_path, code, Target.BUNDLED))


@pytest.mark.parametrize("code", OTHERS)
def test_others_are_not(tmp_path: Path, code: str) -> None:
    assert not is_told(converted(tmp_path, code, Target.MINDSPORE))


ORACLE = """
import {package} as ms
from {package} import ops

x, y = ops.arange(3).float(), ops.ones(3)

def gradient(product):
    def norm(x):
        return product(ops.Complex()(x, y), ops.Complex()(y, y)).real().sum()
    try:
        return [round(g, 4) for g in ms.grad(norm)(x).tolist()]
    except TypeError as error:
        return "complex" in str(error).lower()  # refused, and for this reason

print(gradient(lambda z, w: z * w))
print(gradient(lambda z, w: z.square()))
print(gradient(lambda z, w: z**2))
print(gradient(lambda z, w: z + w))
"""


def gradients(python: Path, package: str, folder: Path) -> list[str]:
    """Of the real part of (x + i) (1 + i), of (x + i)^2 twice, and of a sum, by x."""
    script = folder / "gradients.py"
    script.write_text(ORACLE.format(package=package))
    done = subprocess.run([python, script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_runtime_has_the_gradient(tmp_path: Path) -> None:
    found = gradients(Path(sys.executable), "msconvert.runtime", tmp_path)
    assert found == ["[1.0, 1.0, 1.0]", *["[0.0, 2.0, 4.0]"] * 2, "[1.0, 1.0, 1.0]"]


def test_mindspore_has_it_of_sums_alone(tmp_path: Path) -> None:
    python = mindspore_python()
    if python is None:
        pytest.skip("needs MindSpore")
    assert gradients(python, "mindspore", tmp_path) == [*["True"] * 3, "[1.0, 1.0, 1.0]"]
