"""`mindspore.profiler`: where the time of a training goes."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from ..engine.failure import missing_names
from .interface import (
    AicoreMetrics,
    ExportType,
    Profile,
    Profiler,
    ProfilerActivity,
    ProfilerLevel,
    tensorboard_trace_handler,
)
from .schedule import ProfilerAction
from .schedule import Schedule as schedule

profile = Profile

__all__ = [
    "AicoreMetrics",
    "ExportType",
    "Profiler",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]

__getattr__ = missing_names("mindspore.profiler", __all__)
