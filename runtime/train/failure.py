"""The refusals of a training that runs in one process."""

from __future__ import annotations

from ...errors import MsconvertError


class SingleProcessError(MsconvertError, RuntimeError):
    """MS301: what needs several devices or processes."""

    @classmethod
    def of(cls, where: str) -> SingleProcessError:
        return cls(
            "MS301",
            where,
            "the runtime is one process, which holds each parameter whole",
            advice="leave it out, or run the script with MindSpore on several devices",
        )
