"""`--atol` means the same in every command: the same two arrays, judged by each of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import click
import numpy as np
import pytest

from msconvert.commands import compare as cli_compare
from msconvert.commands import diff as cli_diff
from msconvert.commands import verify as cli_verify
from msconvert.commands.main import main
from msconvert.numerics.distance import rms_of
from msconvert.numerics.relations.evidence import Judge
from msconvert.numerics.rounding import Allowance
from msconvert.numerics.tolerance import Tolerance
from msconvert.troubleshooter.diff import Settings
from msconvert.troubleshooter.diff.interface import compare
from msconvert.troubleshooter.measure.locus import Criterion
from msconvert.troubleshooter.sides.child.messages import Leaf, Tensor
from msconvert.troubleshooter.verify.judgement import difference

ATOL = 1e-3
GIVEN = ["a", "b", "--rtol", "0", "--atol", str(ATOL)]
NUMBERS = np.random.default_rng(0)
PLAIN = NUMBERS.normal(size=(7, 9))


def flags_of(command: click.Command, *arguments: str) -> dict[str, object]:
    """What the command line gives the command."""
    return command.make_context("command", [*arguments]).params


def by_diff(a: np.ndarray, b: np.ndarray) -> bool:
    flags = flags_of(cli_diff.diff, *GIVEN, "--equal-nan")
    settings = cli_diff.settings_of(flags, Settings())
    return compare(a, b, settings=settings).ok


def by_verify(a: np.ndarray, b: np.ndarray) -> bool:
    flags = flags_of(cli_verify.verify, *GIVEN)
    given = {name: flags[name] for name in ("rtol", "atol", "shapes")}
    return passed(a, b, cli_verify.settings_of(given).allowance)


def by_compare(a: np.ndarray, b: np.ndarray) -> bool:
    flags = flags_of(cli_compare.compare, *GIVEN)
    given = {name: flags[name] for name in ("rtol", "atol", "shapes")}
    return passed(a, b, cli_compare.settings_of(given).allowance)


def passed(a: np.ndarray, b: np.ndarray, allowance: Allowance) -> bool:
    """The verdict about outputs, of which no rounding was measured."""
    sides = [Leaf("y", Tensor(side.dtype.name, side)) for side in (a, b)]
    return difference(*sides, allowance, 0.0).passed


def by_place(a: np.ndarray, b: np.ndarray) -> bool:
    finite = np.isfinite(a)
    return not Criterion(Tolerance(0.0, ATOL), rms_of(a)).failing(a[finite], b[finite]).any()


def by_relation(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(Judge(Tolerance(0.0, ATOL), rms_of(a)).close(a, b).all())


JUDGES = (by_diff, by_verify, by_compare, by_place, by_relation)
ROWS = {
    "numbers about 1": PLAIN,
    "gradients of 1e-9": PLAIN * 1e-9,
    "activations of 1e6": PLAIN * 1e6,
    "numbers whose squares no type holds": PLAIN * 1e200,
    "one that is far larger than all others": np.array([*PLAIN.flat, 1e3]),
    "mostly zeros": np.where(np.abs(PLAIN) > 1.5, PLAIN, 0.0),
    "one number": np.array([3.0]),
    "complex numbers": PLAIN + 1j * NUMBERS.normal(size=PLAIN.shape),
    "infinity and NaN on both sides": np.array([np.inf, np.nan, 1.0, 2.0, -3.0]),
    "of two types of tensors: float32": PLAIN.astype(np.float32),
}


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(("times", "same"), [(0.0, True), (0.99, True), (1.01, False)])
def test_the_border_is_the_same(
    name: str, times: float, same: bool, judge: Callable[[np.ndarray, np.ndarray], bool]
) -> None:
    a = ROWS[name]
    finite = np.isfinite(a)
    rms = np.max(np.abs(a[finite])) * math.sqrt(
        np.mean(np.abs(a[finite] / np.max(np.abs(a[finite]))) ** 2)
    )
    b = a.copy()
    b.flat[int(np.argmin(np.where(finite, np.abs(a), np.inf)))] += times * ATOL * rms
    assert judge(a, b) is same


@pytest.mark.parametrize("command", [cli_verify, cli_compare])
def test_what_is_not_given_is_as_it_is_by_default(command: object) -> None:
    given = {"rtol": None, "atol": None, "shapes": ()}
    assert command.settings_of(given).allowance == Allowance()  # type: ignore[attr-defined]


def test_a_tolerance_that_is_given_never_makes_it_stricter() -> None:
    """What is rounding of all gradients together stays so beside an `atol` of one of them."""
    large, small = np.array([100.0]), np.array([1e-9])
    sides = [Leaf("y", Tensor("float64", side)) for side in (small, small + 5e-6)]
    for atol in (0.0, 1e-9, 1e-6, 1e-3, 1.0):
        assert difference(*sides, Allowance(atol=atol), float(large[0])).passed


@pytest.mark.parametrize("command", [cli_diff.diff, cli_verify.verify, cli_compare.compare])
def test_the_help_says_so(command: click.Command) -> None:
    (option,) = [one for one in command.params if one.name == "atol"]
    assert "this, relative to the tensor's root mean square" in option.help  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", ["diff", "verify", "compare"])
@pytest.mark.parametrize("flag", ["--rtol", "--atol"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e300"])
def test_what_is_no_tolerance_is_refused(
    command: str, flag: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "a.npy", "b.npy", f"{flag}={value}"]) == 2
    assert "is no tolerance" in capsys.readouterr().err
