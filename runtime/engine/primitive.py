"""Primitives: one function per ONNX operator, run at once or appended to the traced graph.

    @primitive("LeakyRelu")
    def leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Any: ...

The function is only the signature; attributes and types come from ONNX's schema at `OPSET`.
Inputs are Tensors, or None where ONNX allows none; attributes are keywords (tuples, never
lists). A call gives the first output; with `outputs=n` it gives a tuple of the first n.

Gradients are rules written with primitives: one for each input, or one for all of them.

    mul.vjp(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a)
    floor.vjp(None)  # there is none: nothing flows back

    @split.vjp_all
    def split_vjp(gs, ys, x, sizes=None, *, axis): ...  # gs, ys: called with `outputs`

g is the incoming gradient, y the output; attributes are the keywords that a rule names. Where an
input was broadcast, its gradient may have the output's shape: it is summed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
import onnx.defs
from onnx import GraphProto, TypeProto, ValueInfoProto

from ...errors import MsconvertError
from . import dtype as dtypes
from . import observation
from . import trace as tracing
from .dtype import DType
from .failure import ElementTypeError, NoGradientError, RefusedError, ShapeError
from .reference import Function, cast, is_complex, is_outside, reference
from .session import (
    OPSET,
    ORT_ERRORS,
    model_of,
    names,
    node_of,
    open_session,
    reason_of,
)
from .tape import NUMERIC, Gradients, Pullback, is_watched, record, recording
from .tensor import Tensor, wrap

Inputs = tuple[Tensor | None, ...]
Kernel = Callable[[Inputs], Any]
Vjp = Callable[..., Any]

KERNEL_LIMIT = 256
"""Single-operator sessions kept per primitive; the oldest goes first."""

REGISTRY: dict[str, Primitive] = {}
"""Every primitive, by the name of its ONNX operator."""

PARALLEL = frozenset(
    {"Conv", "ConvTranspose", "MatMul", "Gemm", "LSTM", "GRU", "RNN", "MaxPool", "AveragePool"}
)
"""Operators worth a thread pool of their own when run singly."""

WIDER: dict[DType, tuple[DType, ...]] = {
    dtypes.bool_: (dtypes.uint8, dtypes.int32, dtypes.float32),
    dtypes.int8: (dtypes.int32, dtypes.int64, dtypes.float32),
    dtypes.uint8: (dtypes.int32, dtypes.int64, dtypes.float32),
    dtypes.int16: (dtypes.int32, dtypes.int64, dtypes.float32),
    dtypes.uint16: (dtypes.int32, dtypes.int64, dtypes.float32),
    dtypes.int32: (dtypes.int64, dtypes.float64),
    dtypes.uint32: (dtypes.int64, dtypes.float64),
    dtypes.uint64: (dtypes.int64,),
    dtypes.float16: (dtypes.float32,),
    dtypes.bfloat16: (dtypes.float32,),
}
"""Where ONNX Runtime has no kernel: what to compute in instead, the narrowest first."""


REFUSED_LATE = {("ScatterND", dtypes.float16), ("ScatterElements", dtypes.float16)}
"""Kernels of ONNX Runtime's that refuse to reduce when they are run, not when they are made."""


class Rule:
    """One vjp: a function of g, y and the inputs, and the attributes that it asks for."""

    def __init__(self, function: Vjp) -> None:
        self.function = function
        parameters = inspect.signature(function).parameters.values()
        self.attrs = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
        self.takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)

    def __call__(self, g: Any, y: Any, inputs: Inputs, attrs: dict[str, Any]) -> Any:
        chosen = {k: v for k, v in attrs.items() if self.takes_all or k in self.attrs}
        return self.function(g, y, *inputs, **chosen)


class Primitive:
    """One ONNX operator. Its gradient is `rules` (one per input) or `rule` (one for all)."""

    def __init__(self, op: str, function: Callable[..., Any]) -> None:
        self.op = op
        self.name = function.__name__
        self.signature = function
        self.__doc__ = f"ONNX {op}, opset {OPSET}."
        self.rules: tuple[Rule | None, ...] | None = None
        self.rule: Rule | None = None
        self.composition: Callable[..., Any] | None = None
        self.check: Callable[[Primitive, Inputs, dict[str, Any]], None] | None = None
        self.shaped: Callable[[Sequence[Any], dict[str, Any]], list[Any]] | None = None
        """The outputs of a trace with their sizes, where onnx infers others than are computed."""
        self.saved = 0
        """Outputs computed while a gradient is recorded, if more are needed than were asked for."""
        self.dynamic: tuple[int, ...] = ()
        """Axes of the outputs whose sizes only the data decide, where no schema tells it."""
        self.is_holomorphic = True
        """Whether it is on complex numbers, with real coefficients (as x * y and sin x are)."""
        self.kernels: dict[Any, Kernel] = {}
        self.plans: dict[Any, dict[str, DType] | None] = {}

    @cached_property
    def schema(self) -> onnx.defs.OpSchema:
        return onnx.defs.get_schema(self.op, OPSET)

    @property
    def has_vjp(self) -> bool:
        return self.rules is not None or self.rule is not None

    def vjp(self, *rules: Vjp | None) -> Vjp | None:
        """Registers one rule per input; None or none: no gradient. A second time is refused."""
        if self.has_vjp:
            raise KeyError(f"{self.op} has a vjp already")
        self.rules = tuple([None if rule is None else Rule(rule) for rule in rules])
        return rules[0]

    def vjp_all(self, rule: Vjp) -> Vjp:
        """Registers a rule that gives the gradients of all inputs as a tuple."""
        self.vjp(None)
        self.rule, self.rules = Rule(rule), None
        return rule

    def vjp_saving(self, outputs: int) -> Callable[[Vjp], Vjp]:
        """As `vjp_all`; g is the first output's gradient, y a tuple of the first `outputs`."""
        self.saved = outputs
        return self.vjp_all

    def composed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Registers what to call instead while a gradient is recorded."""
        self.vjp(None)
        self.composition = function
        return function

    def __repr__(self) -> str:
        return f"<primitive {self.name}: ONNX {self.op}>"

    @overload
    def __call__(self, *inputs: Tensor | None, outputs: int, **attrs: Any) -> Any: ...

    @overload
    def __call__(self, *inputs: Tensor | None, **attrs: Any) -> Tensor: ...

    def __call__(self, *inputs: Tensor | None, outputs: int = 0, **attrs: Any) -> Any:
        if self.check is not None:
            self.check(self, inputs, attrs)
        if recording.tapes and is_watched(inputs):
            return self.recorded(inputs, outputs, attrs)
        return self.compute(inputs, outputs, attrs)

    def compute(self, inputs: Inputs, outputs: int, attrs: dict[str, Any]) -> Any:
        if observation.watching.active:
            return observation.seen(self, inputs, outputs, attrs)
        trace = tracing.active()
        if trace is not None:
            return trace.apply(self, inputs, outputs, attrs)
        return self.run(inputs, outputs, attrs)

    def recorded(self, inputs: Inputs, outputs: int, attrs: dict[str, Any]) -> Any:
        """Computes, and tells the tapes how to go back."""
        plan = self.plan([None if x is None else x.dtype for x in inputs], outputs, attrs)
        if plan is not None:
            return self.bridged(plan, inputs, outputs, attrs)
        if self.composition is not None:
            return self.composition(*inputs, outputs=outputs, **self.attributes(attrs))
        result = self.compute(inputs, max(outputs, self.saved), attrs)
        if self.saved:
            record(inputs, result[:1], self.pullback(inputs, result, attrs))
            return result[:outputs] if outputs else result[0]
        made = result if outputs else (result,)
        if any(y.content.dtype.kind in NUMERIC for y in made):
            record(inputs, made, self.pullback(inputs, result, attrs))
        return result

    def pullback(self, inputs: Inputs, result: Any, attrs: dict[str, Any]) -> Pullback:
        """The way back through this call. Raises (when it is gone): MS307 without a vjp."""
        xs = tuple([None if x is None else held(x) for x in inputs])
        alone = isinstance(result, Tensor)
        ys = (held(result),) if alone else tuple(map(held, result))

        def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
            given = [zeros_like(y) if g is None else g for g, y in zip(gs, ys, strict=False)]
            g: Any = given[0] if alone or self.saved else given
            return self.gradients(g, ys[0] if alone else ys, xs, self.attributes(attrs), wanted)

        return back if not observation.watching.active else observation.placed(back, self.op)

    def attributes(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """All attributes, with the defaults of the signature."""
        defaults = getattr(self.signature, "__kwdefaults__", None)
        return (defaults or {}) | attrs

    def gradients(
        self, g: Any, y: Any, xs: Inputs, attrs: dict[str, Any], wanted: tuple[bool, ...]
    ) -> Gradients:
        """The gradients of the inputs that are wanted; None for the others.

        Of complex inputs: of a holomorphic f the gradient is g times the conjugate of f', which
        the rule gives for conjugated values.
        """
        if self.is_holomorphic and any(x is not None and x.content.dtype.kind == "c" for x in xs):
            y = conjugated(y) if isinstance(y, Tensor) else tuple(map(conjugated, y))
            xs = tuple([None if x is None else conjugated(x) for x in xs])
        if self.rule is not None:
            found = self.rule(g, y, xs, attrs)
        elif self.rules is not None:
            rules = self.rules + (None,) * (len(xs) - len(self.rules))
            found = [
                rule(g, y, xs, attrs) if rule is not None and w else None
                for rule, w in zip(rules, wanted, strict=False)
            ]
        else:
            raise NoGradientError(self.op)
        return [
            None if d is None or x is None else summed_to(d, x.shape)
            for d, x in zip(found, xs, strict=False)
        ]

    def run(self, inputs: Inputs, outputs: int, attrs: dict[str, Any]) -> Any:
        """Computes at once, by a cached session of this one operator."""
        key = (
            outputs,
            tuple(attrs.items()),
            *[None if x is None else x.content.dtype.num for x in inputs],
        )
        kernel = self.kernels.get(key)
        if kernel is None:
            kernel = self.kernel_for(inputs, outputs, attrs)
            if len(self.kernels) >= KERNEL_LIMIT:
                del self.kernels[next(iter(self.kernels))]
            self.kernels[key] = kernel
        return kernel(inputs)

    def kernel_for(self, inputs: Inputs, outputs: int, attrs: dict[str, Any]) -> Kernel:
        given = [None if x is None else x.dtype for x in inputs]
        function = self.host_function(given, outputs, attrs)
        if function is not None:
            return on_host(function, outputs == 0)
        plan = self.plan(given, outputs, attrs)
        if plan is None:
            return self.single(given, outputs, attrs)
        return lambda tensors: self.bridged(plan, tensors, outputs, attrs)

    def host_function(
        self, given: Sequence[DType | None], outputs: int, attrs: dict[str, Any]
    ) -> Function | None:
        """What computes a call outside of ONNX Runtime, if it cannot: complex numbers, say."""
        if not is_outside(self.op, given, attrs):
            return None
        present = tuple([d is not None for d in given])
        is_real = not is_complex(given, attrs)
        return reference(self.op, present, max(outputs, 1), tuple(attrs.items()), is_real)

    def plan(
        self, given: list[DType | None], outputs: int, attrs: dict[str, Any]
    ) -> dict[str, DType] | None:
        """What to compute each of the schema's type variables in; None: as it comes.

        Raises: MS304 if no element type serves.
        """
        if is_outside(self.op, given, attrs):
            return None
        key = tuple(given)
        if key not in self.plans:
            self.plans[key] = self.find_plan(given, outputs, attrs)
        return self.plans[key]

    def find_plan(
        self, given: list[DType | None], outputs: int, attrs: dict[str, Any]
    ) -> dict[str, DType] | None:
        first: Exception | None = None
        for plan in self.candidates(given):
            types = [self.planned(plan, k, d) for k, d in enumerate(given)]
            try:
                self.single(types, outputs, attrs)
            except ORT_ERRORS as error:
                first = error if first is None else first
            else:
                return plan or None
        raise ElementTypeError(
            self.op,
            "nothing computes this operator for these element types",
            got=", ".join("none" if d is None else d.name for d in given),
            expected=reason_of(first) if first is not None else "",
            advice="convert the inputs, for example with ops.cast(x, ms.float32)",
        )

    def candidates(self, given: list[DType | None]) -> list[dict[str, DType]]:
        """As it comes, then wider and wider; bfloat16 always, since NumPy cannot hand it over."""
        seen = {self.variable_of(k): d for k, d in enumerate(given) if d is not None}
        only_bool = {
            one.type_param_str
            for one in self.schema.type_constraints
            if list(one.allowed_type_strs) == ["tensor(bool)"]
        }
        ladders = {
            v: WIDER[d]
            for v, d in seen.items()
            if d in WIDER and v not in only_bool and not v.startswith("tensor(")
        }
        steps = range(max((len(steps) for steps in ladders.values()), default=0))
        wider = [{v: w[min(s, len(w) - 1)] for v, w in ladders.items()} for s in steps]
        late = any((self.op, d) in REFUSED_LATE for d in seen.values())
        direct: list[dict[str, DType]] = [] if late or dtypes.bfloat16 in seen.values() else [{}]
        conditions = {v for v, d in seen.items() if d is dtypes.bool_}
        kept = [{v: d for v, d in plan.items() if v not in conditions} for plan in wider]
        return direct + [plan for plan in kept if conditions and plan] + wider

    def variable_of(self, position: int) -> str:
        """The schema's name for the type of input `position` ("T"; "tensor(int64)" if fixed)."""
        inputs = self.schema.inputs
        return str(inputs[min(position, len(inputs) - 1)].type_str)

    def planned(self, plan: dict[str, DType], position: int, given: DType | None) -> DType | None:
        return None if given is None else plan.get(self.variable_of(position), given)

    def bridged(
        self,
        plan: dict[str, DType],
        inputs: Inputs,
        outputs: int,
        attrs: dict[str, Any],
    ) -> Any:
        """Widens the inputs, computes, and narrows the outputs of the same type variable."""
        wide = [
            None if x is None else convert(x, plan.get(self.variable_of(k), x.dtype))
            for k, x in enumerate(inputs)
        ]
        narrow = {
            self.variable_of(k): x.dtype for k, x in reversed([*enumerate(inputs)]) if x is not None
        }
        results: Any = self(*wide, outputs=outputs, **attrs) if outputs else self(*wide, **attrs)
        if isinstance(results, Tensor):
            return convert(results, self.narrowed(narrow, plan, 0, results))
        return tuple(convert(y, self.narrowed(narrow, plan, k, y)) for k, y in enumerate(results))

    def narrowed(
        self, narrow: dict[str, DType], plan: dict[str, DType], position: int, y: Tensor
    ) -> DType:
        declared = self.schema.outputs
        variable = str(declared[min(position, len(declared) - 1)].type_str)
        return narrow[variable] if variable in plan else y.dtype

    def single(self, types: list[DType | None], outputs: int, attrs: dict[str, Any]) -> Kernel:
        """A session of this operator alone, as a function of Tensors."""
        unknown = attrs.keys() - self.schema.attributes.keys()
        if unknown:
            raise TypeError(f"{self.op} has no attribute {', '.join(sorted(unknown))}")
        sources = names("i", [d is not None for d in types])
        targets = [f"o{k}" for k in range(max(outputs, 1))]
        graph = GraphProto(name=self.op)
        graph.node.append(node_of(self.op, sources, targets, attrs))
        for name, type_ in zip(sources, types, strict=True):
            if type_ is not None:
                info = TypeProto(tensor_type=TypeProto.Tensor(elem_type=type_.onnx))
                graph.input.append(ValueInfoProto(name=name, type=info))
        graph.output.extend(ValueInfoProto(name=name) for name in targets)
        session = open_session(
            model_of(graph), threads=0 if self.op in PARALLEL else 1, optimise=False
        )
        return self.runner(session.run, sources, targets, outputs == 0)

    def runner(self, run: Any, sources: list[str], targets: list[str], alone: bool) -> Kernel:
        op = self.op

        def call(inputs: Inputs) -> Any:
            feed = {
                name: x.content for name, x in zip(sources, inputs, strict=True) if x is not None
            }
            try:
                results = run(targets, feed)
            except ORT_ERRORS as error:
                raise refusal(op, inputs, error) from None
            return wrap(results[0]) if alone else tuple([wrap(y) for y in results])

        return call


class Conversion(Primitive):
    """Cast: by NumPy where ONNX Runtime cannot be given the array (bfloat16)."""

    def run(self, inputs: Inputs, outputs: int, attrs: dict[str, Any]) -> Any:
        (x,) = inputs
        target = dtypes.OF_ONNX[attrs["to"]]
        if x is not None and dtypes.bfloat16 in (x.dtype, target):
            return wrap(cast(x.asnumpy(), attrs["to"])[0])
        return super().run(inputs, outputs, attrs)

    def plan(
        self, given: list[DType | None], outputs: int, attrs: dict[str, Any]
    ) -> dict[str, DType] | None:
        return None


def on_host(function: Function, alone: bool) -> Kernel:
    """A function of arrays as a function of Tensors."""

    def call(inputs: Inputs) -> Any:
        made = function(*[None if x is None else x.content for x in inputs])
        return wrap(made[0]) if alone else tuple([wrap(y) for y in made])

    return call


def primitive(op: str) -> Callable[[Callable[..., Any]], Primitive]:
    """Makes a function's signature the primitive of the ONNX operator `op`."""

    def register(function: Callable[..., Any]) -> Primitive:
        if op in REGISTRY:
            raise KeyError(f"{op} is a primitive already")
        made = (Conversion if op == "Cast" else Primitive)(op, function)
        REGISTRY[op] = made
        return made

    return register


def held(x: Tensor) -> Tensor:
    """`x` as it is now: plain Tensors may change in place before their gradient is computed."""
    return x if x.variable else wrap(x.content)


def zeros_like(x: Tensor) -> Tensor:
    return wrap(np.zeros(x.shape, x.content.dtype))


def summed_to(g: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A gradient summed over the axes along which its input was broadcast."""
    if g.shape == shape:
        return g
    extra = len(g.shape) - len(shape)
    stretched = [extra + k for k, n in enumerate(shape) if n == 1 and g.shape[extra + k] != 1]
    axes = np.array([*range(extra), *stretched], np.int64)
    y: Tensor = REGISTRY["ReduceSum"](g, wrap(axes), keepdims=int(not extra))
    return REGISTRY["Reshape"](y, wrap(np.array(shape, np.int64))) if extra and stretched else y


def fitted(g: Any, x: Any) -> Tensor | None:
    """A gradient that a bprop gave, in the shape and element type of its input `x`.

    Raises: MS304 if `x` cannot have been broadcast to the gradient's shape
    """
    if g is None or not isinstance(x, Tensor):
        return None
    found = g if isinstance(g, Tensor) else wrap(np.array(g, x.content.dtype))
    if found.shape != x.shape and not stretches_to(x.shape, found.shape):
        problem = "its gradient does not have the shape of the input"
        raise RefusedError("bprop", problem, got=str(found.shape), expected=str(x.shape))
    return convert(summed_to(found, x.shape), x.dtype)


def stretches_to(shape: tuple[int, ...], wider: tuple[int, ...]) -> bool:
    """Whether something of `shape` can be broadcast to `wider`."""
    ends = zip(reversed(shape), reversed(wider), strict=False)
    return len(shape) <= len(wider) and all(n in (1, w) for n, w in ends)


def conjugated(x: Tensor) -> Tensor:
    return REGISTRY["Conj"](x) if x.content.dtype.kind == "c" else x


def convert(x: Tensor, target: DType) -> Tensor:
    """`x` with the element type `target`; `x` itself if it has it."""
    if x.dtype is target:
        return x
    return REGISTRY["Cast"](x, to=target.onnx)


OUTSIDE = ("out of data bounds", "invalid index found", "Out of range value")
"""What ONNX Runtime says of a place that is not there."""


def refusal(op: str, inputs: Inputs, error: Exception) -> MsconvertError:
    """What the user is told when ONNX Runtime refuses the inputs of `op`."""
    got = ", ".join("none" if x is None else f"{x.dtype.name}{list(x.shape)}" for x in inputs)
    if any(text in str(error) for text in OUTSIDE):
        return RefusedError(op, reason_of(error), got=got)
    return ShapeError(op, reason_of(error), got=got)
