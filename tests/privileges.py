"""What a process may do to files: root's right to everything, laid down for a while."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

VERSION = 0x20080522
"""Of Linux's capget and capset, for sets of 64 bits."""


class Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def without_privileges() -> Iterator[None]:
    """This thread, and those it starts, are refused what permissions forbid, root's own too."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, held = Header(VERSION, 0), (Sets * 2)()
    check(libc.capget(ctypes.byref(header), held))
    none = (Sets * 2)(*(Sets(0, low.permitted, low.inheritable) for low in held))
    check(libc.capset(ctypes.byref(header), none))
    try:
        yield
    finally:
        check(libc.capset(ctypes.byref(header), held))


def check(status: int) -> None:
    if status:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
