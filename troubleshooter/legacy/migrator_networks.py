"""`NetDifferenceFinder` of MindSpore's former migration tool, as a call of `compare_networks`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MsconvertError, UsageError, harmless
from ...formats.npy import read_npy
from ...numerics.rounding import Allowance
from ..compare import NetworkComparer, NetworkComparison, NetworkSettings

WHERE = "NetDifferenceFinder"
OWN_WEIGHTS, COPIED, MINDTORCH = 0, 1, 2
"""What `auto_conv_ckpt` may be."""


class NetDifferenceFinder:
    """Compares a PyTorch network with one of MindSpore's or the runtime's, layer by layer.

    `auto_conv_ckpt`: 1 gives the second one the first one's weights while they are compared, 0
    leaves each with its own. `pt_params_path`, `ms_params_path`: files to compare with; with the
    latter nothing is copied. `fix_seed` is what random numbers begin with. `compare_params` makes
    no difference: weights are always compared. Where `print_level` is 0 nothing is printed.
    `inputs`, `auto_inputs`: for `start_compare`. Both networks are afterwards as they were.
    Raises: MS401 for an argument of another kind
    """

    def __init__(
        self,
        pt_net: Any,
        ms_net: Any,
        print_level: int = 1,
        *,
        pt_params_path: str | None = None,
        ms_params_path: str | None = None,
        auto_conv_ckpt: int = COPIED,
        compare_params: bool = True,
        fix_seed: int = 16,
        inputs: Any = None,
        auto_inputs: Any = None,
        print_result: bool = True,
        **unknown: Any,
    ) -> None:
        if unknown:
            advice = "what is compared is returned: found.to_json(), compare.as_html.to_html(found)"
            known = "pt_params_path, ms_params_path, auto_conv_ckpt, compare_params, fix_seed"
            got = ", ".join(sorted(unknown))
            raise UsageError(
                "MS401", WHERE, "has no such argument", got=got, expected=known, advice=advice
            )
        if auto_conv_ckpt not in (OWN_WEIGHTS, COPIED):
            raise UsageError(
                "MS401",
                WHERE,
                "auto_conv_ckpt is neither 0 nor 1",
                got=repr(auto_conv_ckpt),
                advice="networks of MindTorch are not known: give both as MindSpore's, and 0",
            )
        self.networks = pt_net, ms_net
        self.printing = bool(print_level) and print_result
        self.given = inputs, auto_inputs
        self.settings = NetworkSettings(
            weights_a=None if pt_params_path is None else Path(pt_params_path),
            weights_b=None if ms_params_path is None else Path(ms_params_path),
            copy_weights=bool(auto_conv_ckpt),
            seed=fix_seed or 0,
            mode="eval",
        )

    def compare(
        self,
        inputs: Any = None,
        auto_inputs: Any = None,
        rtol: float | None = None,
        atol: float | None = None,
        equal_nan: bool = False,
    ) -> tuple[NetworkComparison, ...]:
        """A comparison for each input, printed as well.

        `inputs`: a tuple of arguments, or a list of such; each is an array, a tensor or the path of
        an .npy file. `auto_inputs`: shapes and element types of random ones,
        `(((1, 3, 8, 8), np.float32),)`, or {"input": such a tuple, "num": how many}. What rounding
        explains is the same; so is, if they are given, what is off by `rtol` of a tensor's largest
        element, or by `atol` of its root mean square. NaN counts as equal to NaN in any case.
        Raises: MS401 for inputs of another form, and as `compare_networks`
        """
        made = None if auto_inputs is None else made_cases(auto_inputs, self.settings.seed)
        cases = list(given_cases(inputs) if made is None else made)
        if not cases:
            advice = "finder.compare(auto_inputs=(((1, 3, 224, 224), np.float32),))"
            raise UsageError("MS401", WHERE, "there are no inputs", advice=advice)
        settings = self.settings
        if rtol is not None or atol is not None:
            usual = Allowance()
            given = replace(usual, rtol=usual.rtol if rtol is None else rtol, atol=atol or 0.0)
            settings = replace(settings, allowance=given)
        with NetworkComparer() as comparer:
            return tuple(self._compared(comparer, settings, case) for case in cases)

    def start_compare(self) -> tuple[NetworkComparison, ...]:
        """The same with the inputs that were given to the constructor."""
        return self.compare(*self.given)

    def _compared(
        self, comparer: NetworkComparer, settings: NetworkSettings, case: tuple[Any, ...]
    ) -> NetworkComparison:
        found = comparer.compare(*self.networks, settings, inputs=case)
        if self.printing:
            sys.stdout.write(harmless(f"{found}\n"))
        return found


def given_cases(inputs: Any) -> Iterator[tuple[Any, ...]]:
    """Each call's arguments."""
    if inputs is None:
        return
    several = inputs if isinstance(inputs, list) else [inputs]
    for case in several:
        if not isinstance(case, tuple):
            raise wrong_form("inputs", case, "a tuple of tensors, or a list of such tuples")
        yield tuple(loaded(argument) for argument in case)


def loaded(argument: Any) -> Any:
    """The array of a path, else the argument. Raises: MS401"""
    if not isinstance(argument, str | os.PathLike):
        return argument
    try:
        (tensor,) = read_npy(argument).tensors().values()
        return np.array(tensor.array())
    except MsconvertError as error:
        problem = "is no .npy file of an array"
        raise UsageError("MS401", os.fspath(argument), problem, got=error.problem) from error


def made_cases(wanted: Any, seed: int) -> Iterator[tuple[Any, ...]]:
    """Random arguments of these shapes and element types: normal, as the former tool's."""
    shapes, count = wanted, 1
    if isinstance(wanted, Mapping) and {"input", "num"} <= wanted.keys():
        shapes, count = wanted["input"], wanted["num"]
    form = '((shape, dtype), ...), or {"input": ((shape, dtype), ...), "num": 2}'
    if not isinstance(shapes, tuple | list) or not isinstance(count, int):
        raise wrong_form("auto_inputs", wanted, form)
    numbers = np.random.RandomState(seed)
    for _ in range(count):
        try:
            yield tuple(np.asarray(numbers.randn(*s)).astype(dtype) for s, dtype in shapes)
        except (TypeError, ValueError) as error:
            raise wrong_form("auto_inputs", wanted, form) from error


def wrong_form(name: str, got: Any, expected: str) -> UsageError:
    return UsageError(
        "MS401", WHERE, f"{name} are of another form", got=repr(got)[:80], expected=expected
    )
