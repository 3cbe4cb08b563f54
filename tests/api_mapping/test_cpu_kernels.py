"""What is said of MindSpore's CPU kernels is what they do: PyTorch gives something else."""

from __future__ import annotations

import pytest

from msconvert.api_mapping.reference.card import cards
from msconvert.api_mapping.reference.examples import Example
from msconvert.api_mapping.table import cpu_kernels, registry
from msconvert.api_mapping.table.rule import Rule

from .verification import mindspore_python, verify

TOLD = [fact for fact in cpu_kernels.FACTS if fact.example]


def rule_of(fact: cpu_kernels.Fact) -> Rule:
    """A row of the function that the fact is about."""
    return next(rule for name in cpu_kernels.full_names(fact) for rule in registry.find(name))


def test_every_name_is_one_of_the_table() -> None:
    for fact in cpu_kernels.FACTS:
        found = [name for name in cpu_kernels.full_names(fact) if registry.find(name)]
        assert len({name.rpartition(".")[2] for name in found}) == len(
            {name.rpartition(".")[2] for name in fact.names.split()}
        )


def test_a_card_tells_it_and_the_verdict_stays() -> None:
    (card,) = cards("torch.nn.ReLU6")
    assert ("CPU", "On the CPU NaN comes out as a number.") in card.lines()
    assert cpu_kernels.of("torch.Tensor.add_") == cpu_kernels.of("torch.add") != ""
    assert cpu_kernels.of("torch.neg") == ""
    assert card.verdict == "exact"


@pytest.mark.skipif(mindspore_python() is None, reason="needs MindSpore")
def test_mindspore_and_pytorch_part_as_the_facts_say() -> None:
    pytest.importorskip("torch")
    outcomes = verify([Example(rule_of(f), f.example) for f in TOLD], mindspore_python())
    silent = [o.mindspore for o in outcomes if o.mindspore.startswith(("values", "float", "int"))]
    assert len(silent) == len(TOLD), [(o.example.code, o.mindspore) for o in outcomes]
