"""Comments in pieces of Python."""

from __future__ import annotations

import io
import tokenize


def comments_in(text: str) -> list[str]:
    """The comments of a piece of Python, in order; none of one that is no piece by itself."""
    if "#" not in text:
        return []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline))
    except (tokenize.TokenError, IndentationError):
        return []
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
