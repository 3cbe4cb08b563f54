"""What of `mindspore.train` needs MindInsight, several devices or MindIR: it is refused."""

from __future__ import annotations

from typing import Any

from .failure import SingleProcessError

MINDINSIGHT = "History keeps the figures of each epoch, LossMonitor and TimeMonitor print them"
ONE_PROCESS = "leave it out: one process writes whole checkpoints, which load_checkpoint reads"
ONNX = "mindspore.export(..., file_format='ONNX') writes the network"


class Refused:
    """Abstract: a class that cannot be made here. Raises: RuntimeError (MS301)."""

    problem, advice = "", ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        where = f"mindspore.train.{type(self).__name__}"
        raise SingleProcessError("MS301", where, self.problem, advice=self.advice)


class ForMindInsight(Refused):
    problem, advice = "the runtime writes no files for MindInsight", MINDINSIGHT


class SummaryCollector(ForMindInsight):
    """Refused."""


class SummaryLandscape(ForMindInsight):
    """Refused."""


class SummaryRecord(ForMindInsight):
    """Refused."""


class ForAscend(Refused):
    problem, advice = "it serves Ascend only", "leave it out on the CPU"


class FlopsUtilizationCollector(ForAscend):
    """Refused."""


class TrainFaultTolerance(ForAscend):
    """Refused."""


class ConvertNetUtils(Refused):
    """Refused."""

    problem, advice = "there is no THOR here", "take another optimizer of mindspore.nn"


class ConvertModelUtils(ConvertNetUtils):
    """Refused."""


def refusal(name: str, problem: str, advice: str) -> Any:
    """A function that cannot be called here. It raises: RuntimeError (MS301)."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise SingleProcessError("MS301", f"mindspore.train.{name}", problem, advice=advice)

    refused.__name__ = refused.__qualname__ = name
    return refused


SEVERAL = "the runtime is one process, which holds each parameter whole"
build_searched_strategy = refusal("build_searched_strategy", SEVERAL, ONE_PROCESS)
get_ckpt_path_with_strategy = refusal("get_ckpt_path_with_strategy", SEVERAL, ONE_PROCESS)
load_distributed_checkpoint = refusal("load_distributed_checkpoint", SEVERAL, ONE_PROCESS)
merge_sliced_parameter = refusal("merge_sliced_parameter", SEVERAL, ONE_PROCESS)
restore_group_info_list = refusal("restore_group_info_list", SEVERAL, ONE_PROCESS)
export_split_mindir = refusal("export_split_mindir", "the runtime writes no MindIR", ONNX)

NAMES = (
    "ConvertModelUtils",
    "ConvertNetUtils",
    "SummaryRecord",
    "build_searched_strategy",
    "export_split_mindir",
    "get_ckpt_path_with_strategy",
    "load_distributed_checkpoint",
    "merge_sliced_parameter",
    "restore_group_info_list",
)
"""What `mindspore.train` has of them beside its callbacks."""
