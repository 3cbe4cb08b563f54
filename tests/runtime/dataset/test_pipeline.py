"""Data sets and their steps: each row with the real MindSpore and with the runtime."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import msconvert.runtime.dataset as ds
import msconvert.runtime.dataset.vision as V
from msconvert.runtime.dataset.mersenne import Mersenne
from msconvert.runtime.dataset.node import Run
from msconvert.tests.runtime.dataset.pipeline_rows import EVERY
from msconvert.tests.runtime.dataset.rows import Outcomes, Row


@pytest.fixture(scope="module")
def outcomes(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Outcomes:
    return Outcomes(EVERY, tmp_path_factory.mktemp("pipeline"), run_mindspore)


@pytest.mark.parametrize("row", EVERY, ids=lambda row: row.code)
def test_row(row: Row, outcomes: Outcomes) -> None:
    assert outcomes.difference(row) == ""


def numbers(count: int = 40, **options: Any) -> ds.Dataset:
    return ds.NumpySlicesDataset(np.arange(count), "a", shuffle=False, **options)


def values(data: ds.Dataset, epochs: int = 1) -> list[Any]:
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [row[0].tolist() for _ in range(epochs) for row in rows]


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("processes", [False, True])
def test_workers_keep_the_order(workers: int, processes: bool) -> None:
    data = numbers().map(
        slow_double, "a", num_parallel_workers=workers, python_multiprocessing=processes
    )
    assert values(data, 2) == [2 * n for n in range(40)] * 2


def slow_double(x: np.ndarray) -> np.ndarray:
    time.sleep(0.001)
    return x * 2


@pytest.mark.parametrize("side", [20, 90])  # which are worth no threads, and some
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_seed_repeats_random_operations(workers: int, side: int) -> None:
    """Whichever thread is the faster one; with other numbers of threads as MindSpore does:
    `programs/draws.py`."""
    images = np.random.RandomState(0).randint(0, 256, (37, side, side, 3)).astype(np.uint8)
    runs = []
    for _ in range(2):
        ds.config.set_seed(11)
        data = ds.NumpySlicesDataset(images, "image")
        operations = [V.RandomResizedCrop(64), V.RandomHorizontalFlip(), V.RandomColorAdjust(0.3)]
        data = data.map(operations, "image", num_parallel_workers=workers)
        runs.append(values(data, 2))
    ds.config.set_seed(ds.config.DEFAULT)
    assert runs[0] == runs[1]
    assert runs[0][:37] != runs[0][37:]


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (lambda x: 1 / 0, {}),
        (lambda x: 1 / 0, {"num_parallel_workers": 2}),
        (lambda x: 1 / 0, {"num_parallel_workers": 2, "python_multiprocessing": True}),
        (lambda x: os._exit(3), {"num_parallel_workers": 2, "python_multiprocessing": True}),
        (lambda x: os._exit(0), {"num_parallel_workers": 1, "python_multiprocessing": True}),
        (lambda x: (x, x), {"num_parallel_workers": 2}),
    ],
)
def test_what_fails_is_told_and_leaves_nobody(
    function: Callable[..., Any], options: dict[str, Any]
) -> None:
    before = threading.active_count()
    with pytest.raises(RuntimeError, match="MS314"):
        values(numbers().map(function, "a", **options))
    assert multiprocessing.active_children() == []
    assert threading.active_count() == before


def failing(number: int) -> tuple[int]:
    if number == 13:
        raise ValueError("number 13")
    return (number,)


class Failing:
    def __len__(self) -> int:
        return 20

    __getitem__ = staticmethod(failing)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ds.GeneratorDataset(Failing(), ["a"], shuffle=False, num_parallel_workers=2),
        lambda: numbers(20).map(
            lambda n: failing(int(n)), "a", num_parallel_workers=2, python_multiprocessing=True
        ),
    ],
)
def test_an_error_comes_out_of_a_process_as_it_was(make: Callable[[], ds.Dataset]) -> None:
    with pytest.raises(RuntimeError, match=r"row 13[^$]*ValueError: number 13"):
        values(make())
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("taken", [1, 2, 5])
@pytest.mark.parametrize("processes", [False, True])
def test_a_loop_that_is_left_leaves_nobody(taken: int, processes: bool) -> None:
    before = threading.active_count()
    data = numbers().map(slow_double, "a", num_parallel_workers=2, python_multiprocessing=processes)
    for number, _ in enumerate(data.create_tuple_iterator()):
        if number == taken:
            break
    gc.collect()
    assert multiprocessing.active_children() == []
    assert threading.active_count() == before


def test_for_ever_is_for_ever() -> None:
    assert values(numbers(3).repeat().take(10)) == [0, 1, 2] * 3 + [0]


@pytest.mark.parametrize("count", [0, 1, 3, 9, 20])
def test_only_so_many_rows_are_made_ahead(count: int) -> None:
    made: list[int] = []

    def source() -> Iterator[tuple[int]]:
        for n in range(10_000):
            made.append(n)
            yield (n,)

    data = ds.GeneratorDataset(source, ["a"]).map(
        slow_double, "a", num_parallel_workers=2, python_multiprocessing=False
    )
    rows = iter(data)
    for _ in range(count):
        next(rows)
    assert len(made) < count + 400


def test_sync_wait_lets_pass_what_was_updated() -> None:
    told: list[Any] = []
    data = numbers(6).sync_wait("go", 1, told.append).batch(2)
    found = []
    for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        found.append(row[0].tolist())
        data.sync_update("go", data=len(found))
    assert found == [[0, 1], [2, 3], [4, 5]]
    assert told == [1, 2, 3]


def test_sync_wait_gives_up() -> None:
    ds.config.set_callback_timeout(1)
    with pytest.raises(RuntimeError, match="sync_update"):
        values(numbers(6).sync_wait("go"))
    ds.config.set_callback_timeout(60)


@pytest.mark.parametrize("seed", [0, 1, 5, 2**32 - 1])
@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_a_shuffled_order_has_each_row_once(seed: int, count: int) -> None:
    order = list(range(count))
    Mersenne(seed).shuffle(order)
    assert sorted(order) == list(range(count))


@pytest.mark.parametrize(
    ("make", "given"),
    [
        (lambda **given: numbers().map(lambda x: x, **given), "cache"),
        (lambda **given: ds.MnistDataset("absent", **given), "cache"),
        (lambda **given: ds.ImageFolderDataset("absent", **given), "decrypt"),
        (lambda **given: ds.CocoDataset("absent", "absent", **given), "decrypt"),
        (lambda **given: ds.VOCDataset("absent", **given), "cache"),
        (lambda **given: ds.TextFileDataset("absent", **given), "cache"),
        (lambda **given: ds.RandomDataset(3, **given), "cache"),
        (lambda **given: ds.MindDataset("absent", **given), "cache"),
    ],
)
def test_what_would_be_without_effect_is_refused(make: Callable[..., Any], given: str) -> None:
    with pytest.raises(AttributeError, match=rf"MS301[^\n]*\n?[^\n]*{given}"):
        make(**{given: object()})


def test_a_run_makes_what_a_node_keeps_once() -> None:
    made: list[int] = []
    node, run = numbers().node, Run()

    def empty() -> list[int]:
        made.append(1)
        return []  # which is not true

    assert run.state(node, empty) is run.state(node, empty)
    assert made == [1]
