"""What MindSpore's compiler can be told; most of it has no effect here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, MethodType, TracebackType
from typing import Any

from .tape import recording

LEVELS = ("", "O0", "O1", "O2")
SYNTAX_LEVELS = ("", "STRICT", "COMPATIBLE", "LAX")


def check_among(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        shown = [text for text in known if text]
        raise ValueError(f"For '{name}' must be one of '{shown}'.")


class JitConfig:
    """The options of a compilation, as `mindspore.JitConfig`.

    Only `jit_syntax_level` has an effect: what cannot be compiled runs in PyNative mode, but not
    with "STRICT" or "COMPATIBLE".
    """

    def __init__(
        self,
        jit_level: str = "",
        exc_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **kwargs: Any,
    ) -> None:
        check_among("jit_level", jit_level, LEVELS)
        check_among("exc_mode", exc_mode, ("auto", "sink", "no_sink"))
        check_among("jit_syntax_level", jit_syntax_level, SYNTAX_LEVELS)
        check_among("debug_level", debug_level, ("RELEASE", "DEBUG"))
        check_among("infer_boost", infer_boost, ("", "on", "off"))
        self.jit_config_dict: dict[str, Any] = {
            **kwargs,
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
        }
        if jit_level:
            self.jit_config_dict.setdefault("backend", "GE" if jit_level == "O2" else "ms_backend")

    @property
    def is_lax(self) -> bool | None:
        """Whether what cannot be compiled is interpreted; None: as the context says."""
        level = self.jit_config_dict["jit_syntax_level"]
        return bool(level == "LAX") if level else None


def check_options(capture_mode: Any, jit_level: Any, dynamic: Any, fullgraph: Any) -> None:
    """Raises: TypeError, ValueError as `mindspore.jit`."""
    for name, value, known in (
        ("capture_mode", capture_mode, ["ast", "bytecode", "trace"]),
        ("jit_level", jit_level, ["O0", "O1"]),
    ):
        if value not in known:
            raise ValueError(
                f"For 'jit', the '{name}' must be str and must be in '{known}', but got {value!r}."
            )
    if dynamic not in (0, 1):
        raise ValueError(f"For 'jit', the 'dynamic' must be in range of [0, 1], but got {dynamic}.")
    if not isinstance(fullgraph, bool):
        raise TypeError(
            f"For 'jit', the 'fullgraph' must be a bool, but got {type(fullgraph).__name__}."
        )


def check_backend(backend: Any) -> None:
    if backend not in ("", "ms_backend", "GE"):
        raise RuntimeError(
            f"Invalid backend name: {backend}, you should register custom backend first"
        )


def jit_class(cls: Any) -> Any:
    """`cls`, whose objects graphs may use, as `mindspore.jit_class`."""
    if not inspect.isclass(cls):
        raise TypeError(f"Decorator jit_class can only be used for class type, but got {cls}.")
    if hasattr(cls, "graph_state"):
        raise TypeError(
            "Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell: "
            f"{cls}."
        )
    marked: Any = cls
    marked.__ms_class__ = True
    return marked


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Accepted: Python's own limit holds. Raises: TypeError, ValueError as MindSpore."""
    if isinstance(recursion_limit, bool) or not isinstance(recursion_limit, int):
        kind = type(recursion_limit).__name__
        raise TypeError(f"The input value must be int, but got '{kind}'")
    if recursion_limit <= 0:
        raise ValueError(f"The input value must be int and must > 0, but got '{recursion_limit}'.")


def lazy_inline(fn: Any = None, attrs: Any = None, policy: Any = None) -> Any:
    """Accepted, on `__init__` of a Cell. Raises: ValueError elsewhere."""
    if fn is None:
        return lambda found: lazy_inline(found, attrs, policy)
    if inspect.isclass(fn) or fn.__name__ != "__init__":
        raise ValueError(f"The lazy_inline should decorate the __init__ function, not {fn}.")
    if policy not in (None, "front"):
        raise ValueError("policy must be None or 'front'")
    return fn


def no_inline(fn: Any = None) -> Any:
    """Accepted: everything is one graph."""
    return fn if fn is not None else no_inline


def enable_dynamic(**kwargs: Any) -> Callable[[Any], Any]:
    """Accepted: graphs are compiled for the shapes that they are called with."""
    if not kwargs:
        raise ValueError("When using decorator enable_dynamic, the input cannot be empty!")

    def decorator(fn: Any) -> Any:
        if not isinstance(fn, (FunctionType, MethodType)):
            raise ValueError(
                f"Decorator enable_dynamic can only be used for function or method, but got {fn}."
            )
        return fn

    return decorator


class ConstantFunction:
    """A function that is called while a graph is traced, with values that are known then."""

    def __init__(self, fn: Callable[..., Any], name: str | None) -> None:
        self.fn = fn
        self.name = fn.__name__ if name is None else name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)


def constexpr(
    fn: Any = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> Any:
    """`fn` as a constant of graphs, as `mindspore.ops.constexpr`."""
    if fn is None:
        return lambda found: constexpr(found, get_instance, name, reuse_result, check)
    made = ConstantFunction(fn, name)
    return made if get_instance else lambda: made


class no_grad:
    """Inside, nothing is recorded for gradients; also a decorator."""

    def __enter__(self) -> None:
        self.before = (recording.tapes, recording.forbidden, recording.paused)
        _pynative_executor.set_enable_grad(False)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        recording.tapes, recording.forbidden, recording.paused = self.before

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        def without(*args: Any, **kwargs: Any) -> Any:
            with no_grad():
                return fn(*args, **kwargs)

        return without


class PynativeExecutor:
    """What is asked of MindSpore's queue of operators; here every call is done when it returns."""

    def sync(self) -> None:
        """Nothing is left to wait for."""

    def is_first_cell(self) -> bool:
        return True

    def grad_flag(self) -> bool:
        """Whether a gradient is computed around this, also inside of `_no_grad`."""
        return bool(recording.tapes or recording.paused)

    def enable_grad(self) -> bool:
        """Whether gradients may be computed: not inside of `_no_grad`."""
        return not recording.forbidden

    def set_enable_grad(self, flag: bool) -> None:
        """Ends or begins what `_no_grad` does, for this thread."""
        if flag and recording.forbidden:
            recording.tapes, recording.paused = recording.paused, ()
        elif not flag and not recording.forbidden:
            recording.tapes, recording.paused = (), recording.tapes or recording.paused
        recording.forbidden = not flag


_pynative_executor = PynativeExecutor()
"""Beside `no_grad`, where MindSpore has it."""
