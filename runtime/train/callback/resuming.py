"""Callbacks that let a training be ended from outside, and go on later."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType
from typing import Any

from ....formats.storage.opening import json_of
from ... import log
from ...checkpoint import load_checkpoint, save_checkpoint
from ...engine.argument import check_int, check_type
from ...engine.failure import ShapeError
from ..folder import made_folder
from .callback import Callback, RunContext
from .checkpoint import as_mindspore

MAX_BYTES = 1 << 20
"""Of a file that asks for the end of a training."""


class BackupAndRestore(Callback):
    """Loads BACKUP_DIR/backup.ckpt at the beginning if there is one; saves it every `save_freq`
    epochs.

    `delete_checkpoint` removes it when the training is done, but not when it is interrupted.
    """

    def __init__(
        self, backup_dir: str, save_freq: Any = "epoch", delete_checkpoint: bool = True
    ) -> None:
        self.backup_file = os.path.join(made_folder("BackupAndRestore", backup_dir), "backup.ckpt")
        by_epoch = isinstance(save_freq, str) and save_freq == "epoch"
        self.save_freq = 1 if by_epoch else save_freq
        check_int("BackupAndRestore", "save_freq", self.save_freq, 1)
        self.delete_checkpoint = check_type(
            "BackupAndRestore", "delete_checkpoint", delete_checkpoint, bool
        )

    def on_train_begin(self, run_context: RunContext) -> None:
        if os.path.exists(self.backup_file):
            load_checkpoint(self.backup_file, net=run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        if told.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(told.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.delete_checkpoint and not run_context.interrupted:
            Path(self.backup_file).unlink(missing_ok=True)


class OnRequestExit(Callback):
    """Ends a training or an evaluation behind the step in which the signal `sig` comes.

    So does {"GracefulExit": 1} in the file `config_file`. save_ckpt writes
    DIRECTORY/rank_0/FILE_NAME_train.ckpt (or _eval) then, which the next training begins with.
    A MindIR file is not written: save_mindir is accepted, and a warning says so at that moment.
    This is what MindSpore documents; version 2.10 goes on to the last epoch, unless the network
    has parameters of its own for it.
    """

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str | None = "./",
        config_file: str | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        name = "OnRequestExit"
        self.save_ckpt = as_mindspore(name, "save_ckpt", save_ckpt, bool)
        self.save_mindir = as_mindspore(name, "save_mindir", save_mindir, bool)
        self.sig = as_mindspore(name, "sig", sig, int)
        if sig == getattr(signal, "SIGKILL", None):
            raise ShapeError(name, "no process can answer SIGKILL", expected="signal.SIGTERM")
        self.exit = False
        self.config_file = config_file
        self.former: Any = None
        if save_ckpt or save_mindir:
            whole = made_folder(name, os.getcwd() if directory is None else directory)
            folder = made_folder(name, os.path.join(whole, "rank_0"))
            self.train_name = os.path.join(folder, f"{file_name}_train")
            self.eval_name = os.path.join(folder, f"{file_name}_eval")

    def pressed(self, number: int, frame: FrameType | None) -> None:
        self.exit = True

    def __exit__(self, *err: Any) -> None:
        """The signal means again what it did before."""
        if self.former is not None:
            signal.signal(self.sig, self.former)
            self.former = None

    def listen(self) -> None:
        if self.former is None:
            self.former = signal.signal(self.sig, self.pressed)

    def on_train_begin(self, run_context: RunContext) -> None:
        self.listen()
        if self.save_ckpt:
            load_first(run_context.original_args().train_network, self.train_name)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        self.exit = self.exit or asks_to_exit(self.config_file)

    def on_train_step_end(self, run_context: RunContext) -> None:
        if self.exit:
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        if self.exit:
            self.save(run_context.original_args().train_network, "train")

    def on_eval_begin(self, run_context: RunContext) -> None:
        self.listen()
        if self.save_ckpt:
            network = run_context.original_args().eval_network
            load_first(network, self.eval_name, self.train_name)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        if self.exit:
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        if self.exit:
            self.save(run_context.original_args().eval_network, "eval")

    def save(self, network: Any, mode: str) -> None:
        if self.save_ckpt:
            save_checkpoint(network, self.train_name if mode == "train" else self.eval_name)
        if self.save_mindir:
            log.warning(
                "OnRequestExit: no MindIR file is written here; save_mindir=False says so, and "
                "mindspore.export(..., file_format='ONNX') writes the network."
            )


def load_first(network: Any, *names: str) -> None:
    """Loads the first of these checkpoints that there is."""
    for name in names:
        if os.path.isfile(f"{name}.ckpt"):
            load_checkpoint(f"{name}.ckpt", net=network)
            return


def asks_to_exit(file: str | None) -> bool:
    """Whether the file holds {"GracefulExit": 1}; a file that is being written holds nothing."""
    if file is None or not os.path.exists(file):
        return False
    try:
        held = json_of(Path(file), MAX_BYTES)
    except (OSError, ValueError) as error:
        log.warning("OnRequestExit: %s cannot be read as JSON: %s", file, error)
        return False
    return isinstance(held, dict) and held.get("GracefulExit") == 1
