"""What goes wrong when a model is moved, as things that can be tried in numbers."""

from functools import cache

from ....extensions import extensions, unusable
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

GROUP = "msconvert.causes"
"""The entry points by which packages of users name causes of theirs, tried behind ours."""


@cache
def specific() -> tuple[Cause, ...]:
    """Those in settings and weights, with those of users.

    Raises: MsconvertError (MS902) for an extension that is no cause
    """
    found = list(SPECIFIC)
    for name, cause in extensions(GROUP):
        if not isinstance(cause, Cause):
            raise unusable(GROUP, name, "it is no msconvert.troubleshooter.diagnosis.causes.Cause")
        found.append(cause)
    return tuple(found)


GENERAL: tuple[Cause, ...] = (*precision.CAUSES, *generic.CAUSES)
"""Those seen in any layer: tried where no other explains the result."""

CAUSES = SPECIFIC + GENERAL

__all__ = ["CAUSES", "GENERAL", "SPECIFIC", "Case", "Cause", "Fact", "Trial", "specific"]
