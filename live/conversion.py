"""Converts what a program holds: a file, a model in memory, or the bytes of one."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from ..converter import convert as steps
from ..converter.conversion_report import ConversionReport
from ..converter.convert import Options
from ..errors import MsconvertError, UsageError
from . import tensorflow
from .converted import Converted, Progress, kept, silent
from .folder import Folder

if TYPE_CHECKING:
    from onnx import ModelProto

NAME = "model"
"""What a model is called that has no file."""


@overload
def convert(source: Options, progress: Progress = ...) -> ConversionReport: ...
@overload
def convert(
    source: str | os.PathLike[str] | bytes | ModelProto,
    progress: Progress = ...,
    *,
    name: str | None = ...,
    options: Options | None = ...,
) -> Converted: ...


def convert(
    source: Options | str | os.PathLike[str] | bytes | ModelProto,
    progress: Progress = silent,
    *,
    name: str | None = None,
    options: Options | None = None,
) -> ConversionReport | Converted:
    """Converts a model that is a file, a ModelProto or bytes of ONNX.

    `options` are the command's flags (its files are not looked at), `name` is for a model
    without a file. For `Options` alone the files are written, as the command does.
    Raises: MsconvertError, MS101 to MS110, MS903
    """
    if isinstance(source, Options) and tensorflow.kind_of(source.model_file) is None:
        return steps.convert(source, progress)  # without a folder, which a killed process leaves
    folder = Folder()
    if isinstance(source, Options):
        return steps.convert(onnx_options(source, folder.path), progress)
    wanted = Options() if options is None else options
    file = _file_of(source, folder.path, named(name))
    wanted = replace(wanted, model_file=file)
    return kept(onnx_options(wanted, folder.path), folder, progress)


def onnx_options(options: Options, folder: Path) -> Options:
    """The options with an ONNX file: one of TensorFlow's becomes one in `folder`.

    Raises: MS102, MS903, see `tensorflow.as_onnx`
    """
    kind = tensorflow.kind_of(options.model_file)
    if kind is None:
        return options
    made = tensorflow.as_onnx(options, kind, folder)
    return replace(options, model_file=made, input_nodes=None, output_nodes=None)


def named(name: str | None) -> str:
    """The name of a model. Raises: MS105 for what is no name of a file"""
    if name is None:
        return NAME
    if not name or Path(name).name != name or name in (".", "..") or "\0" in name:
        problem, advice = "it is no name for a model", 'a plain word such as "resnet50"'
        raise UsageError("MS105", "name", problem, got=name, advice=advice)
    return name


def _file_of(source: str | os.PathLike[str] | bytes | ModelProto, folder: Path, name: str) -> Path:
    """The file of a model, made in `folder` if it has none. Raises: MS102 for anything else"""
    if isinstance(source, str | os.PathLike):
        return Path(source)
    content = bytes(source) if isinstance(source, bytes | bytearray | memoryview) else None
    if content is None:
        content = _serialised(source)
    file = folder / f"{name}.onnx"
    file.write_bytes(content)
    return file


def _serialised(model: object) -> bytes:
    """The bytes of a ModelProto. Raises: MS102 for what is none, or has over 2 GB"""
    from google.protobuf.message import EncodeError
    from onnx import ModelProto

    if not isinstance(model, ModelProto):
        got = type(model).__name__
        expected = "a path, a ModelProto, bytes of ONNX or Options"
        advice = "convert_module for a PyTorch module"
        raise UsageError("MS102", "source", "no model", got=got, expected=expected, advice=advice)
    try:
        return model.SerializeToString()
    except (EncodeError, ValueError) as error:  # of protobuf, by its version
        advice = "onnx.save(model, path, save_as_external_data=True), and give the path"
        problem = "the model is too large for one message"
        raise MsconvertError("MS102", "source", problem, got=str(error), advice=advice) from error
