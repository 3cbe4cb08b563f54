"""JSON on several lines is what the standard library writes, byte for byte."""

from __future__ import annotations

import json
import random

import pytest

from msconvert.reporting.indented import indented

PLAIN = (
    None,
    True,
    False,
    0,
    -7,
    2**70,
    0.1,
    -0.0,
    1e300,
    float("inf"),
    float("nan"),
    "",
    'a "quoted" \\ word\n',
    "\x1b[2J\u202e\u2028\ud800",
    "größer 中",
    [],
    (),
    {},
)


def drawn(rng: random.Random, depth: int) -> object:
    """A value whose parts are drawn, so many deep at most."""
    kind = rng.randrange(4) if depth else 0
    if kind == 1:
        return [drawn(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 2:
        return {str(rng.choice(PLAIN)): drawn(rng, depth - 1) for _ in range(rng.randrange(4))}
    return rng.choice(PLAIN)


@pytest.mark.parametrize("seed", range(50))
def test_it_is_what_the_standard_library_writes(seed: int) -> None:
    value = drawn(random.Random(seed), depth=5)
    assert indented(value) == json.dumps(value, indent=2)


@pytest.mark.parametrize("value", [object(), {1: 2}, [{None: 1}], {"a": {3}}])
def test_what_json_has_not_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        indented(value)
