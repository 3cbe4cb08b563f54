"""The table of limits: each is used, has its reason, and is what the pages say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from msconvert.numerics import limits
from msconvert.numerics.distance import near, same
from msconvert.numerics.rounding import STEP

ROOT = Path(__file__).parents[2]
TREE = ast.parse((ROOT / "numerics/limits.py").read_text(encoding="utf-8"))
NAMES = [name for name in vars(limits) if name.isupper()]
SOURCES = [
    path.read_text(encoding="utf-8")
    for part in ("numerics", "troubleshooter", "converter")
    for path in (ROOT / part).rglob("*.py")
    if path.name != "limits.py"
]


@pytest.mark.parametrize("name", NAMES)
def test_each_limit_is_asked_for(name: str) -> None:
    assert any(re.search(rf"\b{name}\b", source) for source in SOURCES)


def test_each_limit_says_why() -> None:
    """A string follows each assignment."""
    body = TREE.body
    for one, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(one, ast.Assign):
            assert isinstance(following, ast.Expr), ast.unparse(one)
            assert isinstance(following.value, ast.Constant), ast.unparse(one)
    assert len(NAMES) >= sum(isinstance(one, ast.Assign) for one in body) > 10


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (limits.NOISE_FACTOR, "- {:g} times PyTorch's own rounding"),
        (limits.SURE_NOISE_FACTOR, "and {:g} times the largest is allowed"),
        (limits.KERNEL_FACTOR, "on MindSpore's CPU, {:g} times what"),
        (limits.OF_LARGEST, "`--rtol`, {:.0e} unless given"),
        (limits.OF_ALL, "of gradients, {:.0e} of the largest number of all"),
    ],
)
def test_the_page_has_the_number(limit: float, text: str) -> None:
    page = (ROOT / "docs/verify.md").read_text(encoding="utf-8")
    assert re.sub(r"e-0", "e-", text.format(limit)) in page


@pytest.mark.parametrize("size", [1e-30, 1e-6, 1.0, 1e6, 1e30])
def test_copies_and_what_was_made_of_them(size: float) -> None:
    """One step of float32 is a copy; a thousandth is none, and nothing is made so."""
    a = np.array([1.0, -2.0, 0.0]) * size
    for times, copied, made in ((STEP, True, True), (5e-6, False, True), (1e-3, False, False)):
        b = a * (1 + times)
        assert (same(a, b), near(a, b)) == (copied, made)
    assert not same(a, a[:2])
    assert not near(a, a[:2])
