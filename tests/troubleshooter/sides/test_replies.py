"""Which values are what a method of another process gives."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.troubleshooter.sides.child.messages import (
    Call,
    Failure,
    Held,
    Layer,
    Leaf,
    Outcome,
    Recording,
    Stored,
    Tensor,
    Value,
)
from msconvert.troubleshooter.sides.replies import is_reply

HELD = Held("a", (Layer("a", ("b",)),), "a", (2, 3), "float32", True)
LEAF = Leaf("y", Tensor("float32", np.ones(2)), 0, 0.5, np.array([True]))


@pytest.mark.parametrize(
    ("method", "value"),
    [
        *(("begin", True), ("fill", None), ("construct", ()), ("construct", (HELD, HELD))),
        *(("state", {"a": np.ones(2)}), ("run", Outcome((LEAF,))), ("floor", ((1.0, 2), ()))),
        *(("step", Failure("E", "m")), ("begin", Failure("E", "m", "f", 3))),
        ("record", Recording((), (), np.ones((2, 3)))),
    ],
)
def test_what_methods_give(method: str, value: Any) -> None:
    assert is_reply(method, value)


@pytest.mark.parametrize(
    ("method", "value"),
    [
        *(("begin", 1), ("begin", None), ("fill", False), ("construct", [HELD]), ("run", None)),
        *(("construct", (HELD, LEAF)), ("construct", (replace(HELD, shape=[2]),))),
        *(("construct", (replace(HELD, layers=(7,)),)), ("state", {3: np.ones(2)})),
        *(("state", {"a": [1.0]}), ("state", {"a": np.array([{}])}), ("floor", ((1.0, "2"),))),
        *(("run", Outcome(LEAF)), ("run", Outcome((replace(LEAF, noise="0"),)))),
        *(("step", Failure(7, "m")), ("step", Failure("E", "m", line="3"))),
    ],
)
def test_what_they_do_not_give(method: str, value: Any) -> None:
    assert not is_reply(method, value)


def recording(stored: Stored) -> Recording:
    value = Value("x", "float32", stored.shape, "d", 0, stored)
    return Recording((), (Call(0, "", 0, -1, 0, 1, True, (value,), ()),), np.ones((1, 2)))


@pytest.mark.parametrize(
    "changes",
    [
        *({"offset": 41}, {"offset": -1}, {"shape": (3, 4)}, {"shape": (-1, -10)}),
        *({"dtype": "O"}, {"dtype": "junk"}, {"dtype": ""}, {"file": "pipe"}, {"file": "link"}),
        *({"file": "."}, {"file": "nothing"}, {"file": "a\0"}, {"shape": (10**30,)}),
    ],
    ids=repr,
)
def test_recorded_arrays_are_where_they_are_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(bytes(80))
    os.mkfifo("pipe")
    Path("link").symlink_to("file")
    stored = Stored("file", 40, "<f4", (2, 5))
    assert is_reply("record", recording(stored))
    assert is_reply("record", recording(replace(stored, shape=(0, 5))))
    assert not is_reply("record", recording(replace(stored, **changes)))
