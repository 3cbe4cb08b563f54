"""What is called in each stage of a training or an evaluation."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from .callback import Callback, RunContext
from .checkpoint import CheckpointConfig, ModelCheckpoint
from .monitors import History, LossMonitor, TimeMonitor

__all__ = [
    "Callback",
    "CheckpointConfig",
    "History",
    "LossMonitor",
    "ModelCheckpoint",
    "RunContext",
    "TimeMonitor",
]
