"""ModelCheckpoint: when a checkpoint is saved, what it is called, and which ones stay."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ....formats import FORMATS
from ... import log
from ...cells.cell import Cell
from ...checkpoint import refuse_key, save_checkpoint, saving
from ...engine.argument import check_choice, check_int, check_type
from ...engine.failure import ElementTypeError, SettingError, ShapeError
from ...engine.parameter import Parameter
from ...engine.tensor import Tensor
from ..folder import made_folder
from .callback import Callback, RunContext

COUNTED = ("epoch_num", "step_num")
"""What `append_info` may ask for by its name."""

BREAKPOINT = "_breakpoint.ckpt"
"""How the file ends that is saved when a training fails."""


class CheckpointConfig:
    """When checkpoints are saved, how many are kept, and what is in them.

    save_checkpoint_steps goes before save_checkpoint_seconds, keep_checkpoint_max before
    keep_checkpoint_per_n_minutes. append_info: "epoch_num", "step_num", a dictionary of values.
    Raises: MS301 for what needs several devices or a key
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list[Any] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        name = "CheckpointConfig"
        numbers = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        for argument, number in numbers.items():
            if number is not None:
                check_int(name, argument, number, 0)
        if not any(numbers.values()):
            raise ShapeError(
                name, "nothing says when to save or what to keep",
                expected="a save_checkpoint_steps, save_checkpoint_seconds, keep_checkpoint_max or "
                "keep_checkpoint_per_n_minutes that is not 0",
            )  # fmt: skip
        if saved_network is not None:
            check_type(name, "saved_network", saved_network, Cell)
        self.save_checkpoint_steps = save_checkpoint_steps
        self.save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        by_number = bool(keep_checkpoint_max) or not keep_checkpoint_per_n_minutes
        self.keep_checkpoint_max = keep_checkpoint_max or (1 if by_number else keep_checkpoint_max)
        self.keep_checkpoint_per_n_minutes = (
            None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        )
        self.integrated_save = check_type(name, "integrated_save", integrated_save, bool)
        self.async_save = checked_async(async_save)
        self.saved_network = saved_network
        self.append_dict = appended(append_info)
        self.exception_save = check_type(name, "exception_save", exception_save, bool)
        self.crc_check = as_mindspore(name, "crc_check", crc_check, bool)
        self.format = as_mindspore(name, "format", format, str)
        self.enc_key = as_mindspore(name, "enc_key", enc_key, type(None), bytes)
        self.enc_mode = as_mindspore(name, "enc_mode", enc_mode, str)
        refuse_key(name, "enc_key", enc_key)
        refuse_several_devices(remove_redundancy, kwargs)
        self.refuse_format()

    map_param_inc = False
    """MindSpore's increments of map parameters, which there are none of."""

    def refuse_format(self) -> None:
        """Raises: ValueError (MS304) for a format that does not go with the rest."""
        check_choice("CheckpointConfig", "format", self.format, FORMATS)
        others = self.crc_check or self.exception_save or self.enc_mode != "AES-GCM"
        if self.format == "safetensors" and others:
            raise ShapeError(
                "CheckpointConfig", "safetensors go without crc_check, exception_save and enc_mode",
                advice="leave them out, or take format='ckpt'",
            )  # fmt: skip

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """When is saved, and what is kept, as a dictionary."""
        names = (
            "save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max",
            "keep_checkpoint_per_n_minutes", "saved_network",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


def as_mindspore(where: str, name: str, value: Any, *kinds: type) -> Any:
    """`value`. Raises: ValueError (MS304), where MindSpore does for a wrong type."""
    if not isinstance(value, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise ShapeError(where, f"{name} is of a wrong type", got=repr(value), expected=expected)
    return value


def checked_async(async_save: Any) -> bool | str:
    check_type("CheckpointConfig", "async_save", async_save, bool, str)
    if isinstance(async_save, str):
        check_choice("CheckpointConfig", "async_save", async_save, ("process", "thread"))
    return async_save  # type: ignore[no-any-return]  # checked


def refuse_several_devices(remove_redundancy: Any, others: dict[str, Any]) -> None:
    """Raises: MS301 for what only several devices have, and for names that nothing has."""
    as_mindspore("CheckpointConfig", "remove_redundancy", remove_redundancy, bool)
    asked = [name for name, value in others.items() if value is not False]
    if remove_redundancy or asked:
        raise SettingError(
            f"CheckpointConfig: {', '.join(asked) or 'remove_redundancy'}",
            "the runtime is one process, and has no such setting",
            advice="leave it out: a checkpoint of one process holds each parameter once",
        )


def appended(info: Any) -> dict[str, Any] | None:
    """What `append_info` asks for, by name. Raises: TypeError, ValueError (MS304)."""
    if info is None or (isinstance(info, list) and not info):
        return None
    where = "CheckpointConfig: append_info"
    check_type(where, "it", info, list)
    for element in info:
        check_type(where, "an element", element, str, dict)
        if isinstance(element, str):
            check_choice(where, "an element", element, COUNTED)
    given = [element for element in info if isinstance(element, dict)]
    if len(given) > 1:
        raise ElementTypeError(where, "it has several dictionaries", got=str(len(given)))
    found: dict[str, Any] = {name: 0 for name in COUNTED if name in info}
    for key, value in [item for one in given for item in one.items()]:
        check_type(where, "a key", key, str)
        check_type(where, key, value, bool, int, float, str, Parameter, Tensor)
        found[key] = value
    return found


class ModelCheckpoint(Callback):
    """Saves checkpoints as PREFIX-EPOCH_STEP.ckpt, as `config` says, and one at the end.

    Where there are files of that prefix, a number behind it keeps them apart. prefix and
    directory may be functions of the run's parameters. MindSpore's PREFIX-graph.meta is not
    written: nothing but MindSpore reads it.
    """

    def __init__(
        self,
        prefix: str | Callable[[Any], str] = "CKP",
        directory: str | Callable[[Any], str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        self._config = CheckpointConfig() if config is None else config
        check_type("ModelCheckpoint", "config", self._config, CheckpointConfig)
        self._prefix_func = prefix if callable(prefix) else None
        self._directory_func = directory if callable(directory) else None
        self._prefix = self._exception_prefix = "" if callable(prefix) else checked_prefix(prefix)
        self._directory = os.getcwd()
        if directory is not None and not callable(directory):
            self._directory = made_folder("ModelCheckpoint", directory)
        if self._prefix_func is None and self._directory_func is None:
            self._prefix = fresh_prefix(self._directory, self._prefix)
        self._latest_ckpt_file_name = ""
        self._last_triggered_step = 0
        self._last_time = self.saved_at = time.time()
        self._append_dict = self._config.append_dict or {}
        self.counted_before = {name: self._append_dict.get(name, 0) for name in COUNTED}
        self.kept = KeptFiles(self._config)

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the checkpoint that was saved last."""
        return self._latest_ckpt_file_name

    def step_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        self.name_by(told)
        if told.cur_step_num != self._last_triggered_step and self.is_due(told.cur_step_num):
            self.save(told)

    def end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        config = self._config
        saves = config.save_checkpoint_steps or config.save_checkpoint_seconds
        if saves and told.cur_step_num not in (0, self._last_triggered_step):
            self.save(told)
        if config.async_save is not False:
            saving.wait()

    def name_by(self, told: Any) -> None:
        """Asks the functions for prefix and directory."""
        if self._prefix_func is not None:
            self._prefix = checked_prefix(self._prefix_func(told))
        if self._directory_func is not None:
            self._directory = made_folder("ModelCheckpoint", self._directory_func(told))

    def is_due(self, step: int) -> bool:
        if self._config.save_checkpoint_steps:
            return step >= self._last_triggered_step + self._config.save_checkpoint_steps
        seconds, now = self._config.save_checkpoint_seconds, time.time()
        if not seconds or now - self._last_time <= seconds:
            return False
        self._last_time = now
        return True

    def save(self, told: Any) -> None:
        """Saves a checkpoint; removes an older one, if there are too many."""
        step = (told.cur_step_num - 1) % told.batch_num + 1
        name = f"{self._prefix}-{told.cur_epoch_num}_{step}"
        name = self._prefix if self._prefix_func is not None else name
        file = os.path.join(self._directory, f"{name}.{self._config.format}")
        made_folder("ModelCheckpoint", self._directory)
        self.kept.make_room(self._directory, self._prefix, self.saved_at)
        self.saved_at, self._last_triggered_step = time.time(), told.cur_step_num
        self.count(told.cur_epoch_num, told.cur_step_num)
        chosen = self._config.saved_network
        self.write(told.train_network if chosen is None else chosen, file)
        self.kept.saved.append(file)
        self._latest_ckpt_file_name = file

    def count(self, epoch: int, step: int) -> None:
        """Sets the numbers that `append_info` asks for."""
        for name, number in zip(COUNTED, (epoch, step), strict=True):
            if name in self._append_dict:
                self._append_dict[name] = self.counted_before[name] + number

    def write(self, network: Cell, file: str) -> None:
        config = self._config
        save_checkpoint(
            network, file, config.integrated_save, config.async_save, self._append_dict,
            crc_check=config.crc_check, format=config.format,
        )  # fmt: skip

    def save_at_failure(self, network: Cell, epoch: int, step: int) -> None:
        """With exception_save: PREFIX-EPOCH_STEP_breakpoint.ckpt, of a training that fails."""
        prefix = fresh_prefix(self._directory, self._exception_prefix, BREAKPOINT)
        self.count(epoch, step)
        self.write(network, os.path.join(self._directory, f"{prefix}-{epoch}_{step}{BREAKPOINT}"))


def checked_prefix(prefix: Any) -> str:
    """`prefix`. Raises: ValueError (MS304) if it cannot begin a file's name."""
    if not isinstance(prefix, str) or "/" in prefix:
        raise ShapeError(
            "ModelCheckpoint", "the prefix cannot begin a file's name", got=repr(prefix),
            expected="text without '/', or a function that gives it",
            advice="say where to save with directory=",
        )  # fmt: skip
    return prefix


def fresh_prefix(folder: str, prefix: str, ending: str = "") -> str:
    """`prefix`, with the next number behind it if the folder has checkpoints of it."""
    number = 0
    for name in os.listdir(folder):
        stem, extension = os.path.splitext(name)
        if name.endswith(BREAKPOINT) is not bool(ending):
            continue
        rest = stem[len(prefix) :]
        if extension[1:] not in FORMATS or not name.startswith(prefix) or rest[:1].isalpha():
            continue
        before, dash, _ = rest.partition("-")
        if dash and not before:
            number = max(number, 1)
        elif dash and before[1:].isdigit():
            number = max(number, int(before[1:]) + 1)
    return f"{prefix}_{number}" if number else prefix


class KeptFiles:
    """The checkpoints of one prefix in a folder, the oldest of which make room."""

    def __init__(self, config: CheckpointConfig) -> None:
        self.most = config.keep_checkpoint_max
        self.minutes = config.keep_checkpoint_per_n_minutes
        self.format = config.format
        self.saved: list[str] = []

    def files(self, folder: str, prefix: str) -> list[str]:
        """From old to new: those of this run in their order, as times may be equal."""
        ending = f".{self.format}"
        names = [n for n in os.listdir(folder) if n.startswith(f"{prefix}-") and n.endswith(ending)]
        middles = {name: name[len(prefix) : -len(ending)] for name in names}
        found = [n for n in names if not any(char.isalpha() for char in middles[n])]
        paths = [os.path.join(folder, name) for name in found]
        return sorted(paths, key=lambda path: (self.place(path), os.path.getmtime(path)))

    def place(self, path: str) -> int:
        return self.saved.index(path) if path in self.saved else -1

    def make_room(self, folder: str, prefix: str, saved_at: float) -> None:
        """Removes what the next checkpoint takes the place of."""
        files = self.files(folder, prefix)
        now = time.time()
        if self.most:
            surplus = files[:1] if len(files) >= self.most else []
        elif self.minutes and now - saved_at < self.minutes * 60:
            recent = [f for f in files if now - os.path.getmtime(f) < self.minutes * 60]
            surplus = recent[1:]
        else:
            surplus = []
        for file in surplus:
            removed(file)


def removed(file: str) -> None:
    """Removes a file; says so if it cannot be."""
    try:
        os.chmod(file, stat.S_IWRITE)
        Path(file).unlink()
    except OSError as error:
        log.warning("The older checkpoint %s cannot be removed: %s", file, error)
