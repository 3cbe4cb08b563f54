"""The loop of a worker: one request after another, whatever the user's code does.

A request is a line `NUMBER METHOD SECONDS` on standard input, a reply the line `NUMBER` on
standard output; arguments and results are files in the folder. Both streams are kept from the
user's code. At the end of its time a request ends the process, which leaves its stack.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from typing import Any

from . import wire
from .caught import Caught
from .side import Side


def serve(kind: str, folder: str) -> None:
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    stacks = os.fdopen(os.open(f"{folder}/stacks", os.O_CREAT | os.O_WRONLY), "w")
    faulthandler.enable(stacks)
    side: Side | None = None
    own_process = os.getpid()
    for line in requests:
        number, method, seconds = line.split()
        faulthandler.dump_traceback_later(float(seconds), exit=True, file=stacks)
        own = tuple if side is None else side.imports.folders
        result: Any = True
        with Caught(own) as caught:
            if side is None:
                side = side_of(kind)
            else:
                arguments = wire.read(f"{folder}/request_{number}")
                result = getattr(side, method)(*arguments)
            leave_if_not(own_process)
            wire.write(f"{folder}/reply_{number}", result)
        leave_if_not(own_process)
        if caught.failure is not None:
            wire.write(f"{folder}/reply_{number}", caught.failure)
        faulthandler.cancel_dump_traceback_later()
        replies.write(f"{number}\n")
        replies.flush()


def leave_if_not(process: int) -> None:
    """Ends a process that the user's code has made by forking, where it would answer, too."""
    if os.getpid() != process:
        os._exit(0)


def side_of(kind: str) -> Side:
    """PyTorch's side, ONNX Runtime's, or that of the MindSpore of this name."""
    if kind == "torch":
        from .torch_side import TorchSide

        return TorchSide()
    if kind == "onnx":
        from .onnx_side import OnnxSide

        return OnnxSide()
    from .mindspore_side import MindsporeSide

    return MindsporeSide(kind)
