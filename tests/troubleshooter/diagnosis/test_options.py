"""What is said of options that differ: in words that can be acted upon."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from msconvert.runtime import nn
from msconvert.tests.troubleshooter.diagnosis.recorded import (
    pair_of,
    runtime_record,
    torch,
    torch_record,
)
from msconvert.troubleshooter.diagnosis import compare_options

X = np.zeros((2, 4, 3, 3), np.float32)


def test_momentum_is_told_as_it_has_to_be_written() -> None:
    """MindSpore keeps what it is given as 1 - momentum: the code says 0.1 where 0.9 is told."""
    ours = torch_record(torch.nn.BatchNorm2d(4), X)
    theirs = runtime_record(nn.BatchNorm2d(4, momentum=0.1), X)
    (told,) = compare_options(pair_of(ours, theirs))
    assert told.text == (
        "momentum: 0.1 on the reference, 0.9 here "
        "(MindSpore's is 1 minus that, the weight of the old statistics: write 0.9, not 0.1)"
    )
    assert compare_options(pair_of(ours, runtime_record(nn.BatchNorm2d(4, momentum=0.9), X))) == ()


def test_of_mint_momentum_is_told_as_it_stands() -> None:
    ours = torch_record(torch.nn.BatchNorm2d(4), X)
    theirs = replace(torch_record(torch.nn.BatchNorm2d(4, momentum=0.9), X), side="runtime",
                     kind="mindspore.mint.nn.BatchNorm2d")  # fmt: skip
    (told,) = compare_options(pair_of(ours, theirs))
    assert told.text == "momentum: 0.1 on the reference, 0.9 here"
