"""One checkpoint in several files of limited size, and the index that says what is in which.

The index is that of Hugging Face's libraries: `NAME.index.json`, read by `shards.read_index`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ..limits import unholdable

MAX_FILES = 500
"""All files of one checkpoint are open until the last is complete."""


def split(sizes: Mapping[str, int], most: int | None) -> list[list[str]]:
    """The names in their order, in groups of at most `most` bytes; a larger tensor is alone.

    Raises: MS305 if there would be too many files
    """
    groups: list[list[str]] = [[]]
    filled = 0
    for name, size in sizes.items():
        if most is not None and groups[-1] and filled + size > most:
            groups.append([])
            filled = 0
        groups[-1].append(name)
        filled += size
    if len(groups) > MAX_FILES:
        problem = f"it would be more than {MAX_FILES} files"
        raise unholdable("the checkpoint", problem, "a larger --shard-size")
    return groups


def names_of_shards(file: str, count: int) -> tuple[str, ...]:
    """`net-00001-of-00003.ckpt` and so on, of `net.ckpt`; the name itself of a single file."""
    if count == 1:
        return (file,)
    stem, ending = os.path.splitext(file)
    return tuple(f"{stem}-{number:05}-of-{count:05}{ending}" for number in range(1, count + 1))


def index_text(
    sizes: Mapping[str, int], files: Mapping[str, Sequence[str]], tied: Mapping[str, str]
) -> str:
    """The index of these files, tied names with what they share."""
    import json  # both take long to import, and few conversions need them

    from ..shards import WEIGHT_MAP

    places = {name: file for file, names in files.items() for name in names}
    places |= {name: places[other] for name, other in tied.items()}
    facts = {"metadata": {"total_size": sum(sizes.values())}, WEIGHT_MAP: places}
    return json.dumps(facts, indent=2) + "\n"
