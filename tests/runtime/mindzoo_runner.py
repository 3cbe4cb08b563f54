"""Runs recipes of `zoo/mindzoo` with one framework, in both modes; as a script, with its Python.

    python mindzoo_runner.py RECIPES.json RESULTS.pickle

Needs nothing but NumPy and `mindspore`, so that both sides run this very code. A recipe that fails
is an error's text; each recipe runs in a fork, so that one that ends its process takes no other.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import traceback
from pathlib import Path
from typing import Any

ZOO = Path(__file__).parent / "zoo"
RECIPES_OF_A_FORK = 40
"""How many recipes run in one fork: MindSpore's memory grows with each graph."""

Found = dict[str, Any] | str


def run(name: str) -> tuple[Found, Found]:
    """What the recipe gives in PyNative and in graph mode."""
    import mindspore as ms
    from mindzoo.recipes import RECIPES

    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            found.append(RECIPES[name]())
        except Exception as error:  # noqa: BLE001  the table tells it, and the next recipe runs
            place = traceback.format_exc().strip().splitlines()[-12:]
            found.append(f"error {type(error).__name__}: " + "\n".join(place))
    return found[0], found[1]


def records(file: Path) -> list[tuple[str, Found, Found]]:
    """What is in the file of results so far."""
    found = []
    with open(file, "rb") as stream:
        while True:
            try:
                found.append(pickle.load(stream))
            except EOFError:
                return found


def work(names: list[str], file: Path) -> None:
    with open(file, "ab") as stream:
        for name in names:
            pickle.dump((name, *run(name)), stream)
            stream.flush()


def main(recipes: str, results: str) -> None:
    names, file = json.loads(Path(recipes).read_text(encoding="utf-8")), Path(results)
    file.touch()
    while len(done := records(file)) < len(names):
        if (child := os.fork()) == 0:
            try:
                work(names[len(done) : len(done) + RECIPES_OF_A_FORK], file)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        if len(records(file)) == len(done):
            with open(file, "ab") as stream:
                pickle.dump((names[len(done)], "error: crashed", "error: crashed"), stream)


if __name__ == "__main__":
    sys.path.insert(0, str(ZOO))  # as users do: MindSpore compiles only what it can import
    main(*sys.argv[1:])
