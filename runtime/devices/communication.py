"""`mindspore.communication`: a group of one, since the runtime is one process."""

from __future__ import annotations

from typing import Any, NoReturn

from ..engine.failure import MissingNameError

GlobalComm = type("GlobalComm", (), {"BACKEND": "", "WORLD_COMM_GROUP": "", "INITED": False})


def init(backend_name: str | None = None) -> NoReturn:
    """Raises: MS301, since there are no other processes."""
    raise MissingNameError(
        "mindspore.communication.init",
        "the runtime is one process",
        advice="leave init() out on one machine, or run the script with MindSpore",
    )


def get_rank(group: Any = None) -> int:
    return 0


def get_local_rank(group: Any = None) -> int:
    return 0


def get_group_size(group: Any = None) -> int:
    return 1
