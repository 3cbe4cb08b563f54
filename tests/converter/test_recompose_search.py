"""The search for rules' patterns: what is dismissed at a glance would not have matched."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.converter.graph.prepare import prepare
from msconvert.converter.recompose import RULES, rewrite
from msconvert.converter.recompose.edit import Editor
from msconvert.converter.recompose.pattern import Call, Found
from msconvert.converter.source.load import load
from msconvert.tests.bad_models import saved
from msconvert.tests.converter.growth import chain, fan, gates, layers, sizes
from msconvert.tests.converter.random_graphs import random_model

MODELS = {
    "a chain of sums": chain("Add", 20, 1),
    "a chain of products": chain("Mul", 20, 1),
    "a fan": fan("Sum", 10),
    "gates": gates(10),
    "layers": layers(5, "layers.{}.weight"),
    "sizes": sizes("Mul", 5),
    **{f"random {seed}": random_model(seed) for seed in range(12)},
}


def is_call(pattern: Call, value: str, graph: Editor) -> bool:
    """What a node must be to match, its inputs not looked at."""
    node = graph.producer(value)
    kind = None if node is None else (node.op, node.domain, node.outputs[0])
    return kind == (pattern.op, pattern.domain, value)


@pytest.mark.parametrize("name", MODELS)
def test_what_may_not_match_does_not(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = Editor(prepare(load(saved(MODELS[name], tmp_path))).graph)
    values = [node.outputs[0] for node in editor.nodes()]
    pairs = [(rule, value) for rule in RULES.values() for value in values]
    dismissed = [(r, value) for r, value in pairs if not r.pattern.may_match(value, editor)]
    assert dismissed or len(values) < 3
    monkeypatch.setattr(Call, "may_match", is_call)
    for rule, value in dismissed:
        assert not list(rule.pattern.match(value, Found(), editor)), rule.name


@pytest.mark.parametrize("name", MODELS)
def test_a_rule_whose_operators_are_absent_matches_nowhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = Editor(prepare(load(saved(MODELS[name], tmp_path))).graph)
    absent = [rule for rule in RULES.values() if not rule.pattern.may_occur(editor)]
    assert absent
    monkeypatch.setattr(Call, "may_match", is_call)
    for rule in absent:
        for node in editor.nodes():
            assert not list(rule.pattern.match(node.outputs[0], Found(), editor)), rule.name


PLAIN = {
    "sums": chain("Add", 50, 1),
    "products": chain("Mul", 50, 1),
    "quotients": chain("Div", 50, 1),
    "differences": chain("Sub", 50, 1),
    "powers": chain("Pow", 50, 1),
    "activations": chain("Relu", 50),
    "a fan": fan("Sum", 50),
}


@pytest.mark.parametrize("name", PLAIN)
def test_no_rule_is_tried_at_nodes_that_stand_for_themselves(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    monkeypatch.setattr(rewrite, "_try", lambda editor, rule, node: tried.append(rule.name) or "")
    rewrite.recompose(prepare(load(saved(PLAIN[name], tmp_path))).graph)
    assert tried == []


@pytest.mark.parametrize("name", MODELS)
def test_nodes_of_operators_are_in_the_order_of_the_graph(name: str, tmp_path: Path) -> None:
    editor = Editor(prepare(load(saved(MODELS[name], tmp_path))).graph)
    ops = sorted({node.op for node in editor.nodes()})
    for some in (ops, ops[:1], ops[::2], ops[1:], []):
        assert editor.nodes_of(some) == [node for node in editor.nodes() if node.op in some]
