"""The names of metrics, and the metrics that a Model asks for by them."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from ...errors import MsconvertError
from ..engine.failure import ElementTypeError
from . import classification, curve, error, matrix, occlusion, surface, text
from .metric import Metric

KNOWN: dict[str, Callable[..., Any]] = {
    "accuracy": classification.Accuracy,
    "acc": classification.Accuracy,
    "precision": classification.Precision,
    "recall": classification.Recall,
    "F1": classification.F1,
    "dice": error.Dice,
    "roc": curve.ROC,
    "auc": curve.auc,
    "bleu_score": text.BleuScore,
    "cosine_similarity": error.CosineSimilarity,
    "occlusion_sensitivity": occlusion.OcclusionSensitivity,
    "topk": classification.TopKCategoricalAccuracy,
    "hausdorff_distance": surface.HausdorffDistance,
    "top_1_accuracy": classification.Top1CategoricalAccuracy,
    "top_5_accuracy": classification.Top5CategoricalAccuracy,
    "mae": error.MAE,
    "mse": error.MSE,
    "loss": error.Loss,
    "mean_surface_distance": surface.MeanSurfaceDistance,
    "root_mean_square_distance": surface.RootMeanSquareDistance,
    "perplexity": error.Perplexity,
    "confusion_matrix": matrix.ConfusionMatrix,
    "confusion_matrix_metric": matrix.ConfusionMatrixMetric,
}
"""What each name stands for."""


class UnknownMetricError(MsconvertError, KeyError):
    """MS301: a name that no metric has."""


def kind_of(metric: Any) -> str:
    """What stands for a metric, in a message."""
    return repr(metric) if isinstance(metric, (str, int, float)) else type(metric).__name__


def names() -> list[str]:
    """The names of all metrics, sorted."""
    return sorted(KNOWN)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """The metric of that name, made with these arguments. Raises: KeyError (MS301) if none is."""
    if not isinstance(name, str) or name not in KNOWN:
        near = difflib.get_close_matches(str(name), KNOWN, 1)
        raise UnknownMetricError(
            "MS301", f"metric {name!r}", "there is no metric of that name",
            expected=", ".join(names()), advice=f"the nearest is {near[0]!r}" if near else "",
        )  # fmt: skip
    return KNOWN[name](*args, **kwargs)


def get_metrics(metrics: Any) -> dict[str, Metric] | None:
    """The metrics by name, of a set of names or a dictionary. Raises: TypeError (MS304)."""
    if metrics is None:
        return None
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in sorted(metrics)}
    if not isinstance(metrics, dict):
        raise ElementTypeError(
            "metrics", "they are neither a set nor a dictionary", got=repr(metrics),
            expected="{'accuracy', 'loss'}, or {'name': a Metric}",
        )  # fmt: skip
    for name, metric in metrics.items():
        if not isinstance(name, str) or not isinstance(metric, Metric):
            raise ElementTypeError(
                "metrics", "an entry is no name with its Metric",
                got=f"{name!r}: {kind_of(metric)}",
                expected="{'name': a Metric}, for instance {'top-5': nn.Top5CategoricalAccuracy()}",
            )  # fmt: skip
    return metrics
