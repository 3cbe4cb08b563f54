"""Profiler and profile, as MindSpore has them; what only Ascend can measure has no effect."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

from .. import log
from ..engine.argument import check_type
from ..engine.failure import RefusedError
from ..train.folder import made_folder
from .files import write_files
from .recorder import Recorder
from .schedule import ProfilerAction, Schedule

RUNNING: list[Any] = []
"""The profiler that takes times now."""


class ProfilerLevel(Enum):
    LevelNone, Level0, Level1, Level2 = "LevelNone", "Level0", "Level1", "Level2"


class ProfilerActivity(Enum):
    CPU, GPU, NPU = "CPU", "GPU", "NPU"


class AicoreMetrics(Enum):
    AiCoreNone = "None"


class ExportType(Enum):
    Text, Db = "text", "db"


class Profile:
    """Profiles what runs between `start` and `stop`, or the steps that `schedule` chooses.

    Of the steps that a schedule makes active the operators of each are timed. Without a schedule
    they are timed in so many steps that all together take less than 10 % longer, and scaled up.
    When it is done, `on_trace_ready` is called with it: `tensorboard_trace_handler(DIR)` writes
    trace.json, operators.csv and steps.csv. Other arguments are of Ascend, and have no effect.
    """

    def __init__(
        self,
        activities: Any = None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule: Schedule | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        experimental_config: Any = None,
        **kwargs: Any,
    ) -> None:
        if schedule is not None:
            check_type("profile", "schedule", schedule, Schedule)
        self._schedule, self._ready = schedule, on_trace_ready
        self._recorder: Recorder | None = None
        self.record: Any = None
        self._metadata: dict[str, Any] = {}
        self._step = 0
        if start_profile and schedule is None and type(self) is not Profile:
            self.start()

    def __enter__(self) -> Profile:
        if self._recorder is None:
            self.start()
        return self

    def __exit__(self, *err: object) -> None:
        self.stop()

    def start(self) -> None:
        """Raises: RuntimeError (MS304) if one is running."""
        if self._schedule is not None:
            self._follow()
            return
        self._begin()

    def _begin(self) -> None:
        if RUNNING:
            advice = "stop() the other one first"
            raise RefusedError("profile", "a profiler is running already", advice=advice)
        self._recorder = Recorder(every=self._schedule is not None)
        RUNNING.append(self)
        self._recorder.start()

    def stop(self) -> None:
        """Ends it, and hands over what it has seen."""
        if self._recorder is None:
            return
        RUNNING.remove(self)
        self.record, self._recorder = self._recorder.stop(), None
        if self._ready is not None:
            self._ready(self)

    def step(self) -> None:
        """A step is done."""
        if self._schedule is not None and self._schedule(self._step).value == 3:
            self.stop()
        self._step += 1
        self._follow()

    def _follow(self) -> None:
        """Does what the schedule says of the step that begins."""
        if self._schedule is None:
            return
        action = self._schedule(self._step)
        if action is not ProfilerAction.NONE and self._recorder is None:
            self._begin()

    def add_metadata(self, key: str, value: str) -> None:
        check_type("profile.add_metadata", "key", key, str)
        check_type("profile.add_metadata", "value", value, str)
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Keeps a text of JSON; says so if it is none."""
        try:
            self._metadata[key] = json.loads(value)
        except (TypeError, ValueError) as error:
            log.warning("add_metadata_json: %s is no JSON: %s", key, error)

    def write(self, folder: str | Path) -> None:
        """Writes trace.json, operators.csv and steps.csv into a folder."""
        if self.record is None:
            raise RefusedError("profile", "it has seen nothing yet", advice="stop() it first")
        place = Path(made_folder("profile", folder))
        write_files(self.record, place)
        if self._metadata:
            (place / "profiler_metadata.json").write_text(json.dumps(self._metadata))


class Profiler(Profile):
    """As `profile`, from the moment it is made; `analyse` ends it and writes `output_path`."""

    def __init__(self, **kwargs: Any) -> None:
        self._output = made_folder("Profiler", kwargs.pop("output_path", "./data"))
        kwargs.pop("profiler_level", None)
        super().__init__(**kwargs)

    def analyse(
        self, offline_path: Any = None, pretty: bool = False, step_list: Any = None,
        mode: str = "sync",
    ) -> None:  # fmt: skip
        """Ends it, and writes trace.json, operators.csv and steps.csv."""
        self.stop()
        self.write(self._output)


def tensorboard_trace_handler(
    dir_name: str | None = None, worker_name: str | None = None, analyse_flag: bool = True,
    async_mode: bool = False, data_simplification: bool = True,
) -> Callable[[Profile], None]:  # fmt: skip
    """What `on_trace_ready` may be: writes into a folder of its own below `dir_name`."""
    base = Path(made_folder("tensorboard_trace_handler", "./" if dir_name is None else dir_name))
    worker = worker_name or f"{os.uname().nodename}_{os.getpid()}"

    def handle(profile: Profile) -> None:
        stamp = time.strftime("%Y%m%d%H%M%S") + f"{time.time_ns() // 1_000_000 % 1000:03d}"
        profile.write(base / f"{worker}_{stamp}_ms")

    return handle
