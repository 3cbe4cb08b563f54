"""PyTorch's files from before 1.6: five pickles in a row, then each storage behind its length."""

from __future__ import annotations

import mmap
from typing import Any

from ..stored import damage
from .pickle_machine import PickleMachine
from .torch_globals import Storage, known, reference_of

PROTOCOL = 1001
LENGTH_BYTES = 8


class Stream:
    """The pickles one behind the other, and the storages that they refer to."""

    def __init__(self, where: str, source: mmap.mmap) -> None:
        self.where = where
        self.source = source
        self.place = 0
        self.storages: dict[str, Storage] = {}

    def pickle(self) -> Any:
        """The value of the next pickle."""
        end = len(self.source)
        machine = PickleMachine(self.where, self.source, self.place, end, known, self.storage)
        found = machine.run()
        self.place = machine.place
        return found

    def storage(self, reference: Any) -> Storage:
        """The storage that the content refers to; where it lies is not known yet."""
        kind, key, count = reference_of(self.where, reference)
        if len(reference) > 5 and reference[5] is not None:
            raise damage(self.where, f"the storage '{key}' is a part of another one")
        found = self.storages.setdefault(key, Storage(key, kind, self.source, -1, count))
        if (found.kind, found.count) != (kind, count):
            raise damage(self.where, f"the storage '{key}' has two types or sizes")
        return found

    def place_storage(self, key: str) -> None:
        """Notes where the next storage lies, which is this one's. Raises: MS302"""
        storage = self.storages.get(key)
        if storage is None or storage.start >= 0:
            raise damage(self.where, f"the storage '{key}' belongs to no tensor, or comes twice")
        start = self.place + LENGTH_BYTES
        count = int.from_bytes(self.source[self.place : start], "little", signed=True)
        if count != storage.count or start + storage.nbytes > len(self.source):
            have = f"{count} elements, {max(0, len(self.source) - start)} bytes to the end"
            problem = f"the storage '{key}' is cut short or has another size"
            raise damage(self.where, problem, have, f"{storage.count} elements")
        storage.start = start
        self.place = start + storage.nbytes


def content_of_legacy(where: str, source: mmap.mmap) -> Any:
    """The value of the fourth pickle, over the storages behind the fifth. Raises: MS302, MS309"""
    stream = Stream(where, source)
    stream.pickle()  # the magic number, which was looked at
    protocol, system = stream.pickle(), stream.pickle()
    if protocol != PROTOCOL or not isinstance(system, dict):
        raise damage(where, "an unknown protocol of PyTorch's", repr(protocol)[:40], str(PROTOCOL))
    if system.get("little_endian") is not True:
        raise damage(where, "saved on a machine of the other byte order", "big-endian")
    content = stream.pickle()
    keys = stream.pickle()
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise damage(where, "the list of storages is missing")
    for key in keys:
        stream.place_storage(key)
    absent = [key for key, storage in stream.storages.items() if storage.start < 0]
    if absent:
        raise damage(where, f"the storage '{absent[0]}' is missing")
    if stream.place != len(source):
        raise damage(where, f"data follows the last storage at byte {stream.place}")
    return content
