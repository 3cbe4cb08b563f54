"""MindSpore's signatures to the letter: names, order and defaults of every API's parameters."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from msconvert.runtime.cells.cell import Cell
from msconvert.runtime.operations.operation import Primitive, constructor_of
from msconvert.tests.runtime import doc_runner
from msconvert.tests.runtime.test_coverage import KNOWN, found, is_present

Signatures = dict[str, list[list[str]] | None]

DIFFERENT = {
    "looks at its arguments itself": """
        COOTensor CSRTensor RowTensor SparseTensor _no_grad Tensor.amax Tensor.amin Tensor.init_data
        ops.Primitive ops.PrimitiveWithCheck ops.PrimitiveWithInfer ops.cond
    """,
    "takes more than MindSpore does": """
        Parameter Tensor.softmax ops.MultitypeFuncGraph ops.deepcopy mint.nn.ReLU mint.special.round
    """,
    "is the function of `ops`, with its names": """
        Tensor.approximate_equal Tensor.float_power Tensor.multiply mint.nn.Dropout2d
    """,
    "has no device to ask, and no effect": """
        Tensor.flush_from_cache empty_cache launch_blocking max_memory_allocated max_memory_reserved
        memory_allocated memory_reserved memory_stats memory_summary ms_memory_recycle
        reset_max_memory_allocated reset_max_memory_reserved reset_peak_memory_stats
        reset_stream_limit set_device_limit set_kernel_launch_capture set_kernel_launch_group
        set_memory set_stream_limit synchronize
    """,
    "has the default as a constant": "common.initializer.initializer ops.ReduceStd",
}
"""The names whose parameters are not MindSpore's, by the reason."""

LISTED = {f"mindspore.{name}" for names in DIFFERENT.values() for name in names.split()}


@pytest.fixture(scope="module")
def of_mindspore(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Signatures:
    """The parameters of every name in the real MindSpore, each of which it has."""
    folder = tmp_path_factory.mktemp("signatures")
    (folder / "names.json").write_text(json.dumps(sorted(KNOWN)))
    run_mindspore(folder, doc_runner.__file__, "signatures", "names.json", "found.json")
    known: Signatures = json.loads((folder / "found.json").read_text())
    return known


def of_runtime(name: str) -> list[list[str]] | None:
    made: Any = found(name)
    if isinstance(made, type) and made is not Cell and made.__init__ is Cell.__init__:
        return []
    if isinstance(made, type) and issubclass(made, Primitive) and made.function is not None:
        given = constructor_of(made.function).signature.parameters.values()
        return [
            [p.name, "" if p.default is p.empty else doc_runner.shown(p.default)] for p in given
        ]
    return doc_runner.parameters(made)


def test_the_names_are_mindspores(of_mindspore: Signatures) -> None:
    assert sorted(of_mindspore) == sorted(KNOWN)
    assert len(KNOWN) > 2500


def test_signatures_are_mindspores(of_mindspore: Signatures) -> None:
    wrong = []
    for name, expected in of_mindspore.items():
        if expected is None or not is_present(name):
            continue
        got = of_runtime(name)
        if name.startswith("mindspore.Tensor.") and got is not None and len(got) > len(expected):
            got = got[1:]  # a function that is a method: its first parameter is the tensor
        if (got == expected) == (name in LISTED):
            wrong.append(f"{name}: expected {expected}, got {got}")
    assert not wrong, "\n".join(wrong)
