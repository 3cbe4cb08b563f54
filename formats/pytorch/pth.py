"""PyTorch's files (.pth, .pt, .bin), read without PyTorch: tensors, and plain values around them.

Since 1.6 a file is an uncompressed zip archive: a pickle (data.pkl) whose tensors refer to
storages, each a member data/KEY. Before, it was several pickles in a row and then the storages
(pth_legacy.py). Source: torch/serialization.py, torch/_utils.py of PyTorch 2.13.
"""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import MsconvertError
from ..blocks import BLOCK_BYTES
from ..kinds import LEGACY, ZIP
from ..storage import opening
from ..storage.atomic import Path
from ..storage.recovery import settled
from ..stored import Checkpoint, WeightFileError, damage, map_file
from .pickle_machine import PickleMachine
from .torch_globals import SavedTensor, Storage, known, reference_of
from .zip_members import Member, compressed, members_of

ENDINGS = (".pth", ".pt", ".bin", ".pth.tar", ".th")
PICKLE = "data.pkl"
MAX_EXPANSION, FREE_BYTES = 4, 1 << 30
"""All tensors together may be so many times as large as the file, and a gigabyte more."""

WRAPPERS = ("state_dict", "model_state_dict", "model", "net", "network", "module", "weights")
"""Under which keys programs keep the network, among optimizer, epoch and others."""

PREFIXES = ("module.", "_orig_mod.")
"""What nn.DataParallel and torch.compile put before every name."""


@dataclass(frozen=True)
class SavedFile:
    """What a PyTorch file holds: dictionaries, lists, numbers, text, and SavedTensor."""

    path: str
    content: Any
    source: mmap.mmap
    members: tuple[Member, ...] = ()

    @property
    def size(self) -> int:
        return len(self.source)

    def check(self) -> None:
        """Compares the CRC-32 of every member with its bytes, if it was saved with them.

        Raises: MS302 for bytes that have changed since; PyTorch itself does not look
        """
        for member in self.members:
            found = 0
            for start in range(0, member.size, BLOCK_BYTES):
                place = member.offset + start
                size = min(BLOCK_BYTES, member.size - start)
                found = zlib.crc32(self.source[place : place + size], found)
            if member.crc not in (0, found):
                problem = f"the data of '{member.name}' does not fit its CRC-32"
                raise damage(self.path, problem, f"0x{found:08x}", f"0x{member.crc:08x}")

    def groups(self) -> dict[str, dict[str, SavedTensor]]:
        """Every dictionary of tensors in the file, by the keys that lead to it ("": the file)."""
        return dict(groups_in(self))


def is_pth(path: Path) -> bool:
    """Whether the file begins as PyTorch's do, whatever it is called."""
    settled(path)
    try:
        return opening.start_of(path, len(LEGACY)).startswith((ZIP, LEGACY))
    except OSError:
        return False


def load_pth(path: Path) -> SavedFile:
    """The content of a PyTorch file; the tensors' data is read when they are asked for.

    Raises: MS302 for everything damaged, MS309 for everything but tensors and plain values
    """
    where = os.fspath(path)
    source = map_file(path)
    members: dict[str, Member] = {}
    if source[:4] == ZIP:
        members = unpacked_members(where, source)
        content = content_of_zip(where, source, members)
    elif source[: len(LEGACY)] == LEGACY:
        from .pth_legacy import content_of_legacy

        content = content_of_legacy(where, source)
    else:
        raise other_kind(where, source)
    saved = SavedFile(where, content, source, tuple(members.values()))
    refuse_expansion(saved)
    return saved


def unpacked_members(where: str, source: mmap.mmap) -> dict[str, Member]:
    """The members. Raises: MS302 for a program of TorchScript's, and for compressed ones"""
    members = members_of(where, source, deflated=True)
    if any(name.endswith("/constants.pkl") for name in members):
        folder_of(where, members)  # whose text is compressed
    packed = next((member for member in members.values() if member.deflated), None)
    if packed is not None:
        raise compressed(where, packed.name)
    return members


def content_of_zip(where: str, source: mmap.mmap, members: Mapping[str, Member]) -> Any:
    """The value of data.pkl, over the other members."""
    folder = folder_of(where, members)
    order = text_member(source, members.get(f"{folder}byteorder"))
    if order not in ("", "little", "big"):
        raise damage(where, "an unknown byte order", repr(order), "little or big")
    pickle = members[f"{folder}{PICKLE}"]
    storages: dict[str, Storage] = {}

    def storage(reference: Any) -> Storage:
        kind, key, count = reference_of(f"{where}: {PICKLE}", reference)
        member = members.get(f"{folder}data/{key}")
        if member is None:
            raise damage(where, f"the storage '{key}' is missing")
        size = count * kind.dtype.itemsize
        if size != member.size:
            problem = f"the storage '{key}' does not have the size of its {count} elements"
            raise damage(where, problem, f"{member.size} bytes", f"{size} bytes")
        found = Storage(key, kind, source, member.offset, count, order == "big")
        return storages.setdefault(f"{key} {kind.name}", found)

    end = pickle.offset + pickle.size
    machine = PickleMachine(f"{where}: {PICKLE}", source, pickle.offset, end, known, storage)
    return machine.run()


def folder_of(where: str, members: Mapping[str, Member]) -> str:
    """The folder of the archive that holds everything. Raises: MS302 if torch.save made none"""
    found = [name for name in members if name.count("/") == 1 and name.endswith(f"/{PICKLE}")]
    if len(found) == 1:
        folder = found[0].removesuffix(PICKLE)
        if f"{folder}constants.pkl" in members:
            raise WeightFileError(
                "MS302",
                where,
                "a TorchScript archive, which holds a program",
                advice="in PyTorch: torch.save(torch.jit.load(PATH).state_dict(), NEW)",
            )
        return folder
    raise WeightFileError(
        "MS302",
        where,
        "a zip archive that torch.save did not write",
        got=", ".join(sorted(members)[:5]),
        expected=f"one folder with {PICKLE}",
        advice="check the path",
    )


def text_member(source: mmap.mmap, member: Member | None) -> str:
    if member is None:
        return ""
    return source[member.offset : member.offset + min(member.size, 20)].decode("ascii", "replace")


def other_kind(where: str, source: mmap.mmap) -> WeightFileError:
    """The MS302 error about a file that torch.save did not write."""
    start = source[:8]
    got, advice = f"bytes {start.hex(' ')}", "check the path"
    if source[257:262] == b"ustar" or start[:4] == b"sys\0":
        got, advice = "a tar archive, as PyTorch 0.1 wrote", "in PyTorch, load it and save it again"
    elif start[:2] in (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"):
        got = "a Python pickle, which can run anything when it is loaded"
        advice = "if you trust it, load it in Python and save its arrays with torch.save"
    elif source[8:9] == b"{":
        got, advice = "perhaps a safetensors file", "name it NAME.safetensors"
    elif start[:1] == b"<" or start.startswith((b"version ", b"git-lfs")):
        got, advice = "text: a web page, or a pointer of Git LFS", "download the file itself"
    problem = "not a file that torch.save wrote"
    return WeightFileError("MS302", where, problem, got=got, advice=advice)


# what is in the content

MAX_LEVELS = 60
MAX_ENTRIES = 2_000_000
Found = Iterator[tuple[tuple[str, ...], SavedTensor]]


class Walk:
    """A walk over nested values that ends, however they refer to one another."""

    def __init__(self, saved: SavedFile) -> None:
        self.where = saved.path
        self.left = min(MAX_ENTRIES, saved.size + 1000)
        self.path: list[str] = []
        self.seen = 0
        self.barren: set[int] = set()

    def tensors(self, content: Any) -> Found:
        """Each tensor, with the keys that lead to it; what holds none is entered once only."""
        if isinstance(content, SavedTensor):
            self.seen += 1
            yield tuple(self.path), content
        if not isinstance(content, dict | list | tuple) or id(content) in self.barren:
            return
        seen = self.seen
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            self.enter(key)
            yield from self.tensors(value)
            self.path.pop()
        if self.seen == seen:
            self.barren.add(id(content))

    def enter(self, key: Any) -> None:
        """Notes a step down. Raises: MS302 if there is no end to them"""
        self.left -= 1
        if self.left < 0 or len(self.path) > MAX_LEVELS:
            raise damage(self.where, "values hold one another without end", ".".join(self.path[:5]))
        self.path.append(str(key))


def groups_in(saved: SavedFile) -> Iterator[tuple[str, dict[str, SavedTensor]]]:
    """The dictionaries (and lists) that hold tensors themselves, by the keys that lead there."""
    found: dict[tuple[str, ...], dict[str, SavedTensor]] = {}
    for path, value in Walk(saved).tensors(saved.content):
        name = path[-1] if path else "tensor"
        found.setdefault(path[:-1], {})[name] = value
    for path, group in found.items():
        yield ".".join(path), group


def refuse_expansion(saved: SavedFile) -> None:
    """Raises: MS302 for tensors that are far larger than the file, as expanded ones are"""
    total = sum(value.nbytes for _path, value in Walk(saved).tensors(saved.content))
    if total > MAX_EXPANSION * saved.size + FREE_BYTES:
        raise damage(
            saved.path,
            "the tensors are far larger than the file: expanded views of few elements",
            f"{total / 1e9:.1f} GB of tensors in {saved.size / 1e9:.3f} GB",
        )


class TorchCheckpoint(Checkpoint):
    """The state dict of a PyTorch file, by the names of the network's parameters.

    `key` leads to it in the file ("": it is the file itself); `others` lead to other
    dictionaries of tensors (an optimizer's, averaged weights); `prefix` was before every name
    and is left out; `tied` says which names are the same elements as an earlier one.
    """

    def __init__(
        self, saved: SavedFile, key: str, group: Mapping[str, SavedTensor], others: list[str]
    ) -> None:
        self.file = saved
        self.key = key
        self.prefix = prefix_of(group)
        named = {name.removeprefix(self.prefix): value for name, value in group.items()}
        entries = {name: value.stored(name) for name, value in named.items()}
        super().__init__(saved.path, entries, source=saved.source, others=others)
        self.saved = named
        self.tied = dict(tied_in(named))


def prefix_of(group: Mapping[str, Any]) -> str:
    """What a wrapper has put before every name; "" if nothing."""
    found = ""
    while True:
        longer = [p for p in PREFIXES if all(name.startswith(found + p) for name in group)]
        if not longer:
            return found
        found += longer[0]


def tied_in(group: Mapping[str, SavedTensor]) -> Iterator[tuple[str, str]]:
    """Name and earlier name of each tensor that is the very elements of an earlier one."""
    first: dict[tuple[Any, ...], str] = {}
    for name, value in group.items():
        if 0 in value.shape:
            continue
        earlier = first.setdefault(value.identity, name)
        if earlier != name:
            yield name, earlier


def read_pth(path: Path, key: str | None = None, *, comparing: bool = False) -> TorchCheckpoint:
    """The state dict in a PyTorch file, whatever it is wrapped in.

    `key` names the dictionary; otherwise it is the file itself, the only one there is, or the
    one under a usual key (WRAPPERS). With `comparing`, several that could be it are taken together,
    their keys before the names.
    Raises: MS302 as load_pth does, and if there is no or no single dictionary of tensors
    """
    saved = load_pth(path)
    groups = saved.groups()
    likely = likely_in(groups)
    if comparing and key is None and len(likely) > 1 and not set(WRAPPERS) & set(likely):
        others = [name for name in groups if name not in likely]
        return TorchCheckpoint(saved, "", together(saved.path, groups, likely), others)
    chosen = choose(saved.path, groups, key)
    others = [name for name in groups if name != chosen]
    return TorchCheckpoint(saved, chosen, groups[chosen], others)


def together(
    where: str, groups: Mapping[str, Mapping[str, SavedTensor]], keys: list[str]
) -> dict[str, SavedTensor]:
    """The tensors of several dictionaries, by the keys that lead to them. Raises: MS302"""
    found: dict[str, SavedTensor] = {}
    for key in keys:
        for name, value in groups[key].items():
            full = f"{key}.{name}" if key else name
            if full in found:
                raise damage(where, f"two tensors have the name '{full}'")
            found[full] = value
    return found


def likely_in(groups: Iterable[str]) -> list[str]:
    """The keys of the dictionaries that could be a network's."""
    return [name for name in groups if not is_of_optimizer(name)]


def choose(where: str, groups: Mapping[str, Any], key: str | None) -> str:
    """The key of the state dict. Raises: MS302 if none or several could be it"""
    if not groups:
        raise WeightFileError(
            "MS302", where, "the file holds no tensors", advice="save network.state_dict()"
        )
    if key is not None:
        if key in groups:
            return key
        raise no_single(where, f"there is no dictionary of tensors under '{key}'", groups)
    likely = likely_in(groups)
    for usual in (*WRAPPERS, ""):  # a tensor beside the network, a state of random numbers, is none
        if usual in likely:
            return usual
    if len(likely) == 1:
        return likely[0]
    raise no_single(where, "several dictionaries of tensors could be the network's", groups)


def is_of_optimizer(key: str) -> bool:
    first = key.partition(".")[0].lower()
    return any(part in first for part in ("optim", "sched", "scaler", "rng", "random"))


def no_single(where: str, problem: str, groups: Mapping[str, Any]) -> MsconvertError:
    shown = ", ".join(repr(name) for name in list(groups)[:8])
    return WeightFileError("MS302", where, problem, got=shown, advice="--key KEY names one of them")
