"""How two arrays that differ are related: transposed, rolled, scaled, rounded."""

from .finder import relation_of
from .relation import Relation

__all__ = ["Relation", "relation_of"]
