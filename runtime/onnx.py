"""`mindspore.onnx`."""

from __future__ import annotations

from typing import Any

from .cells.cell import Cell
from .checkpoint import require
from .export import Options, write_model

__all__ = ["export"]


def export(
    net: Any,
    *inputs: Any,
    file_name: str,
    input_names: list[str] | None = None,
    output_names: list[str] | None = None,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: dict[str, dict[int, str]] | None = None,
) -> None:
    """Writes `net` as an ONNX file, as `mindspore.onnx.export`; see `mindspore.export`."""
    require("export", "net", net, Cell)
    require("export", "file_name", file_name, str)
    given = input_names, output_names, dynamic_axes
    options = Options.of(*given, export_params, keep_initializers_as_inputs)
    write_model(file_name, net, inputs, options)
