"""Data sets and their pipelines: rows, types and orders as MindSpore gives them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import msconvert.runtime.dataset as ds

CASES = {
    "slices": "ds.NumpySlicesDataset((f, i), ['a', 'b'], shuffle=False)",
    "slices of a dictionary": "ds.NumpySlicesDataset({'a': f, 'b': i}, shuffle=False)",
    "one array": "ds.NumpySlicesDataset(f, 'a', shuffle=False)",
    "numbered": "ds.GeneratorDataset(Squares(), ['n', 'x', 'y', 's'], shuffle=False)",
    "in turn": "ds.GeneratorDataset(counted, ['n'])",
    "first ones": "ds.GeneratorDataset(Squares(), list('nxys'), shuffle=False, num_samples=2)",
    "by a sampler": "ds.GeneratorDataset(Squares(), list('nxys'), sampler=[3, 0, 3])",
    "a share": "ds.NumpySlicesDataset(i, 'a', shuffle=False, num_shards=2, shard_id=1)",
    "batches": "ds.NumpySlicesDataset((f, i), ['a', 'b'], shuffle=False).batch(3)",
    "full batches": "ds.NumpySlicesDataset(i, 'a', shuffle=False).batch(3, drop_remainder=True)",
    "own batches": "ds.NumpySlicesDataset(i, 'a', shuffle=False)"
    ".batch(2, per_batch_map=lambda rows, info: ([r * 2 for r in rows],), input_columns=['a'])",
    "mapped": "ds.NumpySlicesDataset((f, i), ['a', 'b'], shuffle=False)"
    ".map(lambda x: x + 1, 'a').map([lambda y: y * 2, lambda y: y - 1], ['b'])",
    "mapped to others": "ds.NumpySlicesDataset((f, i), ['a', 'b'], shuffle=False)"
    ".map(lambda x: (x, x * 2), ['b'], ['c', 'd'])",
    "repeated": "ds.NumpySlicesDataset(i, 'a', shuffle=False).take(2).repeat(3)",
    "the rest": "ds.NumpySlicesDataset(i, 'a', shuffle=False).skip(5)",
    "some columns": "ds.NumpySlicesDataset((f, i), ['a', 'b'], shuffle=False)"
    ".rename('b', 'c').project(['c', 'a'])",
}

PROGRAM = """
import json, sys
import numpy as np
ds = __import__(sys.argv[1] + ".dataset", fromlist=["dataset"])
f, i = np.arange(14, dtype=np.float32).reshape(7, 2), np.arange(7)

class Squares:
    def __len__(self):
        return 4
    def __getitem__(self, n):
        return n, np.float32(n), [n, n * n], "word"

def counted():
    for n in range(3):
        yield (np.array([n], np.int32),)

def told(value):
    array = value.asnumpy() if hasattr(value, "asnumpy") else value
    return [type(value).__name__, str(array.dtype), list(array.shape), array.tolist()]

found = {}
for name, code in json.loads(sys.argv[2]).items():
    data = eval(code)
    rows = [[told(value) for value in row] for row in data]
    named = [{k: told(v) for k, v in row.items()} for row in data.create_dict_iterator()]
    numpy = [[told(v) for v in row] for row in data.create_tuple_iterator(output_numpy=True)]
    found[name] = [rows, named, numpy, len(data), data.get_col_names(), data.get_batch_size()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def of_runtime() -> dict[str, list]:
    command = [sys.executable, "-c", PROGRAM, "msconvert.runtime", json.dumps(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    found: dict[str, list] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def of_mindspore(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list]:
    folder: Path = tmp_path_factory.mktemp("dataset")
    printed = run_mindspore(folder, "-c", PROGRAM, "mindspore", json.dumps(CASES))
    found: dict[str, list] = json.loads(printed.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", CASES)
def test_rows(name: str, of_runtime: dict[str, list], of_mindspore: dict[str, list]) -> None:
    assert of_runtime[name] == of_mindspore[name]


def values(data: ds.Dataset) -> list[int]:
    return [row[0].item() for row in data]


def test_orders_are_random_unless_told() -> None:
    numbers = np.arange(40)
    assert sorted(values(ds.NumpySlicesDataset(numbers, "a"))) == numbers.tolist()
    assert values(ds.NumpySlicesDataset(numbers, "a")) != numbers.tolist()
    shuffled = values(ds.NumpySlicesDataset(numbers, "a", shuffle=False).shuffle(40))
    assert sorted(shuffled) == numbers.tolist() != shuffled


def test_a_seed_repeats_the_order() -> None:
    ds.config.set_seed(3)
    first = values(ds.NumpySlicesDataset(np.arange(40), "a"))
    ds.config.set_seed(3)
    assert values(ds.NumpySlicesDataset(np.arange(40), "a")) == first
    assert ds.config.get_seed() == 3
