"""Variants of the table's examples: the same call as others write it, or with other arguments."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msconvert.api_mapping.reference import examples as of_rows
from msconvert.api_mapping.reference.examples import Example
from msconvert.api_mapping.rewriting.places import Places
from msconvert.api_mapping.rewriting.snippet import rewritten
from msconvert.api_mapping.table import registry
from msconvert.api_mapping.table.argument import DROPPED
from msconvert.api_mapping.table.named import Named
from msconvert.api_mapping.table.rule import Param
from msconvert.tests.api_mapping.inputs import INPUTS
from msconvert.tests.api_mapping.other_values import others

ALIASES = {"th": "torch", "functional": "torch.nn.functional", "layers": "torch.nn"}
"""Other names of PyTorch's modules, as people import them."""

NOT_GIVEN = DROPPED | {"out", "generator"}
"""Parameters that are not given by default's value: every row would be asked the same."""

OTHER_TYPES = {"x": "ihb", "y": "jd", "p": "j", "i": "xkb", "a": ("a.long()",)}
"""Inputs of the same shape and another element type."""

WITHIN = ("2 - VALUE", "-VALUE", "VALUE ** 2", "VALUE[0]", "VALUE.shape", "VALUE * 3 - VALUE")

TENSORS = {name for name in INPUTS if name not in ("pixels", "picture", "weight", "kernel")}


@dataclass(frozen=True)
class Variant(Example):
    """An example in another form; `known` are the kinds of its own variables."""

    form: str = ""
    known: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def converted(self) -> str:
        """The MindSpore side.

        Raises: Refusal
        """
        return rewritten(self.code, Places(self.resolve, self.kind_of), mint=self.mint)

    def kind_of(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name) and node.id in self.known:
            return self.known[node.id]
        return of_rows.kind_of(node)

    def resolve(self, node: ast.expr) -> Named | None:
        head, _, rest = of_rows.dotted(node).partition(".")
        if head in ALIASES:
            return Named(f"{ALIASES[head]}.{rest}") if rest else None
        return super().resolve(node)


@dataclass(frozen=True)
class Site:
    """The call of an example that its row is about, its arguments by PyTorch's parameters."""

    example: Example
    call: ast.Call
    receiver: ast.expr | None
    given: Mapping[str, ast.expr]

    @property
    def params(self) -> Sequence[Param]:
        """PyTorch's parameters, without the receiver of a method."""
        places = self.example.rule.params
        return places if self.receiver is None else places[1:]

    def with_call(self, call: ast.expr) -> str:
        """The code of the example, with another expression for its call."""
        tree = ast.parse(self.example.code)
        place = Replacing(ast.dump(self.call), call)
        return ast.unparse(place.visit(tree)).replace("'", '"')

    def with_arguments(self, given: Mapping[str, ast.expr], by_place: int) -> str:
        """The code with these arguments, the first ones by place."""
        names = [p.name for p in self.params if p.name in given]
        places = [given[name] for name in names[:by_place]]
        keywords = [ast.keyword(name, given[name]) for name in names[by_place:]]
        return self.with_call(ast.Call(self.call.func, places, keywords))

    def changed(self, name: str, value: ast.expr) -> str:
        """The code with one argument more or another one; the given places stay."""
        place = {p.name: n for n, p in enumerate(self.params)}.get(name, -1)
        call = copy.deepcopy(self.call)
        if 0 <= place < len(call.args):
            call.args[place] = value
            return self.with_call(call)
        call.keywords = [k for k in call.keywords if k.arg != name]
        call.keywords.append(ast.keyword(name, value))
        return self.with_call(call)


class Replacing(ast.NodeTransformer):
    """Puts an expression in place of the first that is dumped so."""

    def __init__(self, dumped: str, by: ast.expr) -> None:
        self.dumped, self.by, self.done = dumped, by, False

    def visit(self, node: ast.AST) -> ast.AST:
        if not self.done and isinstance(node, ast.Call) and ast.dump(node) == self.dumped:
            self.done = True
            return self.by
        return self.generic_visit(node)


def site(example: Example) -> Site | None:
    """Where an example calls its row's API, None if it does not, or with `*`."""
    for node in ast.walk(ast.parse(example.code)):
        named = example.resolve(node.func) if isinstance(node, ast.Call) else None
        if named is not None and named.api == example.rule.name and isinstance(node, ast.Call):
            params = example.rule.params[named.receiver is not None :]
            names = [p.name for p in params if p.kind == "positional"]
            starred = any(isinstance(a, ast.Starred) for a in node.args)
            by_name = {str(k.arg): k.value for k in node.keywords}
            if (
                starred
                or len(node.args) > len(names)
                or not by_name.keys() <= {p.name for p in params}
            ):
                return None
            given = dict(zip(names, node.args, strict=False)) | by_name
            return Site(example, node, named.receiver, given)
    return None


Form = Callable[[Site], Iterator[str]]


def by_keyword(at: Site) -> Iterator[str]:
    yield at.with_arguments(at.given, 0)


def by_keyword_but_one(at: Site) -> Iterator[str]:
    yield at.with_arguments(at.given, 1)


def reordered(at: Site) -> Iterator[str]:
    """The keywords in the opposite order."""
    names = [p.name for p in at.params if p.name in at.given]
    for first in (0, 1):
        keywords = [ast.keyword(name, at.given[name]) for name in names[first:][::-1]]
        if len(keywords) > 1:
            places = [at.given[name] for name in names[:first]]
            yield at.with_call(ast.Call(at.call.func, places, keywords))


def by_place(at: Site) -> Iterator[str]:
    """As many arguments as can be by place, PyTorch's defaults between them."""
    places = [p for p in at.params if p.kind == "positional"]
    last = max((n for n, p in enumerate(places) if p.name in at.given), default=-1)
    values = {p.name: value(p) for p in places[: last + 1] if p.default is not None} | at.given
    yield at.with_arguments(values, last + 1)


def all_defaults(at: Site) -> Iterator[str]:
    """Every optional parameter given, by PyTorch's default: by name and by place."""
    values = {p.name: value(p) for p in at.params if p.default and p.name not in NOT_GIVEN}
    given = values | dict(at.given)
    yield at.with_arguments(given, sum(p.default is None for p in at.params))
    yield at.with_arguments(given, sum(p.kind == "positional" for p in at.params))


def default_given(at: Site) -> Iterator[str]:
    """One optional parameter given as PyTorch's default."""
    for param in at.params:
        if param.name not in at.given and param.default and param.name not in NOT_GIVEN:
            yield at.changed(param.name, value(param))


def left_out(at: Site) -> Iterator[str]:
    """One optional argument left out."""
    for param in at.params:
        if param.name in at.given and param.default is not None:
            rest = {name: v for name, v in at.given.items() if name != param.name}
            places = [p.name for p in at.params].index(param.name)
            yield at.with_arguments(rest, min(places, len(at.call.args)))


def varied(at: Site) -> Iterator[str]:
    """One argument of another value, or an optional one given."""
    for param in at.params:
        if param.name in NOT_GIVEN or param.kind in ("variadic", "keywords"):
            continue
        now = at.given.get(param.name) or (value(param) if param.default else None)
        for text in others(param.name, "" if now is None else ast.unparse(now)):
            yield at.changed(param.name, expression(text))


def other_types(at: Site) -> Iterator[str]:
    """A tensor of another element type."""
    if "image" in at.example.code or "layer" in at.example.code:
        return
    for name in tensors(at.call):
        for other in {"x": "ihb", "y": "jd", "p": "j", "i": "xkb", "a": ("a.long()",)}.get(
            name, ""
        ):
            call = Renaming(name, expression(other)).visit(copy.deepcopy(at.call))
            yield at.with_call(call)


def as_function(at: Site) -> Iterator[str]:
    """A method as the function of its name, and as that of the class."""
    name = at.example.rule.name.rpartition(".")[2]
    if at.receiver is not None and at.example.rule.name.startswith("torch.Tensor."):
        for owner in ("torch", "torch.Tensor", "F"):
            if registry.find(f"{owner}.{name}".replace("F.", "torch.nn.functional.")):
                args = [at.receiver, *at.call.args]
                yield at.with_call(ast.Call(expression(f"{owner}.{name}"), args, at.call.keywords))


def as_method(at: Site) -> Iterator[str]:
    """A function as the method of its name."""
    owner, _, name = at.example.rule.name.rpartition(".")
    is_function = owner in ("torch", "torch.nn.functional") and registry.find(
        f"torch.Tensor.{name}"
    )
    if is_function and at.call.args and tensors(at.call.args[0]):
        func = ast.Attribute(at.call.args[0], name, ast.Load())
        yield at.with_call(ast.Call(func, at.call.args[1:], at.call.keywords))


def receivers(at: Site) -> Iterator[str]:
    """The method of an expression, or the function of one."""
    for name in tensors(at.call)[:2]:
        for text in (f"-{name}", f"{name} + {name}", f"[{name}][0]", f"{name}[:]"):
            yield at.with_call(Renaming(name, expression(text)).visit(copy.deepcopy(at.call)))


def magnitudes(at: Site) -> Iterator[str]:
    """Numbers so large or small that the same formula, written otherwise, gives others."""
    for name in [name for name in tensors(at.call) if INPUTS[name].dtype.kind == "f"][:2]:
        for text in (f"60 * {name}", f"{name} * 1e-8"):
            yield at.with_call(Renaming(name, expression(text)).visit(copy.deepcopy(at.call)))


def broadcast(at: Site) -> Iterator[str]:
    """One of several tensors with fewer elements, for which PyTorch repeats them."""
    for name in tensors(at.call)[:2] if len(tensors(at.call)) > 1 else ():
        for text in (f"{name}[:1]", f"{name}[..., :1]"):
            yield at.with_call(Renaming(name, expression(text)).visit(copy.deepcopy(at.call)))


def expressions(at: Site) -> Iterator[str]:
    """Numbers as expressions that need parentheses beside an operator."""
    for name, argument in at.given.items():
        number = literal(argument)
        if isinstance(number, int | float) and not isinstance(number, bool):
            for text in (f"{number} + 0", f"{number} if True else 0", f"(lambda: {number})()"):
                yield at.changed(name, expression(text))


def within(at: Site) -> Iterator[str]:
    """The call as a part of a larger expression."""
    for text in WITHIN:
        outer = expression(text)
        yield at.with_call(Renaming("VALUE", at.call).visit(outer))


def nested(at: Site) -> Iterator[str]:
    """Calls of PyTorch's as arguments."""
    for name in tensors(at.call)[:2]:
        for text in (f"torch.abs({name})", f"{name}.clone()", f"torch.flip({name}, [0])"):
            yield at.with_call(Renaming(name, expression(text)).visit(copy.deepcopy(at.call)))


def aliased(at: Site) -> Iterator[str]:
    """The module under another name."""
    text = ast.unparse(at.call.func)
    for short, module in (("th", "torch."), ("functional", "F."), ("layers", "nn.")):
        if text.startswith(module):
            func = expression(f"{short}.{text.removeprefix(module)}")
            yield at.with_call(ast.Call(func, at.call.args, at.call.keywords))


def variables(at: Site) -> Iterator[tuple[str, dict[str, str]]]:
    """Each literal argument as a variable whose value is not seen in the call; the last as all."""
    literals = {name: v for name, v in at.given.items() if literal(v) is not ...}
    for chosen in (*([name] for name in literals), [*literals]):
        call = copy.deepcopy(at.call)
        named = {name: f"given_{name}" for name in chosen}
        swapped = {ast.dump(literals[name]): variable for name, variable in named.items()}
        call.args = [swap(a, swapped) for a in call.args]
        call.keywords = [ast.keyword(k.arg, swap(k.value, swapped)) for k in call.keywords]
        begin = "".join(f"{v} = {ast.unparse(literals[n])}\n" for n, v in named.items())
        known = {v: of_rows.kind_of(literals[n]) for n, v in named.items()}
        yield begin + at.with_call(call), known


def unknown(at: Site) -> Iterator[tuple[str, dict[str, str]]]:
    """The same with variables of which nothing is known."""
    for code, known in variables(at):
        yield code, dict.fromkeys(known, "")


def splatted(at: Site) -> Iterator[str]:
    """Arguments behind `*` and `**`."""
    if at.call.args:
        every = ast.Starred(ast.List(at.call.args, ast.Load()), ast.Load())
        yield at.with_call(ast.Call(at.call.func, [every], at.call.keywords))
    if at.call.keywords:
        names = [ast.Constant(k.arg) for k in at.call.keywords]
        pairs = ast.Dict(names, [k.value for k in at.call.keywords])
        yield at.with_call(ast.Call(at.call.func, at.call.args, [ast.keyword(None, pairs)]))


def assigned(at: Site) -> Iterator[str]:
    """An argument as an assignment expression; the call in an f-string, whose text is dropped."""
    for name in tensors(at.call)[:1]:
        named = ast.NamedExpr(ast.Name("n", ast.Store()), ast.Name(name, ast.Load()))
        yield at.with_call(Renaming(name, named).visit(copy.deepcopy(at.call)))
        call = ast.unparse(at.call).replace('"', "'")
        if "\n" not in at.example.code and "{" not in call:
            yield f'f"{{{call}}} {{{call}}}"\n{at.example.code}'


FORMS: Mapping[str, Callable[[Site], Iterator]] = {
    form.__name__: form
    for form in (
        *(by_keyword, by_keyword_but_one, reordered, by_place, all_defaults, default_given),
        *(left_out, varied, other_types, as_function, as_method, receivers, expressions),
        *(within, nested, aliased, variables, unknown, splatted, assigned),
        *(magnitudes, broadcast),
    )
}


def swap(argument: ast.expr, variables: Mapping[str, str]) -> ast.expr:
    variable = variables.get(ast.dump(argument))
    return argument if variable is None else ast.Name(variable, ast.Load())


class Renaming(ast.NodeTransformer):
    """Puts an expression in place of a name."""

    def __init__(self, name: str, by: ast.expr) -> None:
        self.name, self.by = name, by

    def visit_Name(self, node: ast.Name) -> ast.expr:
        is_read = node.id == self.name and isinstance(node.ctx, ast.Load)
        return self.by if is_read else node


def tensors(node: ast.AST) -> list[str]:
    """The inputs that an expression names, in order."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in TENSORS]
    return list(dict.fromkeys(names))


def value(param: Param) -> ast.expr:
    return expression(param.default or "None")


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def variants(
    prefix: str = "", forms: Sequence[str] = tuple(FORMS), share: float = 1.0
) -> Iterator[Variant]:
    """The variants of the examples of the rows whose names begin so, none twice.

    `share`: of the forms of each example, the same ones each time.
    """
    seen: set[tuple[str, str, str]] = set()
    for example in of_rows.examples(prefix):
        at = None if example.mint or example.rule.check == "alone" else site(example)
        if at is None:
            continue
        same = ast.unparse(ast.parse(example.code)).replace("'", '"')
        for form in (form for form in forms if digest(f"{example.id}|{form}") < share):
            for made in FORMS[form](at):
                code, known = (made, {}) if isinstance(made, str) else made
                key = (example.rule.name, code, repr(known))
                if key not in seen and code != same:
                    seen.add(key)
                    yield Variant(example.rule, code, form=form, known=known)


def digest(text: str) -> float:
    """A number from 0 to 1 by a text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32
