"""`mindspore.train` metrics: what of an evaluation is reported, batch after batch."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from .classification import (
    F1,
    Accuracy,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from .error import MAE, MSE, CosineSimilarity, Dice, Loss, Perplexity
from .metric import Metric, rearrange_inputs
from .names import get_metric_fn, names
from .names import get_metrics as get_metrics

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "Accuracy",
    "CosineSimilarity",
    "Dice",
    "Fbeta",
    "Loss",
    "Metric",
    "Perplexity",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "get_metric_fn",
    "names",
    "rearrange_inputs",
]
