"""save_checkpoint, load_checkpoint, load_param_into_net; `formats/` reads and writes the files."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import MsconvertError
from ..formats import read_weights, write_weights
from . import dtype as dtypes
from .cell import Cell
from .dtype import DType
from .failure import ShapeError
from .parameter import Parameter
from .tensor import Tensor

logger = logging.getLogger("msconvert.runtime")

Choice = Callable[[str], bool]

SIGNED_INTEGERS = frozenset({dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64})


class CheckpointMismatchError(MsconvertError, RuntimeError):
    """MS303: a checkpoint does not fit the network."""


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: Mapping[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Choice | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
) -> None:
    """Writes a Cell, a dictionary, or a list of {"name", "data"} as a checkpoint.

    `append_dict` adds numbers, texts and Tensors. The file is replaced whole or not at all.
    Raises: MS302 for encryption, MS305 for what the format cannot hold
    """
    if enc_key is not None:
        raise MsconvertError("MS302", ckpt_file_name, "encryption is not supported")
    target = os.fspath(ckpt_file_name)
    if not target.endswith(f".{format}"):
        target += f".{format}"
    items = [(n, v) for n, v in entries_of(save_obj) if choice_func is None or choice_func(n)]
    items += list((append_dict or {}).items())
    stored = ((name, v if isinstance(v, str) else Tensor(v).asnumpy()) for name, v in items)
    write_weights(target, stored, format, force=True)


def entries_of(save_obj: Any) -> Iterator[tuple[str, Any]]:
    """Names and values to save. Raises: TypeError for anything but a Cell, list or dict."""
    if isinstance(save_obj, Cell):
        yield from save_obj.state_dict().items()
    elif isinstance(save_obj, Mapping):
        yield from save_obj.items()
    elif isinstance(save_obj, list):
        yield from ((entry["name"], entry["data"]) for entry in save_obj)
    else:
        raise TypeError(
            "For 'save_checkpoint', the argument 'save_obj' must be list, dict or nn.cell, "
            f"but got {type(save_obj)}."
        )


def load_checkpoint(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | list[str] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | list[str] | None = None,
    choice_func: Choice | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """The parameters of a checkpoint by name, and loaded into `net` if it is given.

    The arrays are views of the mapped file: nothing is read before it is needed.
    Raises: MS302 if the file is damaged, ValueError if no parameter is left
    """
    chosen = prefix_filter(filter_prefix, specify_prefix) or choice_func
    parameters: dict[str, Any] = {}
    for name, stored in read_weights(ckpt_file_name).items():
        if chosen is None or chosen(name):
            parameters[name] = (
                stored
                if isinstance(stored, str)
                else Parameter(Tensor.from_numpy(stored.array()), name=name)
            )
    if not parameters:
        raise ShapeError(ckpt_file_name, "no parameter is left after filtering")
    if net is not None:
        load_param_into_net(net, parameters, strict_load)
    return parameters


def prefix_filter(excluded: Any, included: Any) -> Choice | None:
    """A test of names by prefixes, or None if there are none."""
    out, only = (
        (p,) if isinstance(p, str) else tuple(p) if p is not None else ()
        for p in (excluded, included)
    )
    if not (out or only):
        return None
    return lambda name: not name.startswith(out) and (not only or name.startswith(only))


def load_param_into_net(
    net: Cell,
    parameter_dict: Mapping[str, Any],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Sets the parameters of `net` by name.

    Returns the names that `net` has and the dictionary has not, and the reverse. Unless
    `strict_load`, element types are converted, and a prefix of all names is ignored.
    Raises: MS303 (a RuntimeError) for another shape or element type; nothing is loaded then
    """
    check_arguments(net, parameter_dict)
    wanted = {p.name: p for p in net.get_parameters()}
    plan = {name: name for name in wanted if name in parameter_dict}
    missing = [name for name in wanted if name not in plan]
    unused = [name for name in parameter_dict if name not in plan]
    if missing and not strict_load:
        plan |= behind_prefix(missing, parameter_dict)
        missing = [name for name in missing if name not in plan]
    new = {n: fitted(wanted[n], parameter_dict[source], strict_load) for n, source in plan.items()}
    for name, value in new.items():
        wanted[name].assign_value(value.asnumpy())
    if missing:
        logger.warning(
            "For 'load_param_into_net', %d parameters in the 'net' are not loaded, because they "
            "are not in the 'parameter_dict': %s",
            len(missing),
            missing,
        )
    return missing, unused


def check_arguments(net: Any, parameter_dict: Any) -> None:
    if not isinstance(net, Cell):
        raise TypeError(f"For 'load_param_into_net', 'net' should be a Cell, but got {type(net)}.")
    if not isinstance(parameter_dict, Mapping):
        raise TypeError(
            f"For 'load_param_into_net', 'parameter_dict' should be a dict, "
            f"but got {type(parameter_dict)}."
        )


def behind_prefix(missing: list[str], parameter_dict: Mapping[str, Any]) -> dict[str, str]:
    """The missing names that are there with one prefix before all of them."""
    for wanted in missing:
        source = next((n for n in parameter_dict if n.endswith(wanted)), None)
        if source is not None:
            prefix = source[: -len(wanted)]
            return {n: prefix + n for n in missing if prefix + n in parameter_dict}
    return {}


def fitted(parameter: Parameter, value: Any, strict: bool) -> Tensor:
    """`value` as `parameter` can take it. Raises: MS303 if it does not fit."""
    new = value if isinstance(value, Tensor) else Tensor(value)
    if new.shape != parameter.shape and not (new.size == parameter.size == 1):
        raise mismatch(parameter.name, "another shape", str(new.shape), str(parameter.shape))
    if new.dtype is not parameter.dtype:
        if strict or not convertible(new.dtype, parameter.dtype):
            kinds = new.dtype.name, parameter.dtype.name
            raise mismatch(parameter.name, "another element type", *kinds)
        new = Tensor(new, parameter.dtype)
    shaped = new.asnumpy()
    return new if new.shape == parameter.shape else Tensor(shaped.reshape(parameter.shape))


def convertible(a: DType, b: DType) -> bool:
    return {a, b} <= dtypes.FLOATS or {a, b} <= SIGNED_INTEGERS


def mismatch(name: str, problem: str, got: str, expected: str) -> CheckpointMismatchError:
    return CheckpointMismatchError(
        "MS303",
        f"parameter '{name}'",
        f"the checkpoint has {problem}",
        got=got,
        expected=expected,
        advice="check that the checkpoint was saved from this network",
    )
