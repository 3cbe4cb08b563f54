"""Families of rows: what is derived from the row of a function."""

from __future__ import annotations

import ast

import pytest

from msconvert.api_mapping.argument import Argument
from msconvert.api_mapping.families import renamed, with_method
from msconvert.api_mapping.macros import one_by_one, spread, truth
from msconvert.api_mapping.rule import Rule

SORT = Rule(
    "torch.f(input, dim=-1, *, out=None)",
    "ops.f(input, axis=dim)",
    reject={"input": "why"},
    example=("torch.f(x)", "torch.f(x + y, dim=1)", "torch.f(input=x)"),
)


def test_the_method_and_what_it_writes_are_derived() -> None:
    function, method, writing = with_method(SORT, fluent=True, inplace=True)
    assert function is SORT
    assert method.signature == "torch.Tensor.f(self, dim=-1)"
    assert method.target == "self.f(axis=dim)"
    assert dict(method.reject) == {"self": "why"}
    assert method.examples == ("x.f()", "(x + y).f(dim=1)")
    assert (writing.signature, writing.writes) == ("torch.Tensor.f_(self, dim=-1)", True)
    assert writing.examples == ("x.f_()\nx",)


def test_aliases_keep_the_rest() -> None:
    (alias,) = renamed(SORT, "torch.linalg.g")
    assert alias.signature == "torch.linalg.g(input, dim=-1, *, out=None)"
    assert alias.examples[0] == "torch.linalg.g(x)"


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("x", "x.bool()"),
        ("x > 0", "(x > 0)"),
        ("~(x == y) & (x < 0)", "(~(x == y) & (x < 0))"),
        ("m & (x < 0)", "(m & (x < 0)).bool()"),
        ("torch.isnan(x)", "torch.isnan(x)"),
    ],
)
def test_only_what_may_not_be_bool_is_made_bool(code: str, written: str) -> None:
    assert truth(Argument(code, ast.parse(code, mode="eval").body)) == written


def test_variadic_arguments_are_handed_on_as_they_were() -> None:
    assert spread(Argument("(2, 3)", parts=("2", "3"))) == "2, 3"
    assert spread(Argument("sizes", parts=("*sizes",))) == "*sizes"
    assert spread(Argument("(2, 3)")) == "(2, 3)"
    assert one_by_one(Argument("[v, w]")) == "v, w"
    assert one_by_one(Argument("tensors")) == "*tensors"
