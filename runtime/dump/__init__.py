"""Dumps: the tensors of a run as files, by MINDSPORE_DUMP_CONFIG; `mindspore.tools`."""

from .marks import set_dump

__all__ = ["set_dump"]
