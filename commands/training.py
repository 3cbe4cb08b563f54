"""The options of `msconvert compare` that train both networks, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ..troubleshooter.compare import NetworkSettings
    from ..troubleshooter.training import TrainingComparison

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

PARTS = ("train", "loss", "optimizer", "schedule")
"""What says how networks are trained; each has an option for B, too."""

STEPS = 12

OPTIONS = (
    click.option(
        "--train",
        metavar="FILE:NAME",
        help="Train both, and name the first thing that differs: NAME(net) of the script gives "
        "step(*batch) -> loss, or NAME(net, batches) is the whole loop.",
    ),
    click.option(
        "--train-b",
        metavar="FILE:NAME",
        help="The same of B. Default: the same name in the file that lies beside B as A's script "
        "beside A, else in B's own.",
    ),
    *(
        click.option(
            f"--{name}{end}",
            metavar="EXPR|FILE:NAME",
            help=f"B's {word}. Default: as A's." if end else text,
        )
        for name, word, text in (
            ("loss", "loss", "Train with this loss of output and last input, as nn.MSELoss()."),
            (
                "optimizer",
                "optimiser",
                'Train with this optimiser of `params`, as "optim.SGD(params, 0.1)".',
            ),
            (
                "schedule",
                "schedule",
                "And with this schedule, of `optimizer`; or as `schedule` in the optimiser's.",
            ),
        )
        for end in ("", "-b")
    ),
    click.option(
        "--epoch",
        type=click.IntRange(1, 10**6),
        default=4,
        metavar="N",
        help="With --train: so many batches are an epoch. Default: 4",
    ),
)


def training_options(function: Decorated) -> Decorated:
    """The command with the options above, in their order."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def training_flags(flags: dict[str, Any]) -> dict[str, Any]:
    """Takes the options above out of the flags of the command."""
    names = [name + end for name in PARTS for end in ("", "_b")]
    return {name: flags.pop(name) for name in (*names, "epoch")}


def is_training(given: dict[str, Any]) -> bool:
    return any(given[name] is not None for name in given if name != "epoch")


def compared(a: str, b: str, given: dict[str, Any], network: NetworkSettings) -> TrainingComparison:
    """Both networks trained."""
    from ..troubleshooter.training import TrainingSettings, compare_training

    pairs = {name: (given[name], given[f"{name}_b"]) for name in PARTS}
    steps = network.steps or STEPS
    return compare_training(
        a, b, settings=TrainingSettings(network, **pairs, steps=steps, epoch=given["epoch"])
    )
