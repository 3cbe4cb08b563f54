"""Families of rows: what is derived from the row of a function."""

from __future__ import annotations

import ast
import inspect

import pytest

from msconvert.api_mapping.syntax.code import text_of
from msconvert.api_mapping.syntax.quotation import expression
from msconvert.api_mapping.syntax.reading import unparsed
from msconvert.api_mapping.table import registry
from msconvert.api_mapping.table.argument import Argument, Call
from msconvert.api_mapping.table.families import (
    over_self,
    parameters_of_method,
    renamed,
    with_method,
)
from msconvert.api_mapping.table.macros import truth
from msconvert.api_mapping.table.rule import Rule
from msconvert.api_mapping.table.template import instantiate

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


FIRST = [
    rule
    for rule in registry.all_rules("torch.")
    if rule.target and rule.params and rule.params[0].kind == "positional"
]


@pytest.mark.parametrize("fluent", [False, True])
def test_the_first_parameter_of_every_target_becomes_self(fluent: bool) -> None:
    assert len(FIRST) > 1000
    for rule in FIRST:
        first, tree = rule.params[0].name, ast.parse(rule.target, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id == first:
                node.id = "self"
        call = tree.body
        if fluent and is_of_self(call):
            call.func.value = call.args.pop(0)  # type: ignore[attr-defined]
        code = over_self(rule.target, first, fluent=fluent)
        assert ast.unparse(ast.parse(code)) == ast.unparse(tree), rule.target


def is_of_self(call: ast.expr) -> bool:
    is_function = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return is_function and bool(call.args) and ast.unparse(call.args[0]) == "self"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["norm", "lu"])
def test_methods_take_no_out(name: str) -> None:
    torch = pytest.importorskip("torch")
    theirs = inspect.signature(getattr(torch.Tensor, name)).parameters
    functions = [rule for rule in registry.find(f"torch.{name}") if "out=None" in rule.signature]
    assert functions
    for function in functions:
        code = f"def f({parameters_of_method(function)}): pass"
        arguments = ast.parse(code).body[0].args  # type: ignore[attr-defined]
        ours = [argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)]
        assert ours == [name for name in theirs if name in ours]


def test_whatever_draws_takes_its_seed_from_the_generator() -> None:
    drawing = [
        rule for rule in registry.all_rules("torch.") if "seed_from(generator)" in rule.target
    ]
    assert len(drawing) > 30
    for rule in drawing:
        calls = [n for n in ast.walk(ast.parse(rule.target)) if isinstance(n, ast.Call)]
        seeds = [keyword.arg for call in calls for keyword in call.keywords]
        assert seeds.count("seed") == sum(ast.unparse(c.func) in DRAWING for c in calls), (
            rule.target
        )


DRAWING = {f"ops.{kind}" for kind in "rand randn randint normal bernoulli multinomial".split()}
DRAWING |= {"ops.rand_like", "ops.randn_like"}


def test_aliases_keep_the_rest() -> None:
    (alias,) = renamed(SORT, "torch.linalg.g")
    assert alias.signature == "torch.linalg.g(input, dim=-1, *, out=None)"
    assert alias.examples[0] == "torch.linalg.g(x)"


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("x", "x.bool()"),
        ("x > 0", "(x > 0)"),
        ("~(x == y) & (x < 0)", "~(x == y) & (x < 0)"),
        ("m & (x < 0)", "(m & (x < 0)).bool()"),
        ("torch.isnan(x)", "torch.isnan(x)"),
    ],
)
def test_only_what_may_not_be_bool_is_made_bool(code: str, written: str) -> None:
    node = ast.parse(code, mode="eval").body
    given = Argument(unparsed(node), node)
    assert text_of(expression("f & g", f=truth(given), g=expression("y"))) == f"{written} & y"


def test_variadic_arguments_are_handed_on_as_they_were() -> None:
    for target, code, written in (
        ("f(spread(x))", "g(2, 3)", "f(2, 3)"),
        ("f(spread(x))", "g(*sizes)", "f(*sizes)"),
        ("f(spread(x))", "g((2, 3))", "f((2, 3))"),
        ("[spread(x)]", "g(*a, b)", "[*a, b]"),
        ("f(one_by_one(x))", "g([v, w])", "f(v, w)"),
        ("f(one_by_one(x))", "g(tensors)", "f(*tensors)"),
        ("f(one_by_one(x))", "g(v, w)", "f(v, w)"),
    ):
        call = ast.parse(code, mode="eval").body
        assert isinstance(call, ast.Call)
        given = Call.of(None, call.args, (), unparsed)
        assert text_of(instantiate(Rule("torch.g(*x)", target), given)) == written
