"""What is called in each stage of a training or an evaluation."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from ...engine.failure import missing_names
from ...summary.collector import SummaryCollector, SummaryLandscape
from ..elsewhere import FlopsUtilizationCollector, TrainFaultTolerance
from .callback import Callback, RunContext
from .callback import CallbackManager as _CallbackManager
from .callback import InternalCallbackParam as _InternalCallbackParam
from .checkpoint import CheckpointConfig, ModelCheckpoint
from .functions import LambdaCallback, LearningRateScheduler
from .monitors import History, LossMonitor, TimeMonitor
from .plateau import EarlyStopping, ReduceLROnPlateau
from .resuming import BackupAndRestore, OnRequestExit

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "FlopsUtilizationCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryLandscape",
    "TimeMonitor",
    "TrainFaultTolerance",
]

INTERNAL = _CallbackManager, _InternalCallbackParam
"""What MindSpore does not list, and loops that users write import from here."""

__getattr__ = missing_names("mindspore.train", __all__)
