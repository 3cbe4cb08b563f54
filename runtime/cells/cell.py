"""Cell: a layer or network, with its parameters, sub-cells and buffers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import MsconvertError
from ..engine import context, observation
from ..engine import dtype as dtypes
from ..engine.compiler import GraphCache
from ..engine.flow.lowering import lowered
from ..engine.hooks import CellHook, GradientHooks, HookHandle, add_hook, after_pre_hook
from ..engine.parameter import Parameter, ParameterTuple, assign, checked_prefix
from ..engine.primitive import convert, fitted, zeros_like
from ..engine.tape import Gradients, linked, record, recording, taping
from ..engine.tensor import Changes, Tensor, wrap
from ..engine.trace import active
from . import forward
from .location import locate
from .settings import Settings, missing_hint
from .state import Stateful

Hook = Callable[..., Any]


class Cell(Stateful, Settings):
    """A layer or network, as `mindspore.nn.Cell`: subclasses define `construct`.

    `training` is False at construction. In graph mode the outermost call is compiled, once for
    each signature of its inputs and each state of its cells.
    """

    _unconverted: frozenset[str] = frozenset()
    """Parameters that `to_float` leaves as they are."""

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        own = self.__dict__
        own["_params"] = OrderedDict()
        own["_cells"] = OrderedDict()
        own["_buffers"] = {}
        own["_transient_buffers"] = set()
        own["_auto_prefix"] = auto_prefix
        own["_prefix"] = ""
        for kind in ("pre_hooks", "hooks", "backward_pre_hooks", "backward_hooks"):
            own[f"_{kind}"] = {}
        own["_state_hooks"] = {k: {} for k in ("state_pre", "state_post", "load_pre", "load_post")}
        own["_flags"], own["_jit_config_dict"] = {}, {}
        own["_float_type"] = own["_graphs"] = None
        own["_state"] = (-1, ())
        own["_revision"] = own["_counter"] = 0
        own["training"] = own["requires_grad"] = False
        if flags is not None:
            self.add_flags(**flags)

    # calling

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """What the cell computes; subclasses define it."""
        raise AttributeError(
            f"For 'Cell', the method 'construct' of {self.cls_name} is not defined."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        in_graph = context.in_graph_mode() and context.may_compile()
        if in_graph and active() is None and not recording.tapes:
            return self.compile_and_run(*args, **kwargs)
        return self._run(*args, **kwargs) if recording.tapes else forward.run(self, args, kwargs)

    _begin_again = forward.begin_again

    def compile_and_run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the cell as a graph, whatever the mode is."""
        self._check_inputs(args)
        return self.graph_cache().call(self._run, args, kwargs, self.graph_state())

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compiles the cell for these inputs; for those of open sizes, when they are known."""
        given = [x for x in args if isinstance(x, Tensor)]
        if all(min(x.shape, default=0) >= 0 and hasattr(x.content, "ndim") for x in given):
            self.graph_cache().find(self._run, args, kwargs, self.graph_state())

    def graph_cache(self) -> GraphCache:
        if self._graphs is None:
            self.__dict__["_graphs"] = GraphCache()
        graphs: GraphCache = self._graphs
        level = self._jit_config_dict.get("jit_syntax_level")
        graphs.lax = None if level is None else level == "LAX"
        return graphs

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """`construct` with the hooks around it, in the type that `to_float` has set."""
        if not observation.watching.active:
            return self._typed(args, kwargs)
        with observation.inside(self, args):
            return self._typed(args, kwargs)

    def _typed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._float_type is None:
            return self._computed(args, kwargs)
        args = tuple([self._to_float_type(x) for x in args])
        with self._converted_parameters():
            return self._computed(args, {k: self._to_float_type(x) for k, x in kwargs.items()})

    def _computed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not (self._pre_hooks or self._hooks or self._backward_hooks or self._backward_pre_hooks):
            return self._constructed(args, kwargs)
        for hook in [*self._pre_hooks.values()]:
            args, kwargs = after_pre_hook(hook(self, args, kwargs), args, kwargs, hook.with_kwargs)
        gradients = GradientHooks(self, self._backward_pre_hooks, self._backward_hooks)
        if recording.tapes:
            args = gradients.inputs(args)
        called, finished = set[int](), False
        try:
            output = self._constructed(args, kwargs)
            for key, hook in [*self._hooks.items()]:
                called.add(key)
                changed = hook(self, args, kwargs, output)
                output = output if changed is None else changed
            finished = True
        finally:
            if not finished:
                self._call_always(called, args, kwargs)
        return gradients.outputs(output) if recording.tapes else output

    def _call_always(self, called: set[int], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """After an error: calls the hooks with always_call that were not called yet."""
        for key, hook in self._hooks.items():
            if hook.always and key not in called:
                hook(self, args, kwargs, None)

    def _constructed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            if recording.tapes and hasattr(type(self), "bprop"):
                return self._with_bprop(args, kwargs)
            return lowered(self.construct)(*args, **kwargs)
        except MsconvertError as error:
            locate(error, self)
            raise

    def _with_bprop(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`construct`, whose gradient is the method `bprop(*inputs, outputs, gradients)`."""
        inputs = [linked(x) if isinstance(x, Tensor) else x for x in args]
        before = [wrap(x.content) if isinstance(x, Tensor) else None for x in inputs]
        with taping():
            result = lowered(self.construct)(*inputs, **kwargs)
        for given, inner, was in zip(args, inputs, before, strict=True):
            if was is not None and inner.content is not was.content:  # written in place
                assign(given, linked(was, inner))
        several = isinstance(result, tuple)
        ys = [linked(y) for y in result] if several else [linked(result)]

        def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
            filled = [zeros_like(y) if g is None else g for g, y in zip(gs, ys, strict=True)]
            g = tuple(filled) if several else filled[0]
            found: Any = self.bprop(*inputs, tuple(ys) if several else ys[0], g)
            grads = list(found) if isinstance(found, (tuple, list)) else [found]
            if len(grads) < len(inputs):
                raise RuntimeError(
                    "Grad size should larger than forward inputs, "
                    f"but got {len(grads)} vs {len(inputs)}"
                )
            return [fitted(g, x) for g, x in zip(grads, inputs, strict=False)]

        record(before, ys, back)
        return tuple(ys) if several else ys[0]

    def _to_float_type(self, x: Any) -> Any:
        floating = isinstance(x, Tensor) and x.dtype in dtypes.FLOATS
        return convert(x, self._float_type) if floating else x

    @contextmanager
    def _converted_parameters(self) -> Iterator[None]:
        """Inside, the parameters have the type that `to_float` has set, but the `_unconverted`."""
        own = self.__dict__
        names = [n for n, p in self._params.items() if p is not None and n not in self._unconverted]
        before = {name: own[name] for name in names if name in own}
        own.update({name: self._to_float_type(p) for name, p in before.items()})
        try:
            yield
        finally:
            own.update(before)

    def graph_state(self) -> Hashable:
        """What of this cell and its sub-cells a compiled graph depends on, beside parameters."""
        count, state = self._state
        if count != Changes.count:
            cells = [cell for _, cell in self.cells_and_names()]
            state = tuple([(id(c), c.training, c.phase, c._revision) for c in cells])
            self.__dict__["_state"] = (Changes.count, state)
        return state  # type: ignore[no-any-return]  # kept untyped in __dict__

    # attributes

    def __setattr__(self, name: str, value: Any) -> None:
        if "_params" not in self.__dict__:
            if not isinstance(value, (Parameter, ParameterTuple, Cell)):
                self.__dict__[name] = value
                return
            raise AttributeError(
                f"For 'Cell', please call super().__init__() before setting {name!r}."
            )
        if isinstance(value, Parameter):
            self.insert_param_to_cell(name, value, replace=True)
        elif isinstance(value, ParameterTuple):
            self.insert_parameter_tuple(name, value)
        elif isinstance(value, Cell):
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
            self.insert_child_to_cell(name, value, replace=True)
        elif name == "phase":
            object.__setattr__(self, name, value)
            Changes.count += 1  # it is in the state that graphs are compiled for
            return
        elif self._set_plain(name, value):
            return
        self._changed()

    def _set_plain(self, name: str, value: Any) -> bool:
        """Sets an attribute to what is no parameter or cell; whether a parameter got the value."""
        for kind, table in self._tables().items():
            if name not in table:
                continue
            if value is None:
                table[name] = None
            elif kind == "Parameter" and isinstance(value, Tensor):
                table[name].set_data(value)
                return True
            else:
                raise TypeError(
                    f"{kind} '{name}' already exists in network, "
                    f"can not assign this type: '{type(value)}' to it."
                )
        trace = active()
        if trace is not None and isinstance(value, Tensor) and value.is_traced:
            trace.keep(self, name, value)
        object.__setattr__(self, name, value)
        return False

    def _tables(self) -> dict[str, dict[str, Any]]:
        own = self.__dict__
        return {"Parameter": own["_params"], "Sub cell": own["_cells"], "Buffer": own["_buffers"]}

    def _changed(self) -> None:
        """Makes compiled graphs of this cell, and of cells around it, look again."""
        self.__dict__["_revision"] += 1
        Changes.count += 1

    def __delattr__(self, name: str) -> None:
        for table in self._tables().values():
            table.pop(name, None)
        object.__delattr__(self, name)
        self._changed()

    def insert_param_to_cell(
        self,
        param_name: str,
        param: Parameter | None,
        check_name_contain_dot: bool = True,
        *,
        replace: bool = False,
    ) -> None:
        """Adds a parameter; one without a name gets `param_name`.

        Raises: KeyError for an empty name, a dot in it, or another attribute of that name.
        """
        self._check_name(param_name, self._params, check_name_contain_dot, replace)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                "For 'insert_param_to_cell', the argument 'param' must be 'Parameter' if not None, "
                f"but got {type(param)}."
            )
        if param is not None and not param.is_named:
            param.name = param_name
        self._params[param_name] = param
        self.__dict__[param_name] = param
        self._changed()

    def insert_parameter_tuple(self, name: str, value: ParameterTuple) -> None:
        for item in dict.fromkeys(value):
            if not item.is_named:
                item.name = f"Parameter${self._counter}"
                self.__dict__["_counter"] += 1
            self.insert_param_to_cell(item.name, item, False, replace=True)
        self.__dict__[name] = value

    def insert_child_to_cell(
        self, child_name: str, child_cell: Cell | None, *, replace: bool = False
    ) -> None:
        """Adds a sub-cell. Raises: KeyError as `insert_param_to_cell`."""
        self._check_name(child_name, self._cells, True, replace)
        if child_cell is not None and not isinstance(child_cell, Cell):
            raise TypeError(
                "For 'insert_child_to_cell', the argument 'child_cell' must be 'Cell' if not None, "
                f"but got type {type(child_cell)}."
            )
        self._cells[child_name] = child_cell
        self.__dict__[child_name] = child_cell
        self._changed()

    def _check_name(self, name: str, table: dict[str, Any], no_dot: bool, replace: bool) -> None:
        if not isinstance(name, str):
            raise TypeError(f"For 'Cell', a name must be str, but got {type(name)}.")
        if not name or (no_dot and "." in name):
            raise KeyError(f"For 'Cell', the name {name!r} must not be empty or contain '.'")
        if not replace and name not in table and hasattr(self, name):
            raise KeyError(f"For 'Cell', there is another attribute named {name!r} already")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a Tensor that is saved with the parameters but not trained."""
        self._check_name(name, self._buffers, True, False)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor)}' object to buffer '{name}' "
                "(mindspore Tensor or None required)"
            )
        if tensor is not None:
            tensor.variable = True
        self._buffers[name] = tensor
        (self._transient_buffers.discard if persistent else self._transient_buffers.add)(name)
        self.__dict__[name] = tensor
        self._changed()

    # names

    def cells_and_names(
        self, cells: set[Cell] | None = None, name_prefix: str = ""
    ) -> Iterator[tuple[str, Cell]]:
        """This cell and all below it, each once, with their paths."""
        seen = set() if cells is None else cells
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                path = f"{name_prefix}.{name}" if name_prefix else name
                yield from cell.cells_and_names(seen, path)

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Each parameter once, with its path."""
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for path, cell in cells:
            for name, parameter in cell._params.items():
                if parameter is not None and id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield (f"{path}.{name}" if path else name), parameter

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Names every parameter `prefix` and its path."""
        checked_prefix(prefix)
        for path, cell in self.cells_and_names():
            cell.__dict__["_prefix"] = f"{prefix}{path}." if path else prefix
        for name, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + name

    def name_cells(self) -> dict[str, Cell]:
        """The immediate sub-cells by name, each once."""
        found: OrderedDict[str, Cell] = OrderedDict()
        for name, cell in self._cells.items():
            if cell is not None and all(cell is not other for other in found.values()):
                found[name] = cell
        return found

    def cells(self) -> Any:
        """The immediate sub-cells."""
        return self.name_cells().values()

    def get_sub_cell(self, target: str) -> Cell:
        """The sub-cell at the path `target`. Raises: AttributeError if there is none."""
        cell = self
        for name in target.split(".") if target else []:
            if cell._cells.get(name) is None:
                raise AttributeError(f"{cell.cls_name} has no sub cell {name!r}")
            cell = cell._cells[name]
        return cell

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def check_names(self) -> None:
        """Raises: ValueError if two parameters have the same name."""
        names = [p.name for p in self.get_parameters()]
        doubled = {n for n in names if names.count(n) > 1}
        if doubled:
            raise ValueError(f"the parameter names {sorted(doubled)} are used more than once")

    def check_names_and_refresh_name(self) -> None:
        names = [p.name for p in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()

    @property
    def cls_name(self) -> str:
        return type(self).__name__

    # modes

    def set_train(self, mode: bool = True) -> Cell:
        """Sets training or inference mode here and below."""
        self.phase = "train" if mode else "predict"
        self.add_flags_recursive(training=mode)
        return self

    def set_grad(self, requires_grad: bool = True) -> Cell:
        self.__dict__["requires_grad"] = requires_grad
        return self

    def to_float(self, dst_type: dtypes.DType) -> Cell:
        """This cell and those below compute in `dst_type`: inputs and parameters are converted.

        Raises: ValueError unless it is float16, float32 or bfloat16.
        """
        if dst_type not in (dtypes.float16, dtypes.float32, dtypes.bfloat16):
            raise ValueError(f"to_float needs float16, float32 or bfloat16, but got {dst_type}.")
        for _, cell in self.cells_and_names():
            cell.__dict__["_float_type"] = dst_type
            cell._changed()
        return self

    def apply(self, fn: Callable[[Cell], Any]) -> Cell:
        """Calls `fn` on every sub-cell, then on this cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def register_forward_pre_hook(
        self, hook_fn: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """hook_fn(cell, inputs) before each call; what it gives is taken for the inputs."""
        return self.add_hook(self._pre_hooks, hook_fn, prepend, with_kwargs)

    def register_forward_hook(
        self,
        hook_fn: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """hook_fn(cell, inputs, output) after each call; what it gives is the output."""
        if hasattr(type(self), "bprop"):
            return HookHandle({}, 0)
        return self.add_hook(self._hooks, hook_fn, prepend, with_kwargs, always_call)

    def register_backward_pre_hook(self, hook_fn: Hook) -> HookHandle:
        """hook_fn(cell, gradients of the outputs); what it gives goes on instead."""
        return add_hook(self._backward_pre_hooks, hook_fn, self._changed)

    def register_backward_hook(self, hook_fn: Hook) -> HookHandle:
        """hook_fn(cell, gradients of the inputs, of the outputs); what it gives goes on."""
        return add_hook(self._backward_hooks, hook_fn, self._changed)

    def add_hook(
        self, hooks: dict[int, Any], hook: Hook, prepend: bool, *options: bool
    ) -> HookHandle:
        handle = add_hook(hooks, hook, self._changed, prepend=prepend)
        hooks[handle.key] = CellHook(hook, *options)
        return handle

    # text

    def extend_repr(self) -> str:
        """What `repr` shows between the brackets."""
        return ""

    def __repr__(self) -> str:
        own = self.extend_repr()
        lines = own.split("\n") if own else []
        for name, cell in self._cells.items():
            lines.append(f"({name}): " + repr(cell).replace("\n", "\n  "))
        if not lines:
            return f"{self.cls_name}()"
        if len(lines) == 1 and own:
            return f"{self.cls_name}({own})"
        return f"{self.cls_name}(\n  " + "\n  ".join(lines) + "\n)"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_params" not in self.__dict__:
            raise AttributeError(name)
        makers = (vars(kind).get("held", {}).get(name) for kind in type(self).__mro__)
        made = next((make for make in makers if make is not None), None)
        if made is not None:
            return self.__dict__.setdefault(name, made(self))
        hint = missing_hint(name)
        raise AttributeError(f"The '{self.cls_name}' object has no attribute '{name}'.{hint}")
