"""Words of a command line that can be pasted, whatever is in a name."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from ..errors import printable


def word(text: str | Path) -> str:
    """The text as one word of bash, in printable characters only; a path is no flag."""
    is_like_a_flag = isinstance(text, Path) and str(text).startswith("-")
    plain = f"./{text}" if is_like_a_flag else str(text)
    if printable(plain, limit=len(plain) + 1) == plain:
        return shlex.quote(plain)
    parts = (escaped(character) for character in plain)
    return f"$'{''.join(parts)}'"


def escaped(character: str) -> str:
    """A character as it stands between `$'` and `'`."""
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
