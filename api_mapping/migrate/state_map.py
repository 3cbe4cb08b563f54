"""The weight map of a converted source: the layers of its classes, and their parameters' names."""

from __future__ import annotations

from ...formats.naming import COUNTED, Naming
from ..table import find

LINES = frozenset({"torch.nn.Conv1d", "torch.nn.ConvTranspose1d"})
COUNTING = "track_running_stats"


def naming_of_layer(name: str) -> Naming | None:
    """How a layer of torch.nn names its parameters, by its row; None if the table has no such."""
    for full in (name, f"torch.nn.{name}", f"torch.{name}"):
        found = find(full)
        if found:
            return naming_of(full)
    return None


def naming_of(api: str, mint: bool = False) -> Naming:
    """The naming of a layer by the first row that renames; `mint` has PyTorch's own."""
    rules = find(api)
    if mint and any(rule.mint for rule in rules):
        return Naming()
    names: dict[str, str] = {}
    for rule in rules:
        names |= rule.state
        if any(param.name == COUNTING for param in rule.params):
            names |= COUNTED
    return Naming(names, api in LINES)
