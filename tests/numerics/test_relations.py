"""Each relation is found and proved; of unrelated, small and constant arrays nothing is said."""

from __future__ import annotations

import re
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from msconvert.numerics.relations import relation_of
from msconvert.numerics.tolerance import Tolerance

CLOSE = Tolerance(rtol=1e-4, atol=1e-6)
NUMBERS = np.random.RandomState(0)


def random(*shape: int) -> np.ndarray:
    return np.asarray(NUMBERS.randn(*shape), "f4")


KERNEL = random(8, 6, 3, 3)
MATRIX = random(12, 20)
SQUARE = random(16, 16)
VECTOR = random(40)


def holed(a: np.ndarray) -> np.ndarray:
    b = a.copy()
    b.flat[[3, 17]] = np.nan
    return b


def as_int8(a: np.ndarray, axis: int | None = None) -> np.ndarray:
    axes = None if axis is None else tuple(i for i in range(a.ndim) if i != axis)
    step = np.abs(a).max(axis=axes, keepdims=True) / 127
    return np.rint(a / step).astype("i1")


def shown_in_steps(a: np.ndarray, axis: int | None = None) -> np.ndarray:
    axes = None if axis is None else tuple(i for i in range(a.ndim) if i != axis)
    return (as_int8(a, axis) * (np.abs(a).max(axis=axes, keepdims=True) / 127)).astype("f4")


FACTORS = np.linspace(0.2, 3, 8, dtype="f4").reshape(8, 1, 1, 1)
SHUFFLED = NUMBERS.permutation(12)

ROWS: dict[str, tuple[np.ndarray, Callable[[np.ndarray], np.ndarray], str, str]] = {
    "transposed": (MATRIX, np.transpose, "transpose", "equal after transpose (1, 0)"),
    "transposed square": (SQUARE, np.transpose, "transpose", "equal after transpose (1, 0)"),
    "kernel of another layout": (
        KERNEL,
        lambda a: a.transpose(2, 3, 1, 0),
        *("transpose", "equal after transpose (2, 3, 1, 0)"),
    ),
    "reshaped": (
        KERNEL,
        lambda a: a.reshape(8, 54),
        *("reshape", "equal after reshape to (8, 54)"),
    ),
    "flattened in another layout": (
        KERNEL,
        lambda a: a.transpose(0, 2, 3, 1).reshape(8, 54),
        *("transpose", "equal after transpose (0, 2, 3, 1) and reshape to (8, 54)"),
    ),
    "flipped": (MATRIX, np.fliplr, "flip", "equal after flipping axis 1"),
    "a convolution's kernel": (
        KERNEL,
        lambda a: a[:, :, ::-1, ::-1],
        *("flip", "equal after flipping axes (2, 3)"),
    ),
    "rolled": (MATRIX, lambda a: np.roll(a, 3, 1), "roll", "equal after rolling axis 1 by 3"),
    "rolled back": (VECTOR, lambda a: np.roll(a, -1), "roll", "equal after rolling axis 0 by -1"),
    "halves": (
        MATRIX,
        lambda a: np.roll(a, 6, 0),
        *("halves", "equal after swapping the halves of axis 0"),
    ),
    "GRU's gates": (
        MATRIX,
        lambda a: a[[4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11]],
        *("blocks", "equal after taking the 3 blocks of axis 0 as (1, 0, 2) "
          "(gates of a GRU, or q, k, v)"),
    ),
    "LSTM's gates": (
        MATRIX,
        lambda a: a[[0, 1, 2, 9, 10, 11, 3, 4, 5, 6, 7, 8]],
        *("blocks", "equal after taking the 4 blocks of axis 0 as (0, 3, 1, 2) "
          "(gates of an LSTM)"),
    ),
    "interleaved": (
        MATRIX,
        lambda a: a.reshape(2, 6, 20).swapaxes(0, 1).reshape(12, 20),
        *("regroup", "equal after regrouping axis 0 from (2, 6) to (6, 2)"),
    ),
    "flattened images": (
        MATRIX,
        lambda a: a.reshape(12, 4, 5).swapaxes(1, 2).reshape(12, 20),
        *("regroup", "equal after regrouping axis 1 from (4, 5) to (5, 4)"),
    ),
    "permuted channels": (
        MATRIX,
        lambda a: a[SHUFFLED],
        *("channels", f"equal after permuting axis 0: {np.sum(np.arange(12) != SHUFFLED)} of 12 "
          "slices stand elsewhere"),
    ),
    "permuted inputs": (
        KERNEL,
        lambda a: a[:, [2, 1, 0, 5, 3, 4]],
        *("channels", "equal after taking axis 1 as (2, 1, 0, 5, 3, 4)"),
    ),
    "permuted elements": (
        VECTOR,
        lambda a: a[np.random.RandomState(1).permutation(40)],
        *("channels", "equal after permuting axis 0: 39 of 40 slices stand elsewhere"),
    ),
    "sign": (MATRIX, np.negative, "sign", "equal after a change of sign"),
    "scaled": (MATRIX, lambda a: a * 0.125, "scale", "equal after scaling by 0.125"),
    "offset": (MATRIX, lambda a: a + 2, "offset", "equal after adding 2"),
    "affine": (MATRIX, lambda a: a * 3 - 1, "affine", "equal after scaling by 3 and adding -1"),
    "folded": (
        KERNEL,
        lambda a: a * FACTORS,
        *("scale", "equal after scaling each slice of axis 0 (0.2 to 3)"),
    ),
    "a bias per channel": (
        KERNEL,
        lambda a: a + FACTORS,
        *("offset", "equal after adding to each slice of axis 0 (0.2 to 3)"),
    ),
    "part of q, k, v": (
        MATRIX,
        lambda a: a[4:8],
        *("slice", "equal to [4:8, :] (part 2 of 3) of a"),
    ),
    "joined": (MATRIX[:4], lambda _a: MATRIX, "slice", "a is [0:4, :] (part 1 of 3) of b"),
    "cropped": (KERNEL, lambda a: a[:, :, 1:2, 1:2], "slice", "equal to [:, :, 1:2, 1:2] of a"),
    "padded": (
        KERNEL,
        lambda a: np.pad(a, ((0, 0), (0, 0), (1, 1), (1, 1))),
        *("pad", "a is [:, :, 1:4, 1:4] of b, with 0 around it"),
    ),
    "padded words": (
        MATRIX,
        lambda a: np.pad(a, ((0, 3), (0, 0))),
        *("pad", "a is [0:12, :] of b, with 0 around it"),
    ),
    "strided": (
        KERNEL,
        lambda a: a[:, :, ::2, ::2],
        *("slice", "equal to [:, :, ::2, ::2] of a"),
    ),
    "every third": (MATRIX, lambda a: a[:, 1::3], "slice", "equal to [:, 1::3] of a"),
    "every second of b": (
        MATRIX[::2],
        lambda _a: MATRIX,
        *("slice", "a is [::2, :] of b"),
    ),
    "windows shifted": (
        random(2, 14, 14, 6),
        lambda a: np.roll(a, (-3, 3), (1, 2)),
        *("roll", "equal after rolling axes (1, 2) by (-3, 3)"),
    ),
    "transposed and scaled": (
        MATRIX,
        lambda a: a.T * 3,
        *("scale", "equal after transpose (1, 0), then scaling by 3"),
    ),
    "transposed and rounded": (
        SQUARE,
        lambda a: a.T.astype("f2").astype("f4"),
        *("rounding", "equal after transpose (1, 0), then rounding a to float16 or TF32"),
    ),
    "float16": (
        MATRIX,
        lambda a: a.astype("f2").astype("f4"),
        *("rounding", "equal after rounding a to float16 or TF32"),
    ),
    "float16 of small numbers": (
        MATRIX * 1e-5,
        lambda a: a.astype("f2").astype("f4"),
        *("rounding", "equal after rounding a to float16"),
    ),
    "bfloat16": (
        MATRIX,
        lambda a: a.astype(ml_dtypes.bfloat16),
        *("rounding", "equal after rounding a to bfloat16"),
    ),
    "TF32": (
        MATRIX * 1e6,
        lambda a: (a.view("u4") + 0x1000 & 0xFFFFE000).view("f4"),
        *("rounding", "equal after rounding a to TF32"),
    ),
    "from bfloat16": (
        MATRIX.astype(ml_dtypes.bfloat16),
        lambda _a: MATRIX,
        *("rounding", "equal after rounding b to bfloat16"),
    ),
    "int8": (
        MATRIX,
        as_int8,
        *("quantised", "equal after quantising a to int8 per tensor, step"),
    ),
    "uint8": (
        MATRIX,
        lambda a: (as_int8(a).astype("i2") + 128).astype("u1"),
        *("quantised", "equal after quantising a to uint8 per tensor, step"),
    ),
    "int8 per channel": (
        KERNEL * FACTORS,
        lambda a: as_int8(a, 0),
        *("quantised", "equal after quantising a to int8 per slice of axis 0, step"),
    ),
    "steps": (
        KERNEL,
        shown_in_steps,
        *("quantised", "equal after quantising a per tensor, step"),
    ),
    "steps per channel": (
        KERNEL * FACTORS,
        lambda a: shown_in_steps(a, 0),
        *("quantised", "equal after quantising a per slice of axis 0, step"),
    ),
    "no number": (
        MATRIX,
        holed,
        *("nan", "equal but for elements that are no number or infinite: 2 in b"),
    ),
    "integers": (
        np.arange(60).reshape(5, 12) + 2**60,
        np.transpose,
        *("transpose", "equal after transpose (1, 0)"),
    ),
    "complex": (
        MATRIX + 1j * MATRIX[::-1],
        np.transpose,
        *("transpose", "equal after transpose (1, 0)"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("tolerance", [CLOSE, Tolerance(1e-6, 1e-6)], ids=["wide", "narrow"])
def test_relations(row: str, tolerance: Tolerance) -> None:
    a, change, kind, text = ROWS[row]
    found = relation_of(a, change(a), tolerance, 1.0)
    assert found is not None
    assert (found.kind, re.sub(r"\bsteps? .*", "step", found.text)) == (kind, text)


@pytest.mark.parametrize("row", ROWS)
def test_what_is_nearly_related_is_not(row: str) -> None:
    """One element that differs, and the relation is none."""
    a, change, _, _ = ROWS[row]
    b = np.array(change(a))
    place = {"joined": (0, 0), "padded": (0, 0, 1, 1), "every second of b": (0, 0)}.get(row)
    place = place or np.unravel_index(b.size // 2, b.shape)
    b[place] = 77
    found = relation_of(a, b, CLOSE, 1.0)
    assert found is None


SHAPES = [(40,), (12, 12), (12, 20), (8, 6, 3, 3), (3, 3), (4,), (), (2, 1), (64, 64)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", ["normal", "few values", "zeros", "ones", "bool", "int8", "ramp"])
def test_unrelated_arrays(shape: tuple[int, ...], kind: str) -> None:
    makers = {
        "normal": lambda: random(*shape),
        "few values": lambda: NUMBERS.randint(0, 3, shape).astype("f4"),
        "zeros": lambda: np.zeros(shape, "f4"),
        "ones": lambda: np.ones(shape, "f4"),
        "bool": lambda: NUMBERS.rand(*shape) > 0.5,
        "int8": lambda: NUMBERS.randint(-128, 127, shape).astype("i1"),
        "ramp": lambda: random(*shape) + 1e6,
    }
    for other in makers.values():
        assert relation_of(np.asarray(makers[kind]()), np.asarray(other()), CLOSE, 1.0) is None


def test_small_arrays_are_ambiguous() -> None:
    a = np.array([[1.5, 2.25], [3.75, 4.5]], "f4")
    assert relation_of(a, a.T, CLOSE, 1.0) is None
    assert relation_of(np.float32([1, 2, 3]), np.float32([3, 2, 1]), CLOSE, 1.0) is None


def test_slices_of_equal_elements_have_any_factor() -> None:
    a, b = (np.tile(random(6), (5, 1)) for _ in range(2))
    assert relation_of(a, b, CLOSE, 1.0) is None


def test_empty_and_odd_arrays() -> None:
    assert relation_of(np.ones((0, 3)), np.ones((3, 0)), CLOSE, 1.0) is None
    assert relation_of(random(4, 4), np.full((4, 4), np.nan, "f4"), CLOSE, 1.0) is None
    assert relation_of(np.full(9, np.inf), np.full(9, -np.inf), CLOSE, 1.0) is None
    assert relation_of(random(2, 2, 2, 2, 2, 2), random(2, 2, 2, 2, 2, 2), CLOSE, 1.0) is None
    assert relation_of(random(30).astype("f8") * 1e300, random(30) * 1e30, CLOSE, 1.0) is None
