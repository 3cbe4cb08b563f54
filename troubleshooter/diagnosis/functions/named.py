"""What goes wrong with functions that a network's own code calls, by name."""

from __future__ import annotations

CAUSES = {
    "operator-missing": "no such operator where the reference has one",
    "operator-extra": "an operator that the reference has not",
    "operator-other": "another operator",
    "function-value": "another value as an argument, one that the reference has, too",
    "function-made": "another constant or array: made in NumPy, or with the network",
    "function-order": "operands in another order",
    "function-constant": "another number",
    "function-scale": "no scaling, or another",
    "function-axis": "another axis, or axes in another order",
    "function-keepdims": "an axis that is kept or dropped",
    "function-mask-inverted": "a mask that is inverted",
    "function-mask-shifted": "a mask that is shifted, or begins at another diagonal",
    "function-mask-missing": "no mask",
    "function-roll": "elements moved by another number of places",
    "function-repeat": "repeated as a whole for each element, or another number of times",
    "function-interpolate": "another way to resize or pad, or flags of it",
    "function-slope": "another slope or alpha",
    "function-reduction": "another reduction of a loss",
    "function-class-weights": "other weights of the classes",
    "function-label-smoothing": "labels smoothed otherwise",
    "function-ignore-index": "another label that is left out",
    "function-division": "integer for true division, or rounded otherwise",
    "function-correction": "a variance by n for n - 1, or the other way round",
    "function-index": "another index or slice",
    "function-shape": "the same elements in another shape, which meets others along other axes",
    "function-state": "the state of another round of a loop, or none",
    "function-dtype": "another element type",
    "function-option": "another option",
    "function-gradient": "a gradient that is cut off by stop_gradient or detach, or is not",
    "budget": "something that was not found within three seconds",
}
"""What the candidate has, completing "the candidate has ..."."""
