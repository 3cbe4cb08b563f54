"""Calls become code: arguments bound, templates filled, expressions edited where they stand."""

from __future__ import annotations

import ast

import pytest

from msconvert.api_mapping.reference.examples import Example
from msconvert.api_mapping.syntax.code import text_of
from msconvert.api_mapping.syntax.reading import unparsed
from msconvert.api_mapping.syntax.source_text import Source
from msconvert.api_mapping.table.argument import Call, Refusal, bind
from msconvert.api_mapping.table.rule import Rule
from msconvert.api_mapping.table.template import instantiate

RULE = Rule("torch.f(input, dim=0, *, keep=False, out=None)", "ops.f(input, axis=dim, keep=keep)")
MANY = Rule("torch.g(first, *rest, **options)", "ops.g(first, *rest)")


def call_of(code: str) -> Call:
    tree = ast.parse(code, mode="eval").body
    assert isinstance(tree, ast.Call)
    return Call.of(None, tree.args, tree.keywords, unparsed)


def edited(code: str) -> str:
    return Example(Rule("torch.relu(input)"), code).converted


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("f(x)", {"input": "x", "dim": "0", "keep": "False"}),
        ("f(x, 1)", {"input": "x", "dim": "1", "keep": "False"}),
        ("f(keep=True, dim=-1, input=x)", {"input": "x", "dim": "-1", "keep": "True"}),
        ("f(x, axis=2, keep=k)", {"input": "x", "dim": "2", "keep": "k"}),
    ],
)
def test_arguments_are_bound_to_their_parameters(code: str, expected: dict[str, str]) -> None:
    bound = bind(RULE, call_of(code))
    assert {name: bound[name].text for name in expected} == expected


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("f()", "'input' is not given"),
        ("f(x, 1, 2)", "3 positional arguments"),
        ("f(*xs)", "`*`"),
        ("f(x, input=y)", "'input' is given twice"),
        ("f(x, **options)", r"`\*\*`"),
        ("f(x, keepdims=1)", "no argument 'keepdims'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(code: str, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        bind(RULE, call_of(code))


@pytest.mark.parametrize(
    ("code", "rest"),
    [("g(x)", "()"), ("g(x, y)", "y"), ("g(x, y, z)", "(y, z)"), ("g(x, *ys)", "ys")],
)
def test_a_variadic_parameter_takes_the_rest(code: str, rest: str) -> None:
    assert bind(MANY, call_of(code))["rest"].text == rest


@pytest.mark.parametrize(
    ("target", "code", "expected"),
    [
        ("ops.f(input, axis=dim)", "f(x)", "ops.f(x)"),
        ("ops.f(input, axis=always(dim))", "f(x)", "ops.f(x, axis=0)"),
        ("ops.f(input, axis=dim)", "f(x, 1 if a else 2)", "ops.f(x, axis=1 if a else 2)"),
        ("ops.f(axis=dim, x=input)", "f((y := x))", "ops.f(x=(y := x))"),
        ("input - dim", "f(-x, 2)", "-x - 2"),
        ("always(dim) - input", "f(x, a + b)", "a + b - x"),
        ("ops.f(input, dim)", "f(x, [0, 1])", "ops.f(x, (0, 1))"),
        ("input.f(dim)", "f(a + b, c)", "(a + b).f(c)"),
        ("input.f(dim)", "f(1, c)", "(1).f(c)"),
        ("input[dim]", "f(x, a or b)", "x[a or b]"),
        ("input.f(dim)", "f(lambda: 1, lambda: 2)", "(lambda: 1).f(lambda: 2)"),
        ("dim * input", "f([n for n in x], (1, 2))", "(1, 2) * [n for n in x]"),
        ('ops.f(input, "say")', "f('a \"b\"')", 'ops.f(\'a "b"\', "say")'),
    ],
)
def test_a_template_is_filled(target: str, code: str, expected: str) -> None:
    rule = Rule("torch.f(input, dim=0)", target)
    assert text_of(instantiate(rule, call_of(code))) == expected


@pytest.mark.parametrize(
    "value",
    [
        "same",
        'sa"me',
        "sa'me",
        """both ' and " """,
        "a\\b\n",
        "\x1b[2J\u202e",
        '" + exit() + "',
        '"); exit(); ("',
        "{exit()}",
        "",
    ],
)
def test_texts_of_the_source_stay_texts(value: str) -> None:
    for target in ("ops.f(**convolved(input))", "ops.f(capitals(input))"):
        rule = Rule("torch.f(input)", target)
        code = text_of(instantiate(rule, call_of(f"f({value!r})")))
        (call,) = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
        (given,) = [*call.args, *(keyword.value for keyword in call.keywords)]
        assert isinstance(given, ast.Constant)
        assert given.value == (value.upper() if "capitals" in target else value)


def test_what_has_no_place_is_refused_if_it_says_something() -> None:
    rule = Rule("torch.f(input, keep=False)", "ops.f(input)")
    assert text_of(instantiate(rule, call_of("f(x, keep=False)"))) == "ops.f(x)"
    with pytest.raises(Refusal, match="keep=True"):
        instantiate(rule, call_of("f(x, keep=True)"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("y = torch.neg(x)  # first", "y = ops.neg(x)  # first"),
        ("torch.add(\n    x,  # left\n    -y,\n)", "ops.add(\n    x,  # left\n    -y,\n)"),
        ("torch.neg(x  # left\n    + y)", "ops.neg(x  # left\n    + y)"),
        ("z = (torch.neg(x)  # kept\n     + y)", "z = (ops.neg(x)  # kept\n     + y)"),
        ("'é', torch.neg(x), 'ü', torch.abs(y)", "'é', ops.neg(x), 'ü', ops.abs(y)"),
        ("a = '\\x0c'; b = 1\n", "a = '\\x0c'; b = 1\n"),
        ("(1,\x0c\n torch.neg(x))", "(1,\x0c\n ops.neg(x))"),
        ("torch.neg(torch.abs(torch.neg(x)))", "ops.neg(ops.abs(ops.neg(x)))"),
        ("lambda t: torch.neg(t)", "lambda t: ops.neg(t)"),
        ("[torch.neg(t) for t in x if torch.abs(t)]", "[ops.neg(t) for t in x if ops.abs(t)]"),
        ("F.dropout(x, p=0)", "ops.dropout(x, p=0.0)"),
        (
            'nn.GELU("tanh" if c else "none")',
            'nn.GELU(approximate=("tanh" if c else "none") == "tanh")',
        ),
        ("torch.neg(y := x)", "ops.neg((y := x))"),
        ("torch.add(*[x, *(y,)])", "ops.add(x, y)"),
        ("torch.add(**{'input': x, 'other': y})", "ops.add(x, y)"),
        ("torch.neg(x if c else y)", "ops.neg(x if c else y)"),
        ("(x if c else y).neg()", "(x if c else y).neg()"),
        ("(x\n .neg())", "(x\n .neg())"),
        ("2 - x.__div__(y)", "2 - x / y"),
        ("x.__div__(y) ** 2", "(x / y) ** 2"),
        ("x.__div__(y).shape", "(x / y).shape"),
        ("torch.neg(x.__div__(y))", "ops.neg(x / y)"),
        ("-torch.neg(x)", "-ops.neg(x)"),
    ],
)
def test_expressions_are_edited_where_they_stand(code: str, expected: str) -> None:
    assert edited(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('f"{torch.neg(x)} é {torch.neg(x)!r:>10}"', 'f"{ops.neg(x)} é {ops.neg(x)!r:>10}"'),
        ('f"{x:{torch.neg(y)}} {torch.abs(x)}"', 'f"{x.item():{ops.neg(y)}} {ops.abs(x)}"'),
        ('f"{{torch}} {torch.neg(x)}"', 'f"{{torch}} {ops.neg(x)}"'),
        ("f'''a\n{torch.neg(x)}\n'''", "f'''a\n{ops.neg(x)}\n'''"),
        (
            "('a' f'{torch.neg(x)}'\n  f'{torch.abs(x)}')",
            "('a' f'{ops.neg(x)}'\n  f'{ops.abs(x)}')",
        ),
    ],
)
def test_fields_of_f_strings_are_edited(code: str, expected: str) -> None:
    assert edited(code) == expected


def test_quotes_in_an_f_string_are_those_it_leaves() -> None:
    code = 'nn.Conv2d(3, 4, 3, padding="same")'
    assert edited(code).count('"') == 2
    assert edited(f"f'{{{code}}}'") == f"f'{{{edited(code)}}}'"
    swapped = code.replace('"', "'")
    assert edited(f'f"{{{swapped}}}"') == 'f"{' + edited(code).replace('"', "'") + '}"'


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x.mul_(2)", "x = x.mul(2)"),
        ("x.mul_(2).add_(y)", "x = x.mul(2).add(y)"),
        ("x = x.mul_(2)", "x = x.mul(2)"),
        ("y = x.mul_(2)", "y = (x := x.mul(2))"),
        ("y = x.mul_(2).add_(3)", "y = (x := x.mul(2).add(3))"),
        ("x = torch.neg(x.mul_(2))", "x = ops.neg(x.mul(2))"),
        ("x = torch.neg(x.mul_(2)) + x", "x = ops.neg((x := x.mul(2))) + x"),
        ("def f(x):\n    return x.mul_(2)", "def f(x):\n    return x.mul(2)"),
        ("[t.mul_(2) for t in ts]", "[t.copy_(t.mul(2)) for t in ts]"),
        ("y = x.data.mul_(2)", "y = x.data.copy_(x.data.mul(2))"),
        ("y = torch.abs(x).mul_(2)", "y = ops.abs(x).mul(2)"),
        ("y = torch.relu(x).mul_(2)", "y = ops.relu(x).mul(2)"),
        ("torch.relu_(*[x])", "x = ops.relu(x)"),
        ("torch.relu_(input=x)", "x = ops.relu(x)"),
        ("(n := x).relu_()", "(n := x).copy_(ops.relu((n := x)))"),
        ("y = F.relu(x, inplace=True)", "y = (x := ops.relu(x))"),
    ],
)
def test_what_is_written_to_a_tensor_is_kept(code: str, expected: str) -> None:
    assert edited(code) == expected


@pytest.mark.parametrize("code", ["x.view(-1).mul_(2)", "y = x[0].mul_(2)", "x.t().mul_(2)"])
def test_writing_to_a_part_of_a_tensor_is_refused(code: str) -> None:
    with pytest.raises(Refusal, match="part of a tensor"):
        edited(code)


def test_what_acts_is_not_written_twice() -> None:
    assert edited("torch.randint_like(-x, 3)").count("-x") == 2
    for code in ("net(x)", "torch.rand(3)", "(y := x)"):
        with pytest.raises(Refusal, match="twice"):
            edited(f"torch.randint_like({code}, 3)")


@pytest.mark.parametrize(
    "bound",
    ["abs(6 / (n + m))", "float(-n)", "max(abs(n), 1)", "1 / len(n)"],
)
def test_a_number_that_is_computed_may_stand_twice(bound: str) -> None:
    code = f"x.uniform_(-{bound}, {bound})"
    assert edited(code).count(f"-{bound}") == 2


@pytest.mark.parametrize(
    "bound", ["draw(n)", "abs(draw())", "abs(next(n))", "(m := n)", "n.pop()", "sqrt(n)"]
)
def test_a_number_that_may_be_another_each_time_stands_once(bound: str) -> None:
    with pytest.raises(Refusal, match="twice"):
        edited(f"x.uniform_(-{bound}, 1)")


def test_lines_are_those_of_python() -> None:
    assert Source.of("a\x0cb\r\nc\u2028d\re\nf").lines == ["a\x0cb\r\n", "c\u2028d\r", "e\n", "f"]
