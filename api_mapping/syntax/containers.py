"""What methods of Python's lists, dictionaries and sets do with what is in them."""

from __future__ import annotations

TAKING = frozenset("append extend insert add update setdefault appendleft".split())
"""Methods that put something in."""

GIVING = frozenset("get pop popleft values items copy popitem".split())
"""Methods that give what is in it."""

CHANGING = TAKING | frozenset("pop popleft popitem remove clear sort reverse discard".split())
"""Methods that change the container."""
