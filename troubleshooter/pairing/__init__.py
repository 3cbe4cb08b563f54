"""Which tensor of one file is which of another: by names, rules, shapes and values."""

from .change import change_of, changed
from .finder import pair_up
from .pair import Pair

__all__ = ["Pair", "change_of", "changed", "pair_up"]
