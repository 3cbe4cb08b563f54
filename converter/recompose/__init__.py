"""Recompose: primitive nodes that an exporter made of a layer become that layer again."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.converter.recompose")

from .edit import Derived
from .rewrite import RULES, Change, Kept, Recomposed, recompose

__all__ = ["RULES", "Change", "Derived", "Kept", "Recomposed", "recompose"]
