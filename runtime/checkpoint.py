"""save_checkpoint, load_checkpoint, load_param_into_net; `formats/` reads and writes the files."""

from __future__ import annotations

import io
import logging
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MsconvertError
from ..formats import FORMATS, read_weights, write_weights
from ..formats.stored import Checkpoint, StoredTensor
from .cells.cell import Cell
from .engine import dtype as dtypes
from .engine.dtype import Array, DType
from .engine.failure import ShapeError
from .engine.parameter import Parameter
from .engine.tensor import LazyTensor, Pending, Tensor

logger = logging.getLogger("msconvert.runtime")

Choice = Callable[[str], bool]
Prefix = str | list[str] | tuple[str, ...] | None

SIGNED_INTEGERS = frozenset({dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64})
SAVING = "asyn_save_ckpt"
"""The name of MindSpore's saving thread."""


class CheckpointMismatchError(MsconvertError, RuntimeError):
    """MS303: a checkpoint does not fit the network."""


class UnsupportedError(MsconvertError, NotImplementedError):
    """MS301: what MindSpore's own format or keys would be needed for."""


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Choice | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Writes a Cell, a dictionary, or a list of Parameters or {"name", "data"} as a checkpoint.

    `append_dict` adds numbers, texts and Tensors. The file is replaced whole or not at all; with
    `async_save` a thread writes what the values are now. `crc_check` lets readers see damage.
    Raises: MS301 for encryption, MS305 for what the format cannot hold
    """
    target = target_of(save_obj, ckpt_file_name, format)
    require("save_checkpoint", "integrated_save", integrated_save, bool)
    require("save_checkpoint", "crc_check", crc_check, bool)
    require("save_checkpoint", "enc_mode", enc_mode, str)
    require("save_checkpoint", "async_save", async_save, (bool, str))
    if isinstance(async_save, str) and async_save not in ("process", "thread"):
        raise ShapeError("save_checkpoint", "'async_save' must be 'process' or 'thread'")
    refuse_key("save_checkpoint", "enc_key", enc_key)
    metadata = {}
    if kwargs.get("remove_redundancy") is not None:
        require("save_checkpoint", "remove_redundancy", kwargs["remove_redundancy"], bool)
        metadata["remove_redundancy"] = str(kwargs["remove_redundancy"])
    entries = [*entries_of(save_obj, choice_func), *appended(append_dict)]
    items = [(name, array_or_text(value, copy=async_save is not False)) for name, value in entries]

    def write() -> None:
        write_weights(target, items, format, force=True, crc=crc_check, metadata=metadata)

    saving.wait()
    if async_save is False:
        write()
    else:
        saving.start(target, write)


class Saving:
    """The one checkpoint that is being written behind the program's back."""

    thread: threading.Thread | None = None

    def wait(self) -> None:
        if self.thread is not None:
            self.thread.join()

    def start(self, target: str, write: Callable[[], None]) -> None:
        def run() -> None:
            try:
                write()
            except MsconvertError as error:
                logger.error("Failed to save the checkpoint file %s.\n%s", target, error)

        self.thread = threading.Thread(target=run, name=SAVING)
        self.thread.start()


saving = Saving()


def async_ckpt_thread_status() -> bool:
    """Whether a checkpoint is being written by `async_save`."""
    return any(thread.name == SAVING for thread in threading.enumerate())


def require(where: str, argument: str, value: Any, kind: Any) -> None:
    """Raises: TypeError if `value` is not of `kind`."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(k.__name__ for k in kinds)
        raise TypeError(
            f"For '{where}', the parameter '{argument}' must be {wanted}, but got {type(value)}."
        )


def refuse_key(where: str, argument: str, key: Any) -> None:
    require(where, argument, key, (bytes, type(None)))
    if key is not None:
        raise UnsupportedError(
            "MS301",
            f"{where}: {argument}",
            "checkpoints are neither encrypted nor decrypted here",
            advice="encrypt the file itself; in MindSpore, save it again without enc_key",
        )


def target_of(save_obj: Any, name: Any, format: str) -> str:
    """The path to write. Raises: TypeError, ValueError, IsADirectoryError as MindSpore does."""
    if format not in FORMATS:
        raise ShapeError(
            "save_checkpoint",
            "the format must be 'safetensors' or 'ckpt'",
            got=str(format),
        )
    require("save_checkpoint", "save_obj", save_obj, (Cell, list, dict))
    require("save_checkpoint", "ckpt_file_name", name, str)
    if os.path.isdir(name):
        raise IsADirectoryError(f"For 'save_checkpoint', {name} is a directory, not a file name.")
    return name if name.endswith(format) else f"{name}.{format}"


def entries_of(save_obj: Any, chosen: Choice | None) -> Iterable[tuple[str, Any]]:
    """The names and values to save. Raises: TypeError for what is neither text nor Tensor."""
    if isinstance(save_obj, Cell):
        found: list[Any] = [(p.name, p) for p in save_obj.get_parameters()]
    elif isinstance(save_obj, dict):
        found = list(save_obj.items())
    else:
        found = [named(entry) for entry in save_obj]
    for name, value in found:
        require("save_checkpoint", "a name", name, str)
        require("save_checkpoint", name, value, (Tensor, np.ndarray, str))
    return [(n, v) for n, v in found if chosen is None or chosen(n)]


def named(entry: Any) -> tuple[str, Any]:
    """Name and value of an element of a list: a Parameter, or {"name", "data"}."""
    if isinstance(entry, Parameter):
        return entry.name, entry
    if not (isinstance(entry, dict) and "name" in entry and "data" in entry):
        raise TypeError(
            "For 'save_checkpoint', a list 'save_obj' must hold Parameters, or dictionaries with "
            f"'name' and 'data', but got {type(entry)}."
        )
    require("save_checkpoint", "data", entry["data"], Tensor)
    return entry["name"], entry["data"]


def appended(append_dict: Any) -> Iterable[tuple[str, Any]]:
    """The items of `append_dict`; numbers become Tensors."""
    if append_dict is None:
        return []
    require("save_checkpoint", "append_dict", append_dict, dict)
    for key, value in append_dict.items():
        require("save_checkpoint", "a key of append_dict", key, str)
        require("save_checkpoint", key, value, (int, float, bool, str, Tensor))
    return [(k, v if isinstance(v, (str, Tensor)) else Tensor(v)) for k, v in append_dict.items()]


def array_or_text(value: Any, copy: bool) -> Array | str:
    if isinstance(value, str):
        return value
    array: Array = value.asnumpy() if isinstance(value, Tensor) else value
    return array.copy() if copy else array


def load_checkpoint(
    ckpt_file_name: Any,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Prefix = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Prefix = None,
    choice_func: Choice | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """The parameters of a checkpoint by name, and loaded into `net` if it is given.

    The structure is checked whole before anything is returned, the CRC-32 always if the file has
    one; the numbers of a parameter are read when they are first needed.
    Raises: MS302 (a ValueError) if the file is damaged, ValueError if no parameter is left
    """
    by_prefix = prefix_filter(filter_prefix, specify_prefix)
    refuse_key("load_checkpoint", "dec_key", dec_key)
    require("load_checkpoint", "dec_mode", dec_mode, str)
    require("load_checkpoint", "crc_check", crc_check, bool)
    require("load_checkpoint", "remove_redundancy", remove_redundancy, bool)
    held = opened(ckpt_file_name, format)
    if crc_check and not held.has_crc:
        logger.warning("For 'load_checkpoint', %s has no CRC-32 to check.", ckpt_file_name)
    chosen = choice_func if by_prefix is None else by_prefix
    names = sorted(held) if format == "safetensors" else list(held)
    parameters: dict[str, Any] = {
        name: loaded(held[name]) for name in names if chosen is None or chosen(name)
    }
    if not parameters:
        raise ShapeError(str(ckpt_file_name), "no parameter is left after filtering")
    if net is not None:
        load_param_into_net(net, parameters, strict_load, remove_redundancy)
    return parameters


def opened(source: Any, format: str) -> Checkpoint:
    """The checkpoint `source`, a path or (safetensors) a BytesIO, read lazily."""
    if format not in FORMATS:
        raise ShapeError(
            "load_checkpoint", "the format must be 'safetensors' or 'ckpt'", got=str(format)
        )
    if isinstance(source, io.BytesIO) and format == "safetensors":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "given.safetensors"
            path.write_bytes(source.getvalue())
            return read_weights(path)
    require("load_checkpoint", "ckpt_file_name", source, str)
    if not source.endswith(format):
        raise ShapeError(source, "the file's name and 'format' differ", expected=f"*.{format}")
    return read_weights(source, format)


class InFile(Pending):
    """An array that can be read as often as it is wanted."""


def loaded(stored: StoredTensor | str) -> Parameter | str:
    """A stored value as `load_checkpoint` gives it."""
    if isinstance(stored, str):
        return stored
    held = InFile(stored.shape, stored.dtype, stored.copied)
    return Parameter(LazyTensor(held), name=stored.name)


def prefix_filter(excluded: Prefix, included: Prefix) -> Choice | None:
    """A test of names by prefixes, or None if there are none."""
    out, only = (prefixes(p) for p in (excluded, included))
    if not (out or only):
        return None
    return lambda name: not name.startswith(out) and (not only or name.startswith(only))


def prefixes(given: Prefix) -> tuple[str, ...]:
    """Raises: TypeError, ValueError as MindSpore does."""
    if given is None:
        return ()
    require("load_checkpoint", "filter_prefix or specify_prefix", given, (str, list, tuple))
    found = (given,) if isinstance(given, str) else tuple(given)
    for prefix in found:
        require("load_checkpoint", "a prefix", prefix, str)
    if not found or "" in found:
        raise ShapeError("load_checkpoint", "a prefix is empty")
    return found


@dataclass(frozen=True)
class ParamDictFuture:
    """What `load_checkpoint_async` gives."""

    executor: ThreadPoolExecutor
    param_dict_future: Future[dict[str, Any]]

    def result(self) -> dict[str, Any]:
        """Waits for `load_checkpoint`'s result."""
        found = self.param_dict_future.result()
        self.executor.shutdown()
        return found


def load_checkpoint_async(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Prefix = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Prefix = None,
    choice_func: Choice | None = None,
) -> ParamDictFuture:
    """`load_checkpoint` in a thread; its `result()` waits."""
    format = "safetensors" if ckpt_file_name.endswith(".safetensors") else "ckpt"
    executor = ThreadPoolExecutor(max_workers=1)
    future = executor.submit(
        load_checkpoint,
        ckpt_file_name,
        net,
        strict_load,
        filter_prefix,
        dec_key,
        dec_mode,
        specify_prefix,
        choice_func,
        format=format,
    )
    return ParamDictFuture(executor, future)


def load_param_into_net(
    net: Cell,
    parameter_dict: dict[str, Any],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Sets the parameters of `net` by name.

    Returns the names that `net` has and the dictionary has not, and the reverse. Unless
    `strict_load`, element types are converted, and prefixes of names are ignored.
    Raises: MS303 (a RuntimeError) for another shape or element type; nothing is loaded then
    """
    check_arguments(net, parameter_dict, strict_load, remove_redundancy)
    wanted = {p.name: p for p in net.get_parameters()}
    values = {n: v for n, v in parameter_dict.items() if isinstance(v, Parameter)}
    plan = {name: name for name in wanted if name in values}
    missing = [name for name in wanted if name not in parameter_dict]
    unused = [name for name in parameter_dict if name not in plan]
    if missing and not strict_load:
        plan |= behind_prefix(missing, values)
        missing = [name for name in missing if name not in plan]
    refuse_changed_name(missing, {n: values[n] for n in unused if n in values}, wanted)
    new = {n: fitted(wanted[n], values[source], strict_load) for n, source in plan.items()}
    for name, array in new.items():
        wanted[name].assign_value(array)
    if missing:
        logger.warning(
            "For 'load_param_into_net', %d parameters in the 'net' are not loaded, because they "
            "are not in the 'parameter_dict': %s",
            len(missing),
            missing,
        )
    return missing, unused


def check_arguments(net: Any, parameter_dict: Any, strict: Any, remove_redundancy: Any) -> None:
    require("load_param_into_net", "net", net, Cell)
    require("load_param_into_net", "parameter_dict", parameter_dict, dict)
    for key, value in parameter_dict.items():
        require("load_param_into_net", "a key of parameter_dict", key, str)
        require("load_param_into_net", key, value, (Parameter, str, list))
    require("load_param_into_net", "strict_load", strict, bool)
    require("load_param_into_net", "remove_redundancy", remove_redundancy, bool)
    if remove_redundancy:
        raise TypeError(
            "The deduplication feature for loading checkpoint can only be used in parallel "
            "scenarios, but got stand_alone."
        )


WELL_KNOWN = 3
"""So many parameters must fit before one that nearly does is taken for a damaged name."""


def refuse_changed_name(
    missing: list[str], unused: dict[str, Parameter], wanted: dict[str, Parameter]
) -> None:
    """Raises: MS303 if the one missing name is there, but for one character."""
    if len(missing) != 1 or len(wanted) <= WELL_KNOWN:
        return
    name = missing[0]
    for other, value in unused.items():
        changed = sum(a != b for a, b in zip(name, other, strict=False))
        if len(name) == len(other) and changed == 1 and value.shape == wanted[name].shape:
            problem = "the checkpoint has it under a name that differs in one character"
            raise mismatch(name, problem, other, name, "copy the file again, or rename it there")


def behind_prefix(missing: list[str], values: Mapping[str, Any]) -> dict[str, str]:
    """The missing names that are there with a prefix before them, one prefix after the other."""
    found: dict[str, str] = {}
    tried: set[str] = set()
    while True:
        left = [name for name in missing if name not in found]
        ends = (n[: -len(name)] for name in left for n in values if n.endswith(name))
        prefix = next((p for p in ends if p not in tried), None)
        if prefix is None:
            return found
        tried.add(prefix)
        found |= {name: prefix + name for name in left if prefix + name in values}


def fitted(parameter: Parameter, value: Parameter, strict: bool) -> Array:
    """`value` as an array of its own for `parameter`. Raises: MS303 if it does not fit."""
    rank, shape = len(parameter.shape), value.shape
    if shape != parameter.shape:
        longer = shape[:rank] == parameter.shape and all(n == 1 for n in shape[rank:])
        if not longer:
            problem = "the checkpoint has another shape"
            raise mismatch(parameter.name, problem, str(shape), str(parameter.shape))
    if value.dtype is not parameter.dtype and (
        strict or not convertible(value.dtype, parameter.dtype)
    ):
        kinds = value.dtype.name, parameter.dtype.name
        problem = "the checkpoint has another element type"
        raise mismatch(parameter.name, problem, *kinds)
    held = value.held
    fresh = held.make() if isinstance(held, InFile) else np.array(value.asnumpy())
    return fresh.astype(parameter.dtype.numpy, copy=False).reshape(parameter.shape)


def convertible(a: DType, b: DType) -> bool:
    return {a, b} <= dtypes.FLOATS or {a, b} <= SIGNED_INTEGERS


SAME_NETWORK = "check that the checkpoint was saved from this network"


def mismatch(
    name: str, problem: str, got: str, expected: str, advice: str = SAME_NETWORK
) -> CheckpointMismatchError:
    return CheckpointMismatchError(
        "MS303", f"parameter '{name}'", problem, got=got, expected=expected, advice=advice
    )
