"""What counts as rounding, and what does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from msconvert.numerics.rounding import Allowance
from msconvert.troubleshooter.sides.child.messages import Leaf, Outcome, Tensor
from msconvert.troubleshooter.sides.child.rounding import Rounding
from msconvert.troubleshooter.verify.judgement import difference, differences

RULES = Allowance(rtol=1e-5, of_all=1e-6, noise_factor=8)


def leaf(array: object, dtype: str = "float32", label: str = "y", **more: object) -> Leaf:
    return Leaf(label, Tensor(dtype, np.asarray(array, dtype)), **more)


@pytest.mark.parametrize(
    ("ours", "theirs", "passed"),
    [
        (leaf([1, 100]), leaf([1.0009, 100]), True),  # of the largest number of the tensor
        (leaf([1, 100]), leaf([1.002, 100]), False),
        (leaf([1, 100], noise=0.01), leaf([1.07, 100]), True),
        (leaf([1, 100], noise=0.01), leaf([1.09, 100]), False),
        (leaf([1, 100], approximated=0.01), leaf([1.02, 100]), True),
        (leaf([1, 100], approximated=0.01), leaf([1.05, 100]), False),
        (leaf([0, 0]), leaf([0, 0]), True),
        (leaf([0, 0]), leaf([0, 1e-30]), False),
        (leaf([]), leaf([]), True),
        (leaf(1.0), leaf([1.0]), False),
        (leaf([np.nan, np.inf]), leaf([np.nan, np.inf]), True),
        (leaf([np.nan, np.nan]), leaf([np.nan, np.nan]), False),  # it could compute anything
        (leaf([np.inf, np.inf]), leaf([np.inf, np.inf]), True),
        (leaf([np.nan, 1]), leaf([1, 1]), False),
        (leaf([1, 1]), leaf([np.nan, 1]), False),
        (leaf([np.inf, 1]), leaf([-np.inf, 1]), False),
        (leaf([1, 2]), leaf([1, 2], "float64"), False),
        (leaf([1, 2], "float16"), leaf([1, 2.002], "float16"), True),  # its steps are coarser
        (leaf([1, 2], "int64"), leaf([1, 3], "int64"), False),
        (leaf([1, 2], "int64", unsure=np.array([False, True])), leaf([1, 3], "int64"), True),
        (leaf([1, 2], "int64", unsure=np.array([True, False])), leaf([1, 3], "int64"), False),
        (leaf([True], "bool"), leaf([True], "bool"), True),
        (leaf([1 + 1j], "complex64"), leaf([1 + 1.1j], "complex64"), False),
        (Leaf("y", 2), leaf(2, "int64"), True),  # a number, or a tensor of one element
        (Leaf("y", 2.0), Leaf("y", 2.00001), True),
        (Leaf("y", 2.0), Leaf("y", 2.1), False),
        (Leaf("y", None), Leaf("y", None), True),
        (Leaf("y", None), leaf([1]), False),
        (Leaf("y", "a"), Leaf("y", "b"), False),
    ],
)
def test_one_value(ours: Leaf, theirs: Leaf, passed: bool) -> None:
    found = difference(ours, theirs, RULES, 0.0)
    assert found.passed is passed, found
    assert (found.excess <= 1) is passed


def test_gradients_are_judged_together() -> None:
    ours = [leaf([100], label="large"), leaf([1e-9], label="small")]
    theirs = [leaf([100], label="large"), leaf([5e-5], label="small")]
    assert [d.passed for d in differences(ours, theirs, RULES)] == [True, False]
    assert [d.passed for d in differences(ours, theirs, RULES, together=True)] == [True, True]


def test_places() -> None:
    ours = [leaf([1], label="['a']"), leaf([2], label="['b']")]
    turned = [leaf([2], label="['b']"), leaf([1], label="['a']")]
    as_tuple = [leaf([1], label="[0]"), leaf([2], label="[1]")]
    assert all(d.passed for d in differences(ours, turned, RULES))
    assert all(d.passed for d in differences(ours, as_tuple, RULES))
    assert not all(d.passed for d in differences(ours, as_tuple[::-1], RULES))
    (found,) = differences(ours, as_tuple[:1], RULES)
    assert found.problem == "1 value ([0]), the original gives 2 values (['a'], ['b'])"
    assert found.excess == math.inf


def noise_of(plain: object, *others: tuple[int, object], dtype: str = "float32") -> Leaf:
    rounding = Rounding(Outcome((leaf(plain, dtype),)))
    for size, other in others:
        rounding.add(Outcome((leaf(other, dtype),)), size)
    return rounding.outcome().outputs[0]


def test_noise_is_what_other_runs_differ_by() -> None:
    assert noise_of([0, 8]).noise == 0
    assert noise_of([0, 8], (1, [1, 8]), (1, [0, 10])).noise == 2
    assert noise_of([0, np.inf], (1, [1, 8])).noise == 1


def test_larger_changes_show_jumps_only() -> None:
    assert noise_of([0], (1, [1]), (4, [11])).noise == 1  # as large as the change explains
    assert noise_of([0], (1, [1]), (4, [100])).noise == 100 - 3 * 4


def test_integers_that_rounding_decides_are_unsure() -> None:
    found = noise_of([1, 2], (1, [1, 3]), dtype="int64")
    assert found.unsure is not None
    assert found.unsure.tolist() == [False, True]
    assert noise_of([1, 2], (1, [1, 2]), dtype="int64").unsure is None
