"""Which row torch.func's functions have, and what of them is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.table.target import Target

from .running import migrated

CUBES = """import torch

{line}
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.sum(x ** 3)

print(torch.func.hessian(f)(torch.tensor([1.0, 2.0])))
"""
MAPPED = """import torch
from torch import nn
from torch.func import functional_call, vmap

net = nn.Linear(2, 1)
f = lambda x: {call} + torch.rand(1)
print(vmap(f, randomness="{randomness}")(torch.ones(8, 2)))
"""


def refused(folder: Path, code: str) -> list[str]:
    return [use.refusal for use in migrated(folder, code, Target.BUNDLED).left]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("# no functional_call is used in this file", 0),
        ('TEXT = "functional_call"', 0),
        ("from torch.func import functional_call", 0),
        ("g = torch.func.functional_call", 1),
    ],
)
def test_a_file_calls_networks_with_weights_where_it_uses_the_function(
    tmp_path: Path, line: str, count: int
) -> None:
    found = refused(tmp_path, CUBES.format(line=line))
    assert len([text for text in found if "second derivatives" in text]) == count


@pytest.mark.parametrize("call", ["functional_call(net, {}, (x,))", "net(x)"])
def test_the_same_random_numbers_for_all_parts_are_refused(tmp_path: Path, call: str) -> None:
    found = refused(tmp_path, MAPPED.format(call=call, randomness="same"))
    assert [text for text in found if "draw the numbers before" in text]
    for other in ("different", "error"):
        assert refused(tmp_path, MAPPED.format(call=call, randomness=other)) == []
