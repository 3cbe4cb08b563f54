"""How targets are shown: without the macros that write them."""

from __future__ import annotations

import ast

import pytest

from msconvert.api_mapping.table import registry
from msconvert.api_mapping.table.readable_target import readable
from msconvert.api_mapping.table.rule import Rule

RULES = [rule for rule in registry.all_rules() if rule.target]


def test_macros_are_shown_by_what_they_write() -> None:
    shown = readable(registry.find("torch.nn.LeakyReLU")[0])
    assert shown == "nn.LeakyReLU(alpha=negative_slope)"
    rearranged = readable(registry.find("einops.rearrange")[-1])
    assert rearranged == "compat.rearrange(tensor, pattern, **axes_lengths)"
    assert "momentum=1 - momentum" in readable(registry.find("torch.nn.BatchNorm2d")[0])


def test_what_there_is_not_is_shown_as_nothing() -> None:
    assert readable(Rule("torch.gone(x)", advice="leave it out")) == ""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.signature)
def test_what_is_shown_is_python(rule: Rule) -> None:
    for mint in (False, True):
        ast.parse(readable(rule, mint=mint))
