"""Which name and shape each parameter gets: by a weight map, by structure, by what the user says.

What stays ambiguous is no step of the plan but a question: nothing is guessed.
"""

from __future__ import annotations

import fnmatch
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ...errors import MsconvertError
from .naming import (
    BATCH_NORM,
    LEAVES,
    LEFT_OUT,
    PLAIN,
    TRANSFORMER_LAYER,
    TRANSFORMER_PARTS,
    VOLUME_NORM,
    Guess,
    Naming,
    Shape,
    fits,
    fits_back,
    guesses,
    guesses_back,
    split,
    split_back,
    transformer_guesses,
)

if TYPE_CHECKING:
    from .weight_map import Choice, ClassMap, NamedWeight, NameMap

Shapes = Mapping[str, Shape]


@dataclass(frozen=True)
class Step:
    """What becomes of one parameter: its new name (LEFT_OUT: none) and shape, and who says so.

    `how`: "map", "structure", "given" (by the user), "same" (nothing renames it), "unmapped" (left
    out, as the map has it not). `layer`: what the structure was taken for. `turned`: the two axes
    of a matrix change places.
    """

    old: str
    new: str
    shape: Shape
    how: str
    layer: str = ""
    turned: bool = False


@dataclass(frozen=True)
class Question:
    """A parameter that layers of several kinds could have, each with another name for it.

    `reason`: or why else it has no new name.
    """

    name: str
    layers: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Added:
    """A parameter that MindSpore's layer has and PyTorch's has not, with its constant value."""

    name: str
    like: str
    value: float


@dataclass(frozen=True)
class Plan:
    """The renaming of a whole file; it can be carried out if there are no questions."""

    steps: tuple[Step, ...]
    questions: tuple[Question, ...] = ()
    added: tuple[Added, ...] = ()
    root: str = ""
    prefix: str = ""

    def of(self, how: str) -> list[Step]:
        return [step for step in self.steps if step.how == how]

    @property
    def left_out(self) -> list[Step]:
        return [step for step in self.steps if step.new == LEFT_OUT]

    @property
    def renamed(self) -> list[Step]:
        return [step for step in self.steps if step.new not in (step.old, LEFT_OUT)]


@dataclass(frozen=True)
class Wishes:
    """What the user says: `renames` of single parameters, `layers` by patterns of paths."""

    renames: Mapping[str, str] = field(default_factory=dict)
    layers: Sequence[tuple[str, Naming]] = ()
    left_out: Sequence[str] = ()
    root: str = ""


@dataclass(frozen=True)
class Direction:
    """To MindSpore's names, or back to PyTorch's."""

    back: bool = False

    def split(self, name: str) -> tuple[str, str]:
        return split_back(name) if self.back else split(name)

    def exchange(self, naming: Naming, inner: str, shape: Shape) -> tuple[str, Shape]:
        """The new name within the layer, and the new shape."""
        if self.back:
            return naming.original(inner), naming.unshaped(inner, shape)
        return naming.renamed(inner), naming.shaped(inner, shape)

    def fits(self, layer: str, naming: Naming, parts: Shapes) -> bool:
        """Whether the parameters of a module can be those of this layer."""
        if not self.back:
            return fits(layer, parts)
        if not fits_back(naming, parts):
            return False
        return fits(layer, dict(self.exchange(naming, *part) for part in parts.items()))


@dataclass(frozen=True)
class Option:
    """One way to name a parameter: it is `inner` of the layer at `path`."""

    path: str
    inner: str
    layer: str
    naming: Naming


class Resolver:
    """Finds the steps for all parameters of a file."""

    def __init__(
        self, shapes: Shapes, known: ClassMap | None, wishes: Wishes, direction: Direction
    ) -> None:
        self.shapes = shapes
        self.known = known
        self.wishes = wishes
        self.direction = direction
        self.parts: dict[str, dict[str, Shape]] = defaultdict(dict)
        for name, shape in shapes.items():
            path, inner = direction.split(name)
            self.parts[path][inner] = shape
        self.adopted: dict[str, tuple[str, ...]] = {}
        self.guessed: dict[str, list[Guess]] = {}
        ranks = {len(shape) for shape in shapes.values()}
        self.has_volumes, self.has_images = 5 in ranks, 4 in ranks

    @cached_property
    def inner(self) -> Mapping[str, set[str]]:
        """The names of what each module has, by its path."""
        found: dict[str, set[str]] = defaultdict(set)
        for name in self.shapes:
            parts = name.split(".")
            for place, part in enumerate(parts):
                found[".".join(parts[:place])].add(part)
        return found

    def step(self, name: str, root: str) -> Step | Question:
        """What becomes of a parameter."""
        given = self.given(name)
        if given is not None:
            return given
        options = list(self.options(name, root)) if root else []
        options = options or list(self.options_within(name))
        found = self.outcomes(name, options)
        if len(found) > 1:
            return Question(name, tuple(dict.fromkeys(found.values())))
        if found:
            (new, shape), _layer = next(iter(found.items()))
            return Step(name, new, shape, "map")
        return self.by_structure(name)

    def given(self, name: str) -> Step | None:
        """What the user says of a parameter, None if nothing."""
        shape = self.shapes[name]
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in self.wishes.left_out):
            return Step(name, LEFT_OUT, shape, "given")
        parts = name.split(".")
        for pattern, naming in self.wishes.layers:
            for end in range(len(parts)):
                path, inner = ".".join(parts[:end]), ".".join(parts[end:])
                if fnmatch.fnmatchcase(path, pattern):
                    new, shape = self.direction.exchange(naming, inner, shape)
                    shape = self.shapes[name] if name in self.wishes.renames else shape
                    return self.renamed(Step(name, joined(path, new), shape, "given"))
        if name in self.wishes.renames:
            return self.renamed(Step(name, name, shape, "given"))
        return None

    def renamed(self, step: Step) -> Step:
        """The step with the name that the user gives, if there is one."""
        return replace(step, new=self.wishes.renames.get(step.old, step.new))

    def options(self, name: str, root: str, start: int = 0) -> Iterator[Option]:
        """Every way in which the map leads to the parameter, from a class at the place `start`."""
        assert self.known is not None
        nodes: Choice = (root,)
        parts = name.split(".")
        for place, part in list(enumerate(parts))[start:]:
            path, inner = ".".join(parts[:place]), ".".join(parts[place:])
            following: dict[object, None] = {}
            for node in nodes:
                if isinstance(node, str):
                    yield from self.ends(Option(path, inner, node, PLAIN))
                following |= dict.fromkeys(self.known.inside(node, part))
            nodes = tuple(following)  # type: ignore[arg-type]

    def options_within(self, name: str) -> Iterator[Option]:
        """The same for a parameter that the root does not lead to.

        Of the modules on the way, the outermost that has just the attributes of a class of the
        map is taken for one.
        """
        parts = name.split(".")
        for place in range(len(parts) - 1):
            classes = self.classes_at(".".join(parts[:place]))
            found = [option for cls in classes for option in self.options(name, cls, place)]
            if found:
                yield from found
                return

    def classes_at(self, path: str) -> tuple[str, ...]:
        """The classes of the map that have all attributes of the module at this path."""
        if self.known is None:
            return ()
        if path not in self.adopted:
            has, inner = self.known.has_attribute, self.inner[path]
            classes = [cls for cls in self.known.classes if all(has(cls, name) for name in inner)]
            self.adopted[path] = tuple(classes)
        return self.adopted[path]

    def ends(self, at: Option) -> Iterator[Option]:
        """The options in which the parameter is the class's own, or its layer's."""
        assert self.known is not None
        direct = "." not in at.inner and self.known.is_own(at.layer)
        if direct or self.known.has_tensor(at.layer, at.inner):
            yield at
            return
        for layer in self.known.layers_of(at.layer):
            naming = self.known.layers[layer]
            parts = self.parts.get(at.path, {})
            if at.inner not in parts and layer.rpartition(".")[2] in LEAVES:
                continue
            if self.direction.fits(layer, naming, parts):
                yield Option(at.path, at.inner, layer, naming)

    def outcomes(self, name: str, options: Iterable[Option]) -> dict[tuple[str, Shape], str]:
        """The different names and shapes that the options lead to, each with a layer."""
        found: dict[tuple[str, Shape], str] = {}
        for option in options:
            new, shape = self.direction.exchange(option.naming, option.inner, self.shapes[name])
            whole = joined(option.path, new)
            found.setdefault((whole, shape), option.layer.rpartition(".")[2])
        return found

    def by_structure(self, name: str) -> Step | Question:
        """What the parameters beside this one tell of its layer."""
        path, inner = self.direction.split(name)
        found = self.guesses(path)
        parent, _, last = path.rpartition(".")
        if self.is_transformer(parent):
            wider = transformer_guesses(f"{last}.{inner}", self.direction.back)
            path, inner, found = (
                (parent, f"{last}.{inner}", wider) if wider else (path, inner, found)
            )
        options = [Option(path, inner, guess.layer, guess.naming) for guess in found]
        outcomes = self.outcomes(name, options)
        if len(outcomes) > 1:
            return Question(name, tuple(outcomes.values()))
        if not outcomes:
            outcomes = self.outcomes(name, [Option(path, inner, "", PLAIN)])
        ((new, shape), layer) = next(iter(outcomes.items()))
        how = "same" if (new, shape) == (name, self.shapes[name]) else "structure"
        return Step(name, new, shape, how, layer)

    def is_transformer(self, path: str) -> bool:
        """Whether the module has the parts of nn.TransformerEncoderLayer."""
        back = self.direction.back
        parts = [TRANSFORMER_LAYER.renamed(p) if back else p for p in TRANSFORMER_PARTS]
        return all(joined(path, part) in self.shapes for part in parts)

    def guesses(self, path: str) -> list[Guess]:
        """The layers that the module at this path may be; looked for once, in all its parts."""
        if path not in self.guessed:
            parts = self.parts[path]
            back = self.direction.back
            self.guessed[path] = (
                guesses_back(parts) if back else guesses(parts, self.has_volumes, self.has_images)
            )
        return self.guessed[path]

    def covered(self, root: str) -> tuple[int, int]:
        """How many parameters the map's class leads to; how many it has an attribute for."""
        assert self.known is not None
        reached = begun = 0
        for name in self.shapes:
            first = name.partition(".")[0]
            reached += any(True for _option in self.options(name, root))
            begun += self.known.has_attribute(root, first)
        return reached, begun


def joined(path: str, inner: str) -> str:
    """The whole name; LEFT_OUT if there is none within the layer."""
    if inner == LEFT_OUT:
        return LEFT_OUT
    return f"{path}.{inner}" if path else inner


def plan_of(
    shapes: Shapes, known: ClassMap | None, wishes: Wishes | None = None, back: bool = False
) -> Plan:
    """The renaming of parameters by a map of classes, or by structure alone.

    Raises: MS310 if the map has no class, or several, whose parameters these could be, and for
    a wish about a parameter that there is not
    """
    wishes = wishes or Wishes()
    absent = sorted(wishes.renames.keys() - shapes.keys())
    if absent:
        near = ", ".join(list(shapes)[:5])
        raise MsconvertError("MS310", "--rename", f"there is no {absent[0]!r}", expected=near)
    resolver = Resolver(shapes, known, wishes, Direction(back))
    root = "" if known is None else root_of(known, resolver)
    found = [resolver.step(name, root) for name in shapes]
    steps = tuple(step for step in found if isinstance(step, Step))
    refuse_collisions(steps)
    questions = tuple(step for step in found if isinstance(step, Question))
    added = () if back else tuple(constants(resolver, steps))
    return Plan(steps, questions, added, root)


def unchanged(shapes: Shapes, wishes: Wishes) -> Plan:
    """The plan that keeps every name but those that the user changes. Raises: MS310"""
    resolver = Resolver(shapes, None, wishes, Direction())
    steps = tuple(
        resolver.given(name) or Step(name, name, shape, "same") for name, shape in shapes.items()
    )
    refuse_collisions(steps)
    return Plan(steps)


def refuse_collisions(steps: Iterable[Step]) -> None:
    """Raises: MS310 if two parameters would get one name"""
    taken: dict[str, str] = {}
    for step in steps:
        if step.new == LEFT_OUT:
            continue
        other = taken.setdefault(step.new, step.old)
        if other != step.old:
            problem = f"'{other}' and '{step.old}' would have the same name"
            raise MsconvertError("MS310", f"'{step.new}'", problem, advice="--rename OLD=NEW")


def constants(resolver: Resolver, steps: Iterable[Step]) -> Iterator[Added]:
    """gamma and beta of each BatchNorm(affine=False): MindSpore's has them always."""
    new_names = {step.old: step.new for step in steps}
    for path, parts in resolver.parts.items():
        mean = joined(path, "running_mean")
        new = new_names.get(mean, "")
        if "weight" in parts or not new.endswith("moving_mean"):
            continue
        naming = VOLUME_NORM if new.endswith("bn2d.moving_mean") else BATCH_NORM
        yield Added(joined(path, naming.renamed("weight")), mean, 1.0)
        if "bias" not in parts:
            yield Added(joined(path, naming.renamed("bias")), mean, 0.0)


def root_of(known: ClassMap, resolver: Resolver) -> str:
    """The class of the map whose parameters these are; "" if none is, as of a bare Sequential.

    Raises: MS310 if several could be
    """
    if resolver.wishes.root:
        return known.find(resolver.wishes.root)
    counts = {root: resolver.covered(root) for root in known.roots or known.classes}
    most = max(counts.values(), default=(0, 0))
    best = [root for root, count in counts.items() if count == most]
    if most == (0, 0):
        return ""
    if len(best) == 1:
        return best[0]
    raise MsconvertError(
        "MS310",
        known.source,
        "several classes of the map could be the network",
        got=", ".join(list(resolver.shapes)[:3]),
        expected=", ".join(name.rpartition(".")[2] for name in best[:8]),
        advice="--root CLASS names it",
    )


# by the map of a converted ONNX model


def plan_by_names(shapes: Shapes, known: NameMap, back: bool = False) -> Plan:
    """The renaming by a map that names each parameter. Raises: MS310 if nothing of it is there"""
    steps: dict[str, Step] = {}
    questions = []
    for weight in known.weights:
        found = step_of(weight, shapes, back)
        if isinstance(found, Question):
            questions.append(found)
        else:
            steps[found.old] = found
    if not steps:
        got = ", ".join(list(shapes)[:5])
        raise MsconvertError("MS310", known.source, "the map names none of these", got=got)
    rest = [Step(name, LEFT_OUT, shapes[name], "unmapped") for name in shapes if name not in steps]
    return Plan((*steps.values(), *rest), tuple(questions))


CHANGES = ("none", "reshape(-1)", "expand_dims(2)", "transpose(1, 0)")
"""What a conversion does to a weight and what can be done to other weights of the same shapes."""


def step_of(weight: NamedWeight, shapes: Shapes, back: bool) -> Step | Question:
    """What becomes of the source of one converted parameter, or the parameter on the way back."""
    old = weight.name if back else weight.sources[0]
    if len(weight.sources) > 1 or weight.change not in CHANGES:
        return Question(weight.name, reason=f"it is made by: {weight.change}")
    shape = shapes.get(old)
    if shape is None:
        return Question(old, reason="the map names it, and the file has it not")
    turned = weight.change == "transpose(1, 0)"
    new = weight.sources[0] if back else weight.name
    wanted = weight.source_shape if back else weight.shape
    have = shape[::-1] if turned else shape
    if wanted is None or math.prod(wanted) != math.prod(have):
        return Question(old, reason=f"its shape is {list(shape)}, the map's {wanted and [*wanted]}")
    return Step(old, new, wanted, "map", turned=turned)
