"""Metrics fed with what they were not made for: a figure, or one error with a code."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.runtime import Tensor, bfloat16, nn, train

MADE = {
    "Accuracy": train.Accuracy,
    "Accuracy multilabel": lambda: train.Accuracy("multilabel"),
    "Precision": train.Precision,
    "Recall multilabel": lambda: train.Recall("multilabel"),
    "F1": train.F1,
    "TopK": lambda: train.TopKCategoricalAccuracy(2),
    "MAE": train.MAE,
    "MSE": train.MSE,
    "Loss": train.Loss,
    "Perplexity": train.Perplexity,
    "ConfusionMatrix": lambda: train.ConfusionMatrix(2),
    "ConfusionMatrixMetric": train.ConfusionMatrixMetric,
    "ConfusionMatrixMetric of images": lambda: train.ConfusionMatrixMetric(calculation_method=True),
    "CosineSimilarity": train.CosineSimilarity,
    "Dice": train.Dice,
    "ROC": train.ROC,
    "ROC of classes": lambda: train.ROC(2),
    "BleuScore": train.BleuScore,
    "HausdorffDistance": train.HausdorffDistance,
    "MeanSurfaceDistance": train.MeanSurfaceDistance,
    "RootMeanSquareDistance": train.RootMeanSquareDistance,
    "OcclusionSensitivity": train.OcclusionSensitivity,
}
GIVEN = [
    *(np.float32(1.0), np.zeros(()), np.zeros(0), np.zeros((0, 3)), np.ones(2), np.ones((2, 3))),
    *(np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([0, 1]), np.array([-1, 5])),
    *(np.array([0.5, 1.5]), np.array(["a", "b"]), [["a", "b"]], [], [1, [2, 3]], None, "x"),
    *(Tensor([1.0, 2.0]), Tensor([[1, 0], [0, 1]]), np.full((2, 2), np.nan), np.ones((2, 2, 2))),
    *(np.ones((1, 2, 2, 2)), 1, 0.5, nn.ReLU(), np.array([1 + 2j]), np.array([True, False]), {}),
]


@pytest.mark.parametrize("name", MADE)
def test_a_metric_gives_a_figure_or_an_error_with_a_code(name: str) -> None:
    """Every pair of odd inputs, alone, together and with a label behind them."""
    taken, codes = 0, []
    calls = [(x,) for x in GIVEN] + list(itertools.product(GIVEN, GIVEN))
    for inputs in [*calls, *((*pair, 1) for pair in calls if len(pair) == 2)]:
        metric = MADE[name]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # means and quotients of nothing, as NumPy tells them
            try:
                metric.update(*inputs)
                metric.eval()
                taken += 1
            except MsconvertError as error:
                codes.append(error.code)
    assert set(codes) <= {"MS301", "MS304"}
    assert len(codes) > 1000
    assert taken > 0 or name == "BleuScore" or name == "OcclusionSensitivity"


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.int64, np.float16, np.float64])
def test_labels_and_scores_of_any_element_type(kind: Any) -> None:
    scores = np.array([[1, 0], [0, 1], [0, 1]]).astype(kind)
    assert train.Accuracy()(scores, np.array([0, 1, 1])) == 1.0
    assert train.MAE()(scores, scores) == 0.0
    assert train.Accuracy("multilabel")(scores, scores) == 1.0


def test_scores_in_bfloat16() -> None:
    scores = Tensor(np.float32([[0.5, 0.25], [0.125, 1.0]])).astype(bfloat16)
    assert train.Accuracy()(scores, Tensor([0, 1])) == 1.0
    assert train.MSE()(scores, scores) == 0.0


def test_labels_that_are_fractions_tell_how_to_convert_them() -> None:
    for metric in (train.Precision(), train.Recall(), train.F1()):
        with pytest.raises(TypeError, match=r"^MS304 .*\n.*\n.*label.astype"):
            metric(np.ones((2, 3)), np.array([0.0, 1.0]))
