"""What a Cell's state is: parameters and buffers by path, saved and loaded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..engine import dtype as dtypes
from ..engine.hooks import HookHandle, add_hook
from ..engine.parameter import Parameter, assign
from ..engine.tensor import Tensor

EXTRA = "_extra_state"
"""The key of what `get_extra_state` gives."""


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` found in one place and not in the other."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not (self.missing_keys or self.unexpected_keys):
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


class Stateful:
    """The part of Cell that saves and loads; `self` is the Cell."""

    def named_members(
        self: Any, prefix: str, recurse: bool, remove_duplicate: bool, table: str
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for path, cell in cells:
            for name, member in cell.__dict__[table].items():
                if member is None or (remove_duplicate and id(member) in seen):
                    continue
                seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        yield from self.named_members(prefix, recurse, remove_duplicate, "_buffers")

    buffers_and_names = named_buffers

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self: Any, target: str) -> Tensor:
        """The buffer at the path `target`. Raises: AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if not hasattr(cell, name):
            raise AttributeError(f"{cell.cls_name} has no attribute `{name}`")
        if name not in cell._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        buffer: Tensor = cell._buffers[name]
        return buffer

    def own_state(self: Any) -> dict[str, Tensor]:
        """The cell's own parameters and persistent buffers by name."""
        kept = {k: b for k, b in self._buffers.items() if k not in self._transient_buffers}
        return {k: x for k, x in (self._params | kept).items() if x is not None}

    def get_extra_state(self) -> Any:
        """What is saved beside Tensors; subclasses define it."""
        raise RuntimeError(
            "Reached a code path in Cell.get_extra_state() that should never be called."
        )

    def set_extra_state(self, state: Any) -> None:
        """Takes what `get_extra_state` gave; subclasses define it."""
        raise RuntimeError(
            "Reached a code path in Cell.set_extra_state() that should never be called."
        )

    def state_dict(
        self: Any, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """Parameters, persistent buffers and extra states by path."""
        given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination = given.get("destination", destination)
        prefix = given.get("prefix", prefix)
        check_kinds(destination, prefix, given.get("keep_vars", keep_vars))
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # what hooks note for each cell
        metadata: dict[str, Any] = {}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_hooks["state_pre"].values():
            hook(self, prefix, keep_vars)
        destination.update({prefix + name: x for name, x in self.own_state().items()})
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=destination, prefix=f"{prefix}{name}.")
        for hook in self._state_hooks["state_post"].values():
            if hook(self, destination, prefix, metadata) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        state: OrderedDict[str, Any] = destination
        return state

    def load_state_dict(
        self: Any, state_dict: Mapping[str, Any], strict: bool = True
    ) -> IncompatibleKeys:
        """Sets parameters and buffers; tells the keys that have no counterpart.

        Raises: RuntimeError for other shapes and, if `strict`, for keys without a counterpart.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        report = IncompatibleKeys([], [])
        wrong: list[str] = []
        self.load_below(OrderedDict(state_dict), "", report, wrong)
        if strict:
            for word, keys in zip(("Missing", "Unexpected"), report, strict=True):
                if keys:
                    shown = ", ".join(f'"{key}"' for key in keys)
                    wrong.insert(0, f"{word} key(s) in state_dict: {shown}. ")
        if wrong:
            text = "\n\t".join(wrong)
            raise RuntimeError(f"Error(s) in loading state_dict for {self.cls_name}:\n\t{text}")
        return report

    def load_below(
        self: Any, state: dict[str, Any], prefix: str, report: IncompatibleKeys, wrong: list[str]
    ) -> None:
        for hook in self._state_hooks["load_pre"].values():
            hook(self, state, prefix, {}, True, *report, wrong)
        self.load_own(state, prefix, report, wrong)
        for name, cell in self._cells.items():
            if cell is not None:
                below = {k: v for k, v in state.items() if k.startswith(f"{prefix}{name}.")}
                cell.load_below(below, f"{prefix}{name}.", report, wrong)
        for hook in self._state_hooks["load_post"].values():
            if hook(self, report) is not None:
                raise RuntimeError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                    "expected to return new values"
                )

    def load_own(
        self: Any, state: dict[str, Any], prefix: str, report: IncompatibleKeys, wrong: list[str]
    ) -> None:
        own = self.own_state()
        for name, x in own.items():
            key = prefix + name
            if key not in state:
                report.missing_keys.append(key)
            elif not isinstance(state[key], Tensor):
                wrong.append(f'the parameter named "{key}" is given a {type(state[key]).__name__}')
            elif state[key].shape != x.shape:
                wrong.append(
                    f"size mismatch for {key}: copying a param with shape {state[key].shape} from "
                    f"checkpoint, the shape in current model is {x.shape}."
                )
            else:
                assign(x, state[key])
        extra = prefix + EXTRA
        takes_extra = type(self).set_extra_state is not Stateful.set_extra_state
        if takes_extra and extra in state:
            self.set_extra_state(state[extra])
        elif takes_extra:
            report.missing_keys.append(extra)
        names = {*own} | {n for n, cell in self._cells.items() if cell is not None}
        known = {extra} if takes_extra else set()
        report.unexpected_keys.extend(unknown(state, prefix, names, known))

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Converts the floating parameters and buffers to the element type among the arguments."""
        wanted = [a for a in (*args, *kwargs.values()) if isinstance(a, dtypes.DType)]
        for _, cell in self.cells_and_names():
            for x in [*cell._params.values(), *cell._buffers.values()]:
                if wanted and x is not None and x.dtype in dtypes.FLOATS:
                    x.assign_value(x.asnumpy().astype(wanted[0].numpy))
            cell._changed()
        return self

    def register_state_dict_pre_hook(self: Any, hook: Callable[..., Any]) -> HookHandle:
        return add_hook(self._state_hooks["state_pre"], hook)

    def register_state_dict_post_hook(self: Any, hook: Callable[..., Any]) -> HookHandle:
        return add_hook(self._state_hooks["state_post"], hook)

    def register_load_state_dict_pre_hook(self: Any, hook: Callable[..., Any]) -> HookHandle:
        return add_hook(self._state_hooks["load_pre"], hook)

    def register_load_state_dict_post_hook(self: Any, hook: Callable[..., Any]) -> HookHandle:
        return add_hook(self._state_hooks["load_post"], hook)

    def parameters_dict(self: Any, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """The parameters by their names (not by their paths)."""
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def parameters_broadcast_dict(self: Any, recurse: bool = True) -> Any:
        """The parameters that all machines have alike; None if there are none."""
        found = self.parameters_dict(recurse)
        return OrderedDict((k, p) for k, p in found.items() if not p.layerwise_parallel) or None

    def init_parameters_data(self: Any, auto_parallel_mode: bool = False) -> dict[Any, Parameter]:
        """Every parameter with itself: they have their values."""
        return {parameter: parameter for parameter in self.get_parameters()}


def unknown(state: Iterable[str], prefix: str, names: set[str], known: set[str]) -> list[str]:
    """The keys below `prefix` that begin with none of the names."""
    below = [key for key in state if key.startswith(prefix) and key not in known]
    return [key for key in below if key[len(prefix) :].split(".", 1)[0] not in names]


def check_kinds(destination: Any, prefix: Any, keep_vars: Any) -> None:
    """Raises: TypeError as MindSpore."""
    for name, value, kind in (
        ("destination", destination, dict),
        ("prefix", prefix, str),
        ("keep_vars", keep_vars, bool),
    ):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"The type of {name} must be {kind.__name__}, but got {type(value)}")
