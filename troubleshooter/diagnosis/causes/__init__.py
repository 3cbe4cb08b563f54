"""What goes wrong when a model is moved, as things that can be tried in numbers."""

from . import (
    activation,
    attention,
    convolution,
    generic,
    loss,
    moving,
    normalization,
    pooling,
    precision,
    recurrent,
    resizing,
    statistics,
    weights,
)
from .case import Case, Cause, Fact, Trial

SPECIFIC: tuple[Cause, ...] = (
    *weights.CAUSES[:1],
    *normalization.CAUSES,
    *convolution.CAUSES,
    *pooling.CAUSES,
    *activation.CAUSES,
    *recurrent.CAUSES,
    *attention.CAUSES,
    *resizing.CAUSES,
    *moving.CAUSES,
    *loss.CAUSES,
    *statistics.CAUSES,
    *weights.CAUSES[1:],
)
"""Those in settings and weights. Of several that explain a result the first is told first."""

GENERAL: tuple[Cause, ...] = (*precision.CAUSES, *generic.CAUSES)
"""Those seen in any layer: tried where no other explains the result."""

CAUSES = SPECIFIC + GENERAL

__all__ = ["CAUSES", "GENERAL", "SPECIFIC", "Case", "Cause", "Fact", "Trial"]
