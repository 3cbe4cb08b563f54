"""What malformed data raises, as a refusal: the one guard around code that computes with a model.

A handler reads attributes, ranks and constants that a file gives. Each could be of another type,
length or size than the operator's schema says, and each handler would have to check all of them;
so what they raise on such data becomes a refusal here. For a valid model that would hide a defect
of ours: each time the guard works is logged with its traceback, and the tests fail on such a log
unless the model of the test is malformed on purpose.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import onnx
import onnx.shape_inference
from google.protobuf.message import DecodeError, EncodeError

from ..errors import interruption

MALFORMED = (
    ArithmeticError,  # a division by a stride or group of 0, a float that is no integer
    AssertionError,  # what NumPy, onnx or a handler takes for granted
    AttributeError,  # a number where a list, an array or a graph should be
    LookupError,  # a missing attribute, an index beyond a shape, an unknown element type
    RecursionError,  # graphs in graphs without end
    RuntimeError,  # what onnx's C++ code raises for most things
    StopIteration,  # `next` of something that must be there
    TypeError,  # None or text where a number should be
    ValueError,  # shapes that do not go together, too few or too many values to unpack
    DecodeError,
    EncodeError,
    onnx.checker.ValidationError,
    onnx.defs.SchemaError,
    onnx.shape_inference.InferenceError,
)
"""Not OSError, ImportError, NameError, SyntaxError: no data of a model is the reason of these. Nor
MemoryError: the bounds of the process are told of it (MS110), with what lifts them."""

LOG = logging.getLogger(__name__)


def guard(refusal: Callable[[str], Exception], *more: type[Exception]) -> _Guard:
    """Raises what `refusal` makes of the reason where malformed data, or one of `more`, is met."""
    return _Guard(refusal, (*MALFORMED, *more))


class _Guard:
    """One stands around each node of a graph: a generator would take three times as long."""

    def __init__(
        self, refusal: Callable[[str], Exception], caught: tuple[type[Exception], ...]
    ) -> None:
        self._refusal = refusal
        self._caught = caught

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: object
    ) -> None:
        if not isinstance(error, self._caught):
            return
        if interruption(error) is not None:
            return
        raise self._refusal(reason_of(error)) from error


def reason_of(error: BaseException) -> str:
    """One line on an error that was caught; the traceback goes to the log."""
    LOG.debug("caught", exc_info=error)
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
