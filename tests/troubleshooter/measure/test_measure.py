"""The figures of two arrays, against NumPy's on the whole arrays, PyTorch's and hand-made cases."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from msconvert.troubleshooter.measure import Metrics, Tolerance, measure
from msconvert.troubleshooter.measure.elements import BLOCK

NUMBERS = np.random.default_rng(0)
T = Tolerance(1e-5, 1e-5)


def noisy(a: np.ndarray, size: float) -> np.ndarray:
    noise = 1 + size * NUMBERS.standard_normal(a.shape)
    return (a.astype("f8") * noise).astype(a.dtype)


def check(got: Metrics, a: np.ndarray, b: np.ndarray, tolerance: Tolerance) -> None:
    """Every figure, from the whole arrays in one go, in float64 (or complex128)."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a.astype(wide).ravel(), b.astype(wide).ravel()
    away, size = np.abs(x - y), np.abs(x)
    rms = np.sqrt(np.mean(size**2))
    assert (got.size, got.equal) == (x.size, np.sum(x == y))
    close = np.isclose(y, x, rtol=tolerance.rtol, atol=tolerance.atol * rms)
    assert got.close == close.sum()
    assert got.error == pytest.approx(np.max(away / (size + rms)))
    assert got.max_abs == away.max()
    assert got.mean_abs == pytest.approx(away.mean())
    known = size > 0
    assert got.max_rel == pytest.approx(np.max(away[known] / size[known]))
    assert got.mean_rel == pytest.approx(np.mean(away[known] / size[known]))
    assert got.rel_l2 == pytest.approx(np.linalg.norm(x - y) / np.linalg.norm(x))
    cosine = np.vdot(x, y).real / np.linalg.norm(x) / np.linalg.norm(y)
    assert got.cosine == pytest.approx(cosine, abs=1e-12)
    assert got.a.rms == pytest.approx(rms)
    assert (got.a.zero, got.b.zero) == (np.sum(x == 0), np.sum(y == 0))
    if wide is np.float64:
        assert got.sign_changes == np.sum(np.sign(x) * np.sign(y) < 0)
    assert got.worst is not None
    place = np.ravel_multi_index(got.worst.index, a.shape) if a.ndim else 0
    assert away[place] / (size[place] + rms) == pytest.approx(got.error)


@pytest.mark.parametrize("noise", [1e-7, 1e-3, 2.0])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", ">f4", "c8", "bfloat16", "float8_e4m3fn"])
@pytest.mark.parametrize("shape", [(7,), (3, 4, 5), (BLOCK + 5,), (2, BLOCK)])
def test_figures(dtype: str, shape: tuple[int, ...], noise: float) -> None:
    a = NUMBERS.standard_normal(shape)
    a[..., 0] = 0.0
    a = a.astype(getattr(ml_dtypes, dtype, dtype))
    b = noisy(a, noise) if a.dtype.kind != "c" else a * (1 + noise * NUMBERS.random(shape))
    b = b.astype(a.dtype)
    b[..., -1] += 1
    for tolerance in (T, Tolerance(1e-3, 1e-6)):
        check(measure(a, b, tolerance, record=True), a, b, tolerance)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[::2, 1:],
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[:1], a.shape),
        lambda a: a.astype(">f4"),
        lambda a: np.frombuffer(b"x" + a.tobytes(), "f4", offset=1).reshape(a.shape),
        lambda a: a[5, 3],
    ],
    ids=["transposed", "sliced", "fortran", "broadcast", "big-endian", "unaligned", "scalar"],
)
def test_any_layout(view: object) -> None:
    a = NUMBERS.standard_normal((300, 200)).astype("f4")
    b = noisy(a, 1e-4)
    x, y = np.asarray(view(a)), np.asarray(view(b))  # type: ignore[operator]
    got = measure(x, y, T, record=True)
    assert got == measure(
        np.array(x, "f4", order="C"), np.array(y, "f4", order="C"), T, record=True
    )
    check(got, np.array(x, "f4"), np.array(y, "f4"), T)
    assert measure(np.array(x, order="C"), y, T, record=True) == got


def test_what_is_equal_up_to_a_block_counts_as_well() -> None:
    a = NUMBERS.standard_normal(5 * BLOCK).astype("f4")
    a[::7] = 0
    b = a.copy()
    b[3 * BLOCK + 2] += 1
    b[BLOCK // 2] = -0.0
    a[BLOCK // 2] = 0.0
    got = measure(a, b, T, record=True)
    check(got, a, b, T)
    assert got.ulp is not None
    assert (got.ulp.p50, got.ulp.p99) == (0, 0)


def test_equal_bytes() -> None:
    a = np.array([0.0, 1.0, -2.0, math.nan, math.inf, -math.inf], "f4")
    got = measure(a, a.copy())
    assert (got.size, got.equal, got.close, got.error) == (6, 5, 5, 0.0)
    assert (got.a.nan, got.a.inf, got.a.zero) == (1, 2, 1)
    assert got.b == got.a
    assert (got.nan_both, got.inf_same, got.cosine, got.worst) == (1, 2, 1.0, None)
    assert got.a.rms == pytest.approx(math.sqrt(5 / 3))


def test_nan_and_infinity() -> None:
    nan, inf = math.nan, math.inf
    a = np.array([1, nan, nan, inf, inf, inf, 2, 0])
    b = np.array([1, nan, 3.0, inf, -inf, 5, nan, 0.5])
    got = measure(a, b, T)
    assert (got.equal, got.close, got.nan_both, got.inf_same) == (2, 2, 1, 1)
    assert (got.a.nan, got.a.inf, got.b.nan, got.b.inf) == (2, 3, 2, 2)
    assert got.max_abs == 0.5
    assert got.worst is not None
    assert (got.worst.index, got.worst.b) == ((2,), 3.0)
    assert math.isnan(got.worst.a)  # type: ignore[arg-type]
    assert measure(np.array([nan]), np.array([nan])).equal == 0


def test_zeros_are_not_close_to_anything() -> None:
    for size in (1e-30, 1e-6, 1.0, 1e30):
        gradient = (size * NUMBERS.standard_normal(1000)).astype("f4")
        got = measure(gradient, np.zeros_like(gradient), Tolerance(0.25, 0.25))
        assert got.close < got.size
        assert (got.rel_l2, got.cosine) == (1.0, 0.0)
        assert measure(np.zeros_like(gradient), gradient, Tolerance(0.25, 0.25)).close == 0
    constant = np.full(5, 3.0)
    assert measure(constant, np.zeros(5), Tolerance(0.25, 0.25)).close == 0
    both = measure(np.zeros(3), np.zeros(3))
    assert (both.close, both.cosine, both.rel_l2) == (3, 1.0, 0.0)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e307])
def test_numbers_whose_squares_float64_cannot_hold(size: float) -> None:
    a = size * np.array([1.0, -2.0, 3.0])
    b = size * np.array([1.0, -2.0, 4.0])
    got = measure(a, b, T)
    assert (got.equal, got.close) == (2, 2)
    assert got.rel_l2 == pytest.approx(1 / math.sqrt(14), rel=1e-3)
    assert got.cosine == pytest.approx(17 / math.sqrt(14 * 21), rel=1e-3)
    assert got.a.rms == pytest.approx(size * math.sqrt(14 / 3), rel=1e-3)
    assert got.max_abs == pytest.approx(size, rel=1e-3)
    opposite = measure(np.array([1.7e308]), np.array([-1.7e308]), T)
    assert (opposite.close, opposite.sign_changes) == (0, 1)


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        (1.0, np.nextafter(np.float32(1), np.float32(2)), 1),
        (1.0, np.nextafter(np.float32(1), np.float32(0)), 1),
        (-1.0, np.nextafter(np.float32(-1), np.float32(0)), 1),
        (0.0, -0.0, 0),
        (np.float32(1e-45), np.float32(-1e-45), 2),
        (0.0, np.float32(-1e-45), 1),
        (1.0, 2.0, 1 << 23),
        (-1.0, 1.0, 2 * 127 << 23),
        (np.finfo("f4").max, -np.finfo("f4").max, 2 * 0x7F7FFFFF),
    ],
)
def test_units_in_the_last_place(a: float, b: float, apart: int) -> None:
    got = measure(np.array([a], "f4"), np.array([b], "f4"))
    assert got.ulp is not None
    assert (got.ulp.p50, got.ulp.max) == (apart, apart)


def test_ulps_of_other_types() -> None:
    for dtype in ("f8", "f2", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        a = np.array([1.0, -1.0, 0.5], dtype)
        b = (a.view(f"i{a.itemsize}") + np.array([3, 1, 0], f"i{a.itemsize}")).view(dtype)
        got = measure(a, b)
        assert got.ulp is not None
        assert (got.ulp.p50, got.ulp.max, got.equal) == (1, 3, 1)
    a = NUMBERS.standard_normal(1000).astype("f4")
    got = measure(a, a.astype("f2"))
    assert got.ulp is not None
    assert got.ulp.max == 0
    assert got.equal == np.sum(a == a.astype("f2").astype("f4"))
    assert measure(a.astype("f8"), np.arange(1000)).ulp is None


def test_ulp_quantiles_are_the_ends_of_buckets() -> None:
    a = np.ones(1000, "f4")
    steps = np.zeros(1000, "i4")
    steps[400:600] = 1
    steps[600:950] = 3
    steps[950:] = 100
    got = measure(a, (a.view("i4") + steps).view("f4"))
    assert got.ulp is not None
    assert (got.ulp.p50, got.ulp.p90, got.ulp.p99, got.ulp.max) == (1, 4, 100, 100)


@pytest.mark.parametrize(
    ("a", "b", "dtypes"),
    [
        ((1 << 53) + 1, 1 << 53, ("i8", "i8")),
        ((1 << 63) - 1, -(1 << 63), ("i8", "i8")),
        ((1 << 64) - 1, (1 << 64) - 2, ("u8", "u8")),
        ((1 << 64) - 1, 5, ("u8", "i8")),
        (5, (1 << 63) + 1, ("i8", "u8")),
        (-5, 7, ("i8", "u8")),
        (-128, 127, ("i1", "i1")),
        (0, 255, ("i1", "u1")),
        (1, 0, ("?", "?")),
    ],
)
def test_whole_numbers_are_exact(a: int, b: int, dtypes: tuple[str, str]) -> None:
    x, y = np.array([a, 3 % 2], dtypes[0]), np.array([b, 3 % 2], dtypes[1])
    got = measure(x, y)
    assert (got.equal, got.close, got.max_abs) == (1, 1, abs(a - b))
    assert isinstance(got.max_abs, int)
    assert got.worst is not None
    assert (got.worst.index, got.worst.a, got.worst.b) == ((0,), a, b)
    assert got.error > 0
    assert measure(x, x.copy()).close == 2


def test_what_a_distance_beyond_64_bits_becomes() -> None:
    got = measure(np.array([-(1 << 63)]), np.array([(1 << 64) - 1], "u8"))
    assert (got.max_abs, got.close) == ((1 << 64) - 1, 0)


def test_whole_numbers_may_be_some_steps_off() -> None:
    a = NUMBERS.integers(-100, 100, 50_000).astype("i1")
    b = a + NUMBERS.integers(-2, 3, a.size).astype("i1")
    away = np.abs(a.astype(int) - b)
    for steps in (0, 1, 2):
        assert measure(a, b, Tolerance(1.0, 1.0, steps)).close == np.sum(away <= steps)
    got = measure(a, b)
    assert got.mean_abs == pytest.approx(away.mean())
    assert got.sign_changes == np.sum(np.sign(a) * np.sign(b) < 0)


def test_small_integers_of_ml_dtypes() -> None:
    a = np.array([-8, 7, 0], ml_dtypes.int4)
    got = measure(a, np.array([-8, 6, 0], ml_dtypes.int4))
    assert (got.equal, got.max_abs) == (2, 1)


def test_texts() -> None:
    got = measure(np.array(["a", "bc"]), np.array(["a", "bd"]))
    assert (got.size, got.equal, got.close) == (2, 1, 1)
    assert got.worst is not None
    assert (got.worst.index, got.worst.a, got.worst.b) == ((1,), "bc", "bd")
    assert measure(np.array([b"a"]), np.array(["a"])).equal == 1


def test_float64_against_float32_and_integers() -> None:
    a = NUMBERS.standard_normal(100)
    check(measure(a, a.astype("f4"), T), a, a.astype("f4"), T)
    whole = np.arange(1, 101)
    check(measure(whole, whole + 0.25, T), whole, whole + 0.25, T)


@pytest.mark.parametrize(
    ("a", "dtype", "b"),
    [
        ((1 << 53) + 1, "i8", 2.0**53),
        (-(1 << 53) - 1, "i8", -(2.0**53)),
        ((1 << 63) - 1, "i8", 2.0**63),
        ((1 << 64) - 1, "u8", 2.0**64),
        ((1 << 64) - 2049, "u8", 2.0**64 - 2048),
        ((1 << 53) + 1, "u8", np.inf),
    ],
)
def test_integers_beyond_those_of_float64(a: int, dtype: str, b: float) -> None:
    x, y = np.array([a, 3], dtype), np.array([b, 3.0])
    for got in (measure(x, y), measure(y, x)):
        assert (got.equal, got.close) == (1, 1)
        assert got.max_abs == (1 if np.isfinite(b) else 0)


def test_pytorch_agrees_on_what_is_close() -> None:
    import torch

    a = torch.randn(40_000, generator=torch.Generator().manual_seed(0))
    b = a * (1 + 1e-4 * torch.randn(40_000, generator=torch.Generator().manual_seed(1)))
    rms = float(a.double().square().mean().sqrt())
    for rtol, atol in ((1e-4, 1e-4), (1e-3, 1e-7), (0.0, 1e-4), (1e-4, 0.0)):
        close = torch.isclose(b.double(), a.double(), rtol=rtol, atol=atol * rms)
        got = measure(a.numpy(), b.numpy(), Tolerance(rtol, atol), record=True)
        assert got.close == int(close.sum())


def test_the_record_says_what_other_tolerances_would_give() -> None:
    a = NUMBERS.standard_normal(60_000).astype("f4")
    a[::100] = 0
    b = noisy(a, 1e-4) + (1e-7 * NUMBERS.standard_normal(a.size)).astype("f4")
    got = measure(a, b, T, record=True)
    for error, count in got.within:
        assert count == measure(a, b, Tolerance(error, error)).close
    for rtol, atol in got.bounds:
        assert measure(a, b, Tolerance(rtol, atol * (1 + 1e-9))).close == a.size
        if atol:
            assert measure(a, b, Tolerance(rtol, atol * (1 - 1e-9))).close == a.size - 1
    assert measure(a, b, Tolerance(got.error, got.error)).close == a.size
    assert measure(a, b, T) == type(got)(**{**vars(got), "within": (), "bounds": ()})


def test_sums_do_not_lose_digits() -> None:
    a = np.full(200_000, 0.1, "f4")
    b = a + np.float32(1e-3)
    exact = abs(Fraction(float(a[0])) - Fraction(float(b[0])))
    assert measure(a, b).mean_abs == pytest.approx(float(exact), rel=1e-14)


def test_shapes_must_be_the_same() -> None:
    with pytest.raises(ValueError, match="shapes"):
        measure(np.zeros(3), np.zeros((3, 2)))
    assert measure(np.zeros((0, 3)), np.zeros((0, 3))).size == 0
