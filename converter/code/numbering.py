"""Names that are new among those taken: the word itself, else the word with a number."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Gives names and remembers them, so that a thousand of one word take no longer than one each.

    `form` joins word and number, `first` is the first number: "conv1", or "conv_2".
    """

    def __init__(self, taken: Iterable[str] = (), form: str = "{}{}", first: int = 1) -> None:
        self._taken = set(taken)
        self._form = form
        self._first = first
        self._next: dict[str, int] = {}

    def take(self, word: str) -> str:
        """The word if it is free, else with the smallest number that is."""
        name = word
        number = self._next.get(word, self._first)
        while name in self._taken:
            name = self._form.format(word, number)
            number += 1
        self._next[word] = number
        self._taken.add(name)
        return name

    def add(self, names: Iterable[str]) -> None:
        """Takes names that were given elsewhere."""
        self._taken.update(names)
