"""Graph mode: a function traced once per signature, and run as one session."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from onnx import NodeProto

from ...errors import MsconvertError
from . import context, observation
from . import dtype as dtypes
from .binding import Bound, Told, spared
from .chance.frozen import telling
from .dtype import Array
from .failure import ElementTypeError, TracedValueError
from .flow.lowering import lowered
from .flow.number import Number, number_of
from .flow.reach import state_of
from .jit_options import JitConfig, check_backend, check_options
from .mutable import Mutable
from .primitive import refusal
from .reference import needed_of
from .session import ORT_ERRORS, failed_op, model_of, open_session
from .stages import Stages
from .tape import recording
from .tensor import Changes, Tensor, wrap
from .trace import Trace, active, tracing, undoing, widened

GRAPH_LIMIT = 16
"""Compiled graphs kept per cell or function; the oldest goes first."""
LEFT_TO_PYTHON: tuple[type[Exception], ...] = (
    *ORT_ERRORS,
    MsconvertError,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    AssertionError,
    NameError,
)
"""What the trace of rewritten source may fail with: the source itself then runs, and says it."""
FIXED_LIMIT = 64
"""Arguments of so many integers may be constants of a graph that is made for their values."""


@dataclass(frozen=True)
class Slot:
    """The place of a Tensor in a nested structure of tuples, lists, dictionaries and values.

    `kind`: what number of Python's it is, if it is none to the user.
    """

    index: int
    kind: type | None = None


@dataclass(frozen=True)
class Layout:
    """What `flatten` took apart: `kind` is tuple, list or dict; `parts` what was inside."""

    kind: type
    parts: tuple[Any, ...]
    keys: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Constant:
    """A Python value. Two are equal if graphs may treat them alike: 1, 1.0 and True may not."""

    kind: type
    key: Hashable
    value: Any = field(compare=False)

    @staticmethod
    def of(value: Any) -> Constant:
        if isinstance(value, (float, complex)):
            return Constant(type(value), repr(value), value)  # -0.0 is no 0.0, but nan is nan
        if isinstance(value, np.ndarray):
            return Constant(np.ndarray, (value.dtype, value.shape, value.tobytes()), value)
        if callable(value):
            return Constant(type(value), (value, state_of(value)), value)
        if hasattr(type(value), "__ms_class__"):
            return Constant(type(value), (value, flatten(vars(value), [])), value)
        return Constant(type(value), value, value)


def flatten(obj: Any, leaves: list[Tensor]) -> Any:
    """`obj` with every Tensor replaced by its `Slot`; the Tensors are added to `leaves`."""
    if isinstance(obj, Tensor):
        leaves.append(obj)
        return Slot(len(leaves) - 1)
    if isinstance(obj, Number):
        leaves.append(obj.tensor)
        return Slot(len(leaves) - 1, obj.kind)
    if isinstance(obj, dict):
        parts = tuple([flatten(x, leaves) for x in obj.values()])
        return Layout(type(obj) if isinstance(obj, Mutable) else dict, parts, tuple(obj))
    if isinstance(obj, (tuple, list)):
        named = hasattr(obj, "_fields") or isinstance(obj, Mutable)
        kind = type(obj) if named else list if isinstance(obj, list) else tuple
        return Layout(kind, tuple([flatten(x, leaves) for x in obj]))
    return Constant.of(obj)


@functools.cache
def layout_of(count: int) -> Layout:
    """The layout of a call with `count` Tensors, which most calls are."""
    return Layout(tuple, (Layout(tuple, tuple(map(Slot, range(count)))), Layout(dict, ())))


def rebuild(layout: Any, leaves: list[Tensor]) -> Any:
    """The inverse of `flatten`."""
    if isinstance(layout, Slot):
        leaf = leaves[layout.index]
        return leaf if layout.kind is None else number_of(leaf, layout.kind)
    if isinstance(layout, Constant):
        return layout.value
    parts = [rebuild(part, leaves) for part in layout.parts]
    if issubclass(layout.kind, dict):
        return layout.kind(zip(layout.keys, parts, strict=True))
    return layout.kind(*parts) if hasattr(layout.kind, "_fields") else layout.kind(parts)


class Compiled:
    """One signature's session. Variables are its constants until they change.

    Those that the graph itself assigns are inputs, and get the outputs' arrays afterwards.
    The arguments at the places `fixed` are constants: shapes, of which Python asked the value.
    """

    def __init__(
        self, function: Callable[..., Any], layout: Any, leaves: list[Tensor],
        fixed: tuple[int, ...] = (), lowering: bool = False,
    ) -> None:  # fmt: skip
        self.reshaped = Changes.reshaped
        self.trace = trace = Trace(lowering=lowering, named_by=observation.naming())
        with tracing(trace), undoing(trace):
            self.places = [k for k in range(len(leaves)) if k not in fixed]
            inputs = [wrap(x.content) for x in leaves]
            for k in self.places:
                inputs[k] = trace.input(leaves[k].shape, leaves[k].content.dtype)
            self.inputs = [symbol.name for symbol in trace.inputs]
            args, kwargs = rebuild(layout, inputs)
            results: list[Tensor] = []
            try:
                with telling():
                    self.result = flatten(lowered(function)(*args, **kwargs), results)
            except TracedValueError as error:
                if error.name in self.inputs:
                    error.place = self.places[self.inputs.index(error.name)]
                raise
            self.attributes = [(owner, name) for owner, name, _ in trace.attributes.values()]
            results += [value for _, _, value in trace.attributes.values()]
            self.effects = [one.act for one in trace.effects]
            shown = [(one.guard, *one.values) for one in trace.effects]
            own: list[Tensor] = []
            self.shown = flatten(shown, own)
            self.asked = len(own)
            results += own
            self.known = [wrap(y.content) if self.is_known(y) else None for y in results]
            self.types = [y.content.dtype for y in results if not self.is_known(y)]
            self.outputs = [trace.output(y) for y in results if not self.is_known(y)]
            self.updated = [variable for variable, _ in trace.updates.values()]
            self.outputs += [trace.output(new) for _, new in trace.updates.values()]
            self.types += [new.content.dtype for _, new in trace.updates.values()]
            self.told = Told.of(trace)
            self.kept = trace.alive()
        self.volatile: set[int] = spared(trace)
        self.narrow = any(t == dtypes.bfloat16.numpy for t in self.types)
        self.open()

    @property
    def is_stale(self) -> bool:
        """Whether a plain Tensor that was read while tracing has changed since."""
        if self.changes == Changes.count:
            return False
        held = self.trace.variables.values() if self.reshaped != Changes.reshaped else ()
        if any(variable.tensor.shape != variable.symbol.shape for variable in held):
            return True
        pairs = [(ref(), version) for ref, version in self.kept]
        return any(x is not None and x.version != version for x, version in pairs)

    @staticmethod
    def is_known(y: Tensor) -> bool:
        return not (y.is_traced or y.variable)

    def open(self) -> None:
        """Compiles the graph with the variables as they are now."""
        trace = self.trace
        self.changes = Changes.count
        updated = {id(variable) for variable in self.updated}
        self.fed: list[tuple[str, Tensor]] = []
        self.read: list[tuple[str, Tensor]] = []
        self.baked = []
        for key, held in trace.variables.items():
            held.version = held.tensor.version
            if key in updated:
                self.fed.append((held.name, held.tensor))
            elif key in self.volatile:
                self.read.append((held.name, held.tensor))
            else:
                self.baked.append(held)
            trace.constants[held.name] = widened(held.tensor.asnumpy())
        if not (self.outputs or self.told.names):
            return  # everything was known while tracing
        self.open_session(trace, {name for name, _ in self.fed + self.read})
        self.bind()

    def open_session(self, trace: Trace, fed: set[str]) -> None:
        outputs = self.outputs + self.told.names
        nodes = needed_of(trace.nodes, outputs)
        plain = [node for node in nodes if isinstance(node, NodeProto)]
        self.whole = len(plain) == len(nodes)
        """Whether it is one session, without host calls in between."""
        if not self.whole:
            self.session: Any = Stages(trace, nodes, outputs, fed)
            return
        graph, large = trace.graph(plain, trace.inputs, outputs, fed)
        self.session = open_session(model_of(graph), threads=0, optimise=True, weights=large)

    def bind(self) -> None:
        """Prepares the variables that are updated: the others are constants, or bfloat16."""
        self.bound: list[Bound] = []
        self.results = len(self.outputs) - len(self.updated)
        targets = dict(zip(map(id, self.updated), self.outputs[self.results :], strict=True))
        pairs = [(name, targets[id(variable)], variable) for name, variable in self.fed]
        plain = all(v.content.dtype.kind != "V" and v.size for v in self.updated)
        if plain and self.whole and not self.narrow and not self.told.calls:
            self.bound = [Bound(*pair) for pair in pairs]

    def __call__(self, leaves: list[Tensor]) -> Any:
        if self.changes != Changes.count:
            self.look_again()
        feed: dict[str, Array] = {}
        for name, k in zip(self.inputs, self.places, strict=True):
            feed[name] = widened(leaves[k].asnumpy())
        feed |= {name: make() for name, make in self.trace.sources.items()}
        for name, variable in self.read:
            feed[name] = widened(variable.asnumpy())
        if not (self.outputs or self.told.names):
            self.told.tell([])
            return self.give([])
        try:
            return self.give(self.run_bound(feed) if self.bound else self.run_copying(feed))
        except MsconvertError:
            raise  # of who looks on, as a dump: the graph did not fail
        except ORT_ERRORS as error:
            where = f"{failed_op(error)} in the compiled graph".strip()
            raise refusal(where, tuple(leaves), error) from None

    def run_copying(self, feed: dict[str, Array]) -> list[Array]:
        for name, variable in self.fed:
            feed[name] = widened(variable.asnumpy())
        arrays: list[Array] = self.session.run(self.outputs + self.told.names, feed)
        self.told.tell(arrays[len(self.outputs) :])
        return arrays[: len(self.outputs)]

    def run_bound(self, feed: dict[str, Array]) -> list[Array]:
        """Runs with the variables in place; gives the results alone."""
        binding = self.session.io_binding()
        for name, array in feed.items():
            binding.bind_cpu_input(name, np.asarray(array, order="C"))
        for name in self.outputs[: self.results]:
            binding.bind_output(name)
        for one in self.bound:
            one.bind(binding)
        self.session.run_with_iobinding(binding)
        for one in self.bound:
            one.swap()
        return [value.numpy() for value in binding.get_outputs()[: self.results]]

    def look_again(self) -> None:
        """Compiles anew if a variable that is a constant of the session has changed.

        One of a single number that has (a learning rate) will again: it becomes an input.
        """
        changed = [held.tensor for held in self.baked if held.version != held.tensor.version]
        if changed:
            self.volatile.update(id(variable) for variable in changed if variable.size == 1)
            self.open()
        self.changes = Changes.count

    def give(self, arrays: list[Array]) -> Any:
        """The results in the function's structure; assigns what the graph assigned."""
        if self.narrow:
            arrays = [
                a.astype(t) if a.dtype != t else a for a, t in zip(arrays, self.types, strict=True)
            ]
        computed = iter(arrays)
        results = [y if y is not None else wrap(next(computed)) for y in self.known]
        if self.effects:
            self.act(results[len(results) - self.asked :])
            del results[len(results) - self.asked :]
        for variable, array in zip(self.updated, computed, strict=False):  # unless they are bound
            variable.assign_value(array)
        if self.attributes:
            kept = results[len(results) - len(self.attributes) :]
            for (owner, name), y in zip(self.attributes, kept, strict=True):
                setattr(owner, name, y)
        return rebuild(self.result, results)

    def act(self, values: list[Tensor]) -> None:
        """Does what the source does beside computing."""
        for act, (guard, *given) in zip(self.effects, rebuild(self.shown, values), strict=True):
            if guard is None or bool(guard):
                act(given)


def signature_of(layout: Any, leaves: list[Tensor]) -> Hashable:
    """What a compiled graph holds for: the structure, Python values, shapes and element types."""
    return (layout, *[(x.shape, x.content.dtype.num) for x in leaves])


class Interpreted:
    """A signature for which the function cannot be compiled: it runs in PyNative mode.

    As a graph does, it gets copies of Tensors that it may change in place.
    """

    is_stale = False

    def __init__(self, function: Callable[..., Any], layout: Any, reason: Exception) -> None:
        self.function, self.layout = function, layout
        warnings.warn(f"not compiled, run in PyNative mode: {reason}", stacklevel=4)

    def __call__(self, leaves: list[Tensor]) -> Any:
        own = [
            x if x.variable or not isinstance(x.content, np.ndarray) else wrap(x.content)
            for x in leaves
        ]
        args, kwargs = rebuild(self.layout, own)
        return self.function(*args, **kwargs)


class GraphCache:
    """The compiled graphs of one function, by signature.

    `lax`: what cannot be compiled runs in PyNative mode, with a warning; None: as the context says.
    """

    def __init__(self, lax: bool | None = None) -> None:
        self.graphs: dict[Any, Compiled | Interpreted] = {}
        self.fixed: dict[Any, tuple[int, ...]] = {}
        """By signature: which arguments' values a graph is made for."""
        self.lax = lax

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any, state: Hashable) -> Any:
        """Runs `function` as a graph; `state` is what else of the caller the trace depends on."""
        compiled, leaves = self.find(function, args, kwargs, state)
        try:
            with observation.spending("run", function):
                return compiled(leaves)
        except MsconvertError:
            if observation.watching.observer is not None:
                function(*args, **kwargs)  # who looks on sees what comes before the failure
            raise

    def find(
        self, function: Callable[..., Any], args: Any, kwargs: Any, state: Hashable
    ) -> tuple[Compiled | Interpreted, list[Tensor]]:
        """The graph of `function` for these arguments, and their Tensors.

        Raises: MS304 if an argument is neither a Tensor nor a hashable Python value; MS306 if
        the function asks for a traced tensor's value.
        """
        leaves: list[Tensor] = []
        if not kwargs and all(isinstance(x, Tensor) for x in args):
            leaves, layout = list(args), layout_of(len(args))
        else:
            layout = flatten((args, kwargs), leaves)
        key = (state, observation.revision(), signature_of(layout, leaves))
        try:
            fixed = self.fixed.get(key, ())
            compiled = self.graphs.get(valued(key, leaves, fixed))
        except TypeError as error:
            raise ElementTypeError(
                "graph mode",
                "an argument is neither a Tensor nor a constant",
                got=str(error),
                advice="pass Tensors, numbers, strings, and tuples, lists or dictionaries of them",
            ) from None
        if compiled is None or compiled.is_stale:
            compiled, fixed = self.compiled(function, layout, leaves, fixed)
            if fixed:
                self.fixed[key] = fixed
            if len(self.graphs) >= GRAPH_LIMIT:
                del self.graphs[next(iter(self.graphs))]
            self.graphs[valued(key, leaves, fixed)] = compiled
        return compiled, leaves

    def __reduce__(self) -> Any:
        """Copies and pickles are empty: sessions can be neither."""
        return GraphCache, (self.lax,)

    def compiled(
        self,
        function: Callable[..., Any],
        layout: Any,
        leaves: list[Tensor],
        fixed: tuple[int, ...],
    ) -> tuple[Compiled | Interpreted, tuple[int, ...]]:
        """The graph, and which arguments are its constants: small ones of integers that Python
        asked the value of.

        Raises: MS306 if the function asks for another traced value, and this is not lax.
        """
        lowering = False
        while True:
            try:
                with observation.spending("compile", function):
                    return Compiled(function, layout, leaves, fixed, lowering), fixed
            except TracedValueError as error:
                k = error.place
                if not lowering:
                    lowering, first = True, error
                elif k is not None and may_be_fixed(leaves[k]):
                    leaves[k] = wrap(leaves[k].asnumpy().copy())
                    lowering, fixed = False, (*fixed, k)
                else:
                    return self.interpreted(function, layout, first, error), ()
            except LEFT_TO_PYTHON as error:
                if not lowering:
                    raise
                return self.interpreted(function, layout, first, error), ()

    def interpreted(
        self, function: Callable[..., Any], layout: Any, first: TracedValueError, last: Exception
    ) -> Interpreted:
        """What runs in PyNative mode. Raises: MS306, `first`, if the user has forbidden that."""
        lax = context.is_lax() if self.lax is None else self.lax
        if not lax:
            raise first from None
        return Interpreted(function, layout, last)


def may_be_fixed(x: Tensor) -> bool:
    """Whether an argument may be a constant of the graph: a few whole numbers or booleans."""
    return x.content.dtype.kind in "biu" and x.size <= FIXED_LIMIT


def valued(key: Hashable, leaves: list[Tensor], fixed: tuple[int, ...]) -> Hashable:
    """A signature with the values of the arguments that a graph is made for."""
    return (key, *[leaves[k].asnumpy().tobytes() for k in fixed]) if fixed else key


def jit(
    function: Any = None,
    *,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    **options: Any,
) -> Any:
    """Compiles a function, a Cell or a Cell's method, as `mindspore.jit`.

    What cannot be compiled runs in PyNative mode, if neither `fullgraph` nor STRICT forbids it.
    """
    check_options(capture_mode, jit_level, dynamic, fullgraph)
    check_backend(backend)
    JitConfig(exc_mode=options.get("exc_mode", "auto"))
    config = options.get("jit_config")
    lax = False if fullgraph else config.is_lax if isinstance(config, JitConfig) else None
    function = options.get("fn") if function is None else function
    return functools.partial(compiling, lax=lax) if function is None else compiling(function, lax)


def compiling(fn: Any, lax: bool | None) -> Any:
    """The compiled form of a function, a method, a Cell or a class of Cells; else what it is."""
    if hasattr(fn, "construct"):
        made = compiling(fn.construct, lax)
        if isinstance(fn, type):
            type.__setattr__(fn, "construct", made)
        return fn if isinstance(fn, type) else made
    if not callable(fn):
        return fn
    alone = GraphCache(lax)
    of_cells: WeakKeyDictionary[Any, GraphCache] = WeakKeyDictionary()

    @functools.wraps(fn)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        if active() is not None or recording.tapes or not context.may_compile():
            return lowered(fn)(*args, **kwargs)
        bound = [a for a in args[:1] if hasattr(a, "graph_state")]
        if not bound:
            return alone.call(fn, args, kwargs, state_of(fn))
        cache = of_cells.setdefault(bound[0], GraphCache(lax))
        state = bound[0].graph_state()
        return cache.call(functools.partial(fn, *bound), args[1:], kwargs, state)

    return compiled
