"""The rows of the table: whole, well-formed, and saying what they must."""

from __future__ import annotations

import ast

import pytest

from msconvert.api_mapping.table import registry
from msconvert.api_mapping.table.macros import MACROS
from msconvert.api_mapping.table.rule import Rule, Verdict

RULES = [rule for rules in registry.rules().values() for rule in rules]
ROOTS = {
    *("ms", "nn", "ops", "mint", "ds", "np", "compat", "self", "grads"),
    *("float", "int", "bool", "tuple", "list", "dict", "str", "type", "object", "isinstance"),
    *("max", "min", "sum", "getattr"),
}
"""What a target may name besides PyTorch's parameters: modules of MindSpore, and builtins.

`grads`: the gradients that a training step has in MindSpore.
"""

ids = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.signature)


@ids
def test_a_row_is_well_formed(rule: Rule) -> None:
    params = {p.name for p in rule.params}
    assert rule.name.startswith(("torch.", "torchvision.", "einops.", "pytorch_lightning."))
    for named in (*rule.reject, *rule.drop, *rule.kinds):
        assert named in params, f"{named} is no parameter of {rule.signature}"
    for target in filter(None, (rule.target, rule.mint)):
        names = {n.id for n in ast.walk(ast.parse(target, mode="eval")) if isinstance(n, ast.Name)}
        bound = {n.arg for n in ast.walk(ast.parse(target)) if isinstance(n, ast.arg)}
        stored = (n for n in ast.walk(ast.parse(target)) if isinstance(n, ast.Name))
        bound |= {n.id for n in stored if isinstance(n.ctx, ast.Store)}
        bound |= {"owner", "attribute"} if rule.assigned else set()
        assert names <= params | ROOTS | set(MACROS) | bound


@ids
def test_a_row_says_what_its_verdict_needs(rule: Rule) -> None:
    if rule.verdict is Verdict.MISSING:
        assert rule.advice, "what to do instead"
    if rule.verdict is Verdict.DIFFERS:
        assert rule.note or rule.reject, "what differs"
    if rule.verdict not in (Verdict.MISSING, Verdict.LIMITED):
        assert rule.examples, "an example that is run"
