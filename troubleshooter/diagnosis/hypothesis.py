"""What is told of a layer that differs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hypothesis:
    """One cause that was tried in numbers.

    `text`: "agrees if epsilon is 1e-05 (here: 0.001)": what the candidate must be changed to.
    `cause`: its name in `causes.CAUSES`, or one of `VERDICTS`.
    `agrees`: whether the candidate's output is explained but for rounding.
    `error_before`, `error_after`: ||a - b|| / ||b|| of the candidate's output and what the
    reference's layer gives for its inputs; then with the one thing changed. Infinite where shapes
    differ.
    """

    text: str
    cause: str
    agrees: bool
    error_before: float
    error_after: float


VERDICTS = {
    "unmodelled": "what this layer computes does not follow from its options and weights, on "
    "either side: nothing was tried",
    "inputs": "the layer does what the reference does, for inputs that are not the reference's",
}
"""What a hypothesis can be that is no cause in the layer."""


@dataclass(frozen=True)
class OptionDifference:
    """A hyper-parameter that the reference has set otherwise.

    `name` is that of a layer's field in `layers`; `text` as in
    "eps: 1e-05 on the reference, 0.001 here (MindSpore's default is 1e-07)".
    """

    name: str
    text: str
    reference: object
    candidate: object
