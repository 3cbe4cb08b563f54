"""Metrics of how far the edges of two masks are apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.argument import check_choice, check_float, check_type
from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, ShapeError
from .metric import Metric, rearrange_inputs

DISTANCES = ("euclidean", "chessboard", "taxicab")


class SurfaceMetric(Metric):
    """Abstract: the edges of a label in two masks, and the distances from one to the other."""

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        name = type(self).__name__
        check_type(name, "distance_metric", distance_metric, str)
        check_choice(name, "distance_metric", distance_metric, DISTANCES)
        self.distance_metric = distance_metric
        self.clear()

    def clear(self) -> None:
        self.edges: Any = None
        self._is_update = False

    def labelled(self, inputs: Any) -> tuple[Array, Array, Any]:
        """Two masks and a label. Raises: MS304 for shapes, or a label that neither has."""
        given = self.given(inputs, "the predicted value", "the true value", "the label")
        y_pred, y = self._convert_data(given[0]), self._convert_data(given[1])
        label, where = given[2], f"{type(self).__name__}.update"
        if not isinstance(label, (int, float)):
            kind = ElementTypeError if isinstance(self, RootMeanSquareDistance) else ShapeError
            raise kind(where, "the label is no number", got=type(label).__name__)
        if label not in y_pred and label not in y:
            raise ShapeError(where, "neither value has the label", got=str(label))
        if y_pred.size == 0 or y_pred.shape != y.shape:
            raise self.mismatch(y_pred, y, "the same shape, and not empty")
        return y_pred, y, label

    def distances(self, from_edges: Array, to_edges: Array) -> Array:
        """From each point of an edge to the nearest one of the other; empty if there is no edge."""
        if not np.any(from_edges):
            return np.array([])
        if not np.any(to_edges):
            return np.full(int(from_edges.sum()), np.inf)
        from scipy import ndimage  # slow to import

        if self.distance_metric == "euclidean":
            found: Array = ndimage.distance_transform_edt(~to_edges)
        else:
            found = ndimage.distance_transform_cdt(~to_edges, metric=self.distance_metric)
        return found[from_edges]

    def of_edges(self, from_edges: Array, to_edges: Array) -> Any:
        """The figure from one edge to the other."""
        raise NotImplementedError

    def both_ways(self) -> tuple[Any, Any]:
        self.require_some(self._is_update)
        a, b = self.edges
        return self.of_edges(a, b), self.of_edges(b, a)


def edges(mask: Array) -> Array:
    """The points of a mask that touch others."""
    from scipy import ndimage  # slow to import

    inside: Array = ndimage.binary_erosion(mask)
    return inside ^ mask


class HausdorffDistance(SurfaceMetric):
    """The largest distance between two edges, or its `percentile`; `directed`: one way only."""

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        super().__init__(distance_metric)
        if percentile is not None:
            check_type("HausdorffDistance", "percentile", percentile, float)
        for name, value in (("directed", directed), ("crop", crop)):
            if value is not None:
                check_type("HausdorffDistance", name, value, bool)
        self.percentile, self.directed, self.crop = percentile, directed, crop

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y, label = self.labelled(inputs)
        masks = y_pred == label, y == label
        if self.crop:
            box = tuple(slice(min(n), max(n) + 1) for n in np.nonzero(masks[0] | masks[1]))
            masks = np.squeeze(masks[0][box]), np.squeeze(masks[1][box])
        self.edges, self._is_update = (edges(masks[0]), edges(masks[1])), True

    def of_edges(self, from_edges: Array, to_edges: Array) -> Any:
        found = self.distances(from_edges, to_edges)
        if not found.size:
            return np.inf
        if not self.percentile:
            return found.max()
        check_float("HausdorffDistance", "percentile", self.percentile, 0.0, 100.0)
        return np.percentile(found, self.percentile)

    def eval(self) -> float:
        there, back = self.both_ways()
        return float(there if self.directed else max(there, back))


class MeanOfDistances(SurfaceMetric):
    """Abstract: a mean of distances, one way or (`symmetric`) both."""

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric)
        self.symmetric = check_type(type(self).__name__, "symmetric", symmetric, bool)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y, label = self.labelled(inputs)
        a, b = (mask if mask.dtype == bool else mask == label for mask in (y_pred, y))
        self.edges, self._is_update = (edges(a), edges(b)), True

    def of_edges(self, from_edges: Array, to_edges: Array) -> Any:
        found = self.distances(from_edges, to_edges)
        return self.mean(found) if found.size else np.inf

    def mean(self, distances: Array) -> Any:
        return distances.mean()

    def eval(self) -> float:
        there, back = self.both_ways()
        if not self.symmetric or np.isinf(there):
            return float(there)
        return self.together(float(there), float(back))

    def together(self, there: float, back: float) -> float:
        return (there + back) / 2


class MeanSurfaceDistance(MeanOfDistances):
    """The mean distance from one edge to the other."""


class RootMeanSquareDistance(MeanOfDistances):
    """The mean of squared distances, as MindSpore has it; `symmetric`: the root of both means."""

    def mean(self, distances: Array) -> Any:
        return (distances**2).mean()

    def together(self, there: float, back: float) -> float:
        return float(np.sqrt((there + back) / 2))
