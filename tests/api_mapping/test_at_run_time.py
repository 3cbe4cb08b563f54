"""What the analysis says of names is what they are while PyTorch runs the code.

The models and training scripts of the source converter's tests, and the sources in watched/, run
with every read of a name or an attribute noted. A use that is certain must be of that object, an
attribute's owner of that class; and what PyTorch's objects have, and the table lists, must be among
the uses.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from msconvert.api_mapping.analysis import Project, Use
from msconvert.api_mapping.table import registry

from .observed import Observed, Place, run

torch = pytest.importorskip("torch")

HOME = Path(__file__).parent / "migrate"
MODELS = sorted((HOME / "models").glob("*.py"))
SCRIPTS = sorted((HOME / "scripts").glob("*.py"))
SCRIPTS += sorted((Path(__file__).parent / "watched").glob("*.py"))
NO_NAME = ("dynamic", "star", "import", "getattr")
"""Kinds of uses that are not read as a name or an attribute."""


def seen_in_model(path: Path) -> Observed:
    """The model is built, run in both modes, and its gradients are taken."""
    from torch.utils._pytree import tree_leaves

    torch.manual_seed(0)
    module, seen = run(path, f"watched_{path.stem}")
    net, inputs = module.build(), module.inputs()
    net.eval()(*inputs)
    outputs = [x for x in tree_leaves(net.train()(*inputs)) if isinstance(x, torch.Tensor)]
    total = sum(x.float().mean() for x in outputs if x.requires_grad)
    if isinstance(total, torch.Tensor):
        total.backward()
    return seen


def seen_in_script(path: Path) -> Observed:
    torch.manual_seed(0)
    return run(path, "__main__")[1]


def named(use: Use) -> ast.AST:
    return use.node.func if isinstance(use.node, ast.Call) else use.node


def place_of(node: ast.AST) -> Place:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined, return-value]


def resolved(api: str) -> Any:
    """The object that a dotted name is; None if PyTorch has none."""
    first, *rest = api.split(".")
    found = import_module(first)
    for name in rest:
        found = getattr(found, name, None)
    return found


def is_same(value: Any, wanted: Any) -> bool:
    """Whether it is that object, or the same function as something of PyTorch wraps it."""
    if value is wanted or (not isinstance(value, torch.Tensor) and value == wanted):
        return True
    names = [getattr(each, "__qualname__", each) for each in (value, wanted)]
    return callable(value) and names[0] == names[1] and value.__module__.startswith("torch")


def is_owner(owner: Any, wanted: Any) -> bool:
    return issubclass(owner, wanted) if isinstance(owner, type) else isinstance(owner, wanted)


def false_uses(uses: list[Use], seen: Observed) -> Iterator[str]:
    """The certain uses that are something else at run time."""
    for use in uses:
        if use.certainty != "is" or use.kind in NO_NAME:
            continue
        place = place_of(named(use))
        if use.receiver is None:
            wrong = [v for v in seen.values[place] if not is_same(v, resolved(use.api))]
        else:
            wanted = resolved(use.api.rpartition(".")[0])
            owners = [] if isinstance(wanted, ModuleType) else seen.owners[place]
            wrong = [type(o) for o in owners if not is_owner(o, wanted)]
        if wrong:
            yield f"{use.line}:{use.column} {use.api} is {wrong}"


OWNERS = {
    "torch.Tensor": torch.Tensor,
    "torch.nn.Module": torch.nn.Module,
    "torch.optim.Optimizer": torch.optim.Optimizer,
}


def missed_uses(uses: list[Use], seen: Observed, path: Path) -> Iterator[str]:
    """Attributes that PyTorch's classes give objects, and the table lists, without a use."""
    used = {place_of(named(use)) for use in uses}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        place = place_of(node) if isinstance(node, ast.Attribute) else None
        if place is None or place in used:
            continue
        for owner in seen.owners[place]:
            home = next((c for c in type(owner).__mro__ if node.attr in vars(c)), None)
            bases = [base for base, cls in OWNERS.items() if isinstance(owner, cls)]
            if home and home.__module__.startswith("torch") and bases:
                api = f"{bases[0]}.{node.attr}"
                if registry.find(api):
                    yield f"{node.lineno}:{node.end_col_offset} {api}"


@pytest.mark.filterwarnings("ignore")  # of the code that runs
@pytest.mark.parametrize("path", [*MODELS, *SCRIPTS], ids=lambda path: path.stem)
def test_uses_are_what_runs(path: Path, tmp_path: Path) -> None:
    run_as = seen_in_model if path in MODELS else seen_in_script
    source = Project([path], [path.parent]).analyse(path).source
    if source.places:  # what shared a line is run on lines of its own, too
        path = tmp_path / path.name
        path.write_text(source.text, encoding="utf-8")
    uses = Project([path], [path.parent]).analyse(path).uses
    seen = run_as(path)
    assert sum(place_of(named(use)) in seen.values for use in uses if use.kind == "call") > 5
    assert not list(false_uses(uses, seen))
    assert not list(missed_uses(uses, seen, path))
