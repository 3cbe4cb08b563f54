"""A file of torch.save as a checkpoint of MindSpore's, with all that stands around the weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import MsconvertError
from ..formats.blocks import Content, byte_blocks
from ..formats.ckpt import STRUCTURE, read_ckpt, write_ckpt
from ..formats.names.renaming import Plan, Wishes, plan_of, unchanged
from ..formats.names.weight_map import ClassMap
from ..formats.pytorch.pth import SavedFile, TorchCheckpoint, is_of_optimizer, load_pth
from ..formats.pytorch.saved_optimizer import optimizers_in
from ..formats.pytorch.surroundings import around
from ..formats.pytorch.torch_globals import SavedTensor
from ..formats.stored import StoredTensor, Value
from ..formats.transfer.conversion import Conversion, content_of


@dataclass(frozen=True)
class Saved:
    """What became of a file of torch.save.

    `path`: from the project's folder. `roots`: the classes whose weights it has, none for other
    tensors, which keep their names. `left_out`: keys of what the new file has not. `error`: why it
    is not converted, None if it is.
    """

    path: Path
    roots: tuple[str, ...] = ()
    tensors: int = 0
    left_out: tuple[str, ...] = ()
    error: MsconvertError | None = None

    @property
    def ok(self) -> bool:
        """Whether all that is in it is in the new file."""
        return self.error is None and not self.left_out


@dataclass(frozen=True)
class Group:
    """A dictionary of tensors in the file: the key that leads to it, and their new names."""

    key: str
    conversion: Conversion
    roots: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        return f"{self.key}." if self.key else ""

    def names(self) -> dict[str, str]:
        """The name of each tensor in the file: its key and its new name in the dictionary."""
        parts = self.conversion.parts()
        return {part.name: f"{self.prefix}{part.name}" for part in parts}

    def items(self) -> Iterator[tuple[str, Content]]:
        for part in self.conversion.parts():
            yield f"{self.prefix}{part.name}", self.conversion.content(part)


def converted(source: Path, place: Path, shown: Path, maps: Sequence[ClassMap]) -> Saved:
    """Writes what is in `source` to `place`, and compares all of it with what was read again.

    Nothing stays at `place` if anything fails; the reason is in what is returned.
    """
    try:
        return written(load_pth(source), place, shown, maps)
    except MsconvertError as error:
        place.unlink(missing_ok=True)
        return Saved(shown, error=error)


def written(saved: SavedFile, place: Path, shown: Path, maps: Sequence[ClassMap]) -> Saved:
    """Raises: MS302, MS305, MS309, MS310, MS311"""
    groups = groups_of(saved, maps)
    found = None
    if not (is_plain(saved) and groups):
        found = around(saved, {group.key: group.names() for group in groups})
    others = found.parts if found is not None else ()
    items = dict(item for group in groups for item in group.items())
    items |= {part.name: content_of(part) for part in others}
    texts = {STRUCTURE: found.text} if found is not None else {}
    with open(place, "wb") as stream:
        write_ckpt(stream, [*items.items(), *texts.items()])
    check(place, items, texts)
    roots = tuple(dict.fromkeys(root for group in groups for root in group.roots))
    return Saved(shown, roots, len(items), found.absent if found is not None else ())


def groups_of(saved: SavedFile, maps: Sequence[ClassMap]) -> list[Group]:
    """The tensors of each network in a file, or of the whole file. Raises: MS302, MS310"""
    found = saved.groups()
    starts = tuple(f"{key}." if key else "" for key in keys_of_optimizers(saved))
    others = [key for key in found if is_of_optimizer(key) or f"{key}.".startswith(starts)]
    groups = [group_of(saved, key, found[key], maps) for key in found if key not in others]
    return [group for group in groups if group is not None]


def keys_of_optimizers(saved: SavedFile) -> list[str]:
    """The keys that lead to the optimizers in a file; "" if it is one."""
    return [key.removeprefix("the file") for key, _ in optimizers_in(saved.content, "", set())]


def is_plain(saved: SavedFile) -> bool:
    """Whether it is a dictionary of tensors and nothing else: then the names say all."""
    content = saved.content
    return isinstance(content, dict) and all(isinstance(v, SavedTensor) for v in content.values())


def group_of(
    saved: SavedFile, key: str, group: Mapping[str, SavedTensor], maps: Sequence[ClassMap]
) -> Group | None:
    """The new names of the tensors of one dictionary; None if it is no network's, nor the file.

    Raises: MS310 if they could be several
    """
    checkpoint = TorchCheckpoint(saved, key, group, [])
    tensors = checkpoint.tensors()
    plans = plans_of(tensors, maps)
    outcomes = {tuple((s.old, s.new, s.shape) for s in plan.steps): plan for _, plan in plans}
    if len(outcomes) > 1:
        known = ", ".join(dict.fromkeys(root for root, _ in plans))
        problem = f"the tensors under {key!r} could be those of several classes"
        advice = "msconvert weights, with --map and --root CLASS"
        raise MsconvertError("MS310", saved.path, problem, expected=known, advice=advice)
    if outcomes:
        (plan,) = outcomes.values()
        return Group(key, Conversion(checkpoint, plan, {}), tuple(root for root, _ in plans))
    refuse_halves(saved, key, tensors, maps)
    if not is_plain(saved):
        return None
    every = TorchCheckpoint(saved, key, group, [])
    own = {name: value.shape for name, value in every.tensors().items()}
    return Group(key, Conversion(every, unchanged(own, Wishes()), {}))


def plans_of(
    tensors: Mapping[str, StoredTensor], maps: Sequence[ClassMap]
) -> list[tuple[str, Plan]]:
    """The plans of the classes of which every tensor is known by the map, each with its class.

    Networks first; a part of one only where none is.
    """
    shapes = {name: value.shape for name, value in tensors.items()}
    for several in ([(m, m.roots) for m in maps], [(m, tuple(m.classes)) for m in maps]):
        pairs = [(known, root) for known, roots in several for root in roots]
        plans = {root: whole_plan(shapes, known, root) for known, root in pairs}
        found = [(root, plan) for root, plan in plans.items() if plan is not None]
        if found:
            return found
    return []


def whole_plan(shapes: Mapping[str, Any], known: ClassMap, root: str) -> Plan | None:
    """The plan by a class of the map, if it knows all of the names."""
    if not all(has(known, root, name) for name in shapes):
        return None
    try:
        plan = plan_of(shapes, known, Wishes(root=root))
    except MsconvertError:  # two names become one: it is another class's
        return None
    is_whole = not plan.questions and all(step.how == "map" for step in plan.steps)
    return plan if is_whole and plan.steps else None


def has(known: ClassMap, root: str, name: str) -> bool:
    """Whether a class has the attribute that a name begins with, or may have any module."""
    first, dot, _ = name.partition(".")
    is_open = bool(dot) and any("*" in entry.modules for entry in known.line(root))
    return is_open or known.has_attribute(root, first)


def refuse_halves(
    saved: SavedFile, key: str, tensors: Iterable[str], maps: Sequence[ClassMap]
) -> None:
    """Raises: MS310 for tensors of which a class has some: a network's, but not as it is now"""
    names = list(tensors)
    for known in maps:
        for root in known.classes:
            had = [name for name in names if has(known, root, name)]
            if 2 * len(had) > len(names):
                raise partly(saved, key, root, names, had)


def partly(
    saved: SavedFile, key: str, root: str, names: Sequence[str], had: Sequence[str]
) -> MsconvertError:
    """What is wrong with tensors of which a class has some, or has all in layers not known."""
    others = [name for name in names if name not in had]
    problem = f"the tensors under {key!r} are not just those of {root}"
    if not others:
        problem = f"the tensors under {key!r} are in layers that the map of {root} does not know"
    advice = "msconvert weights, with --map and --root, --rename or --drop"
    return MsconvertError("MS310", saved.path, problem, got=(others or names)[0], advice=advice)


def check(place: Path, items: Mapping[str, Content], texts: Mapping[str, str]) -> None:
    """Reads the file again. Raises: MS311 if anything in it is not what it was made of"""
    found = read_ckpt(place, aligned=False)
    wanted: Mapping[str, Value] = {**items, **texts}
    if found.keys() != wanted.keys():
        raise MsconvertError("MS311", str(place), "the names in the written file are others")
    for name, value in wanted.items():
        stored = found[name]
        if isinstance(value, str) or isinstance(stored, str):
            is_same = value == stored
        else:
            is_same = value.shape == stored.shape and same_bytes(value, stored.array())
        if not is_same:
            raise MsconvertError("MS311", str(place), f"'{name}' is not what was written")


def same_bytes(one: Content, other: Content) -> bool:
    """Whether two tensors have the same bytes."""
    pairs = zip(byte_blocks(one), byte_blocks(other), strict=True)
    return one.nbytes == other.nbytes and all(a == b for a, b in pairs)
