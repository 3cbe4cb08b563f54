"""The MindSpore-style framework that runs the scripts, on ONNX Runtime; see docs/design.md.

`import msconvert.runtime as ms` answers like `import mindspore as ms`.
"""

import sys as _sys
from importlib import import_module as _import_module
from typing import Any

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from . import amp, context, experimental, log, mint, nn, numpy, onnx, ops, profiler, scipy, train
from . import tensor_methods as _tensor_methods  # noqa: F401  # for what it adds to Tensor
from . import validation as _checkparam  # noqa: F401  # a private name of MindSpore's
from .cells.cell import Cell
from .cells.recompute import recompute
from .checkpoint import (
    async_ckpt_thread_status,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    save_checkpoint,
)
from .checkpoint_formats import ckpt_to_safetensors, safetensors_to_ckpt
from .context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
    get_auto_parallel_context,
    get_context,
    get_current_device,
    get_ps_context,
    get_seed,
    reset_auto_parallel_context,
    reset_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_context,
    set_deterministic,
    set_device,
    set_ps_context,
    set_seed,
)
from .devices import communication, device_context
from .devices import execution as hal
from .devices import execution as runtime
from .devices.execution import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    dispatch_threads_num,
    empty_cache,
    launch_blocking,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
    reset_stream_limit,
    run_check,
    set_cpu_affinity,
    set_cur_stream,
    set_device_limit,
    set_kernel_launch_capture,
    set_kernel_launch_group,
    set_memory,
    set_stream_limit,
    synchronize,
)
from .devices.execution import accepted as ms_memory_recycle
from .dump import set_dump
from .dump.dumper import start as _start_dump
from .dynamic_shape import Symbol
from .engine import dtype, initializer
from .engine.compiler import jit
from .engine.dtype import (
    Type,
    bfloat16,
    bool_,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float16,
    float32,
    float64,
    float_,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    number,
    pytype_to_dtype,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .engine.dtype import bool_ as bool
from .engine.failure import MissingNameError
from .engine.gradient import get_grad, grad, value_and_grad
from .engine.jit_options import (
    JitConfig,
    constexpr,
    enable_dynamic,
    jit_class,
    lazy_inline,
    no_inline,
    set_recursion_limit,
)
from .engine.jit_options import no_grad as _no_grad
from .engine.mutable import mutable
from .engine.parameter import Parameter, ParameterTuple
from .engine.tensor import Tensor, is_tensor, tensor
from .exchange import (
    from_dlpack,
    from_numpy,
    frombuffer,
    load,
    swap_tensors,
    to_dlpack,
)
from .export import export
from .generator import (
    Generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .jacobian import jacfwd, jacrev, jvp, vjp
from .profiler import Profiler
from .sparse import COOTensor, CSRTensor, RowTensor, SparseTensor
from .vmap import vmap

common = _sys.modules[__name__]
"""`mindspore.common` is where MindSpore keeps what it exports at its top."""
_sys.modules |= {f"{__name__}.common": common, f"{__name__}.common.initializer": initializer}

__version__ = "2.10.0"
"""The version of MindSpore whose API this is: scripts compare it."""

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "COOTensor",
    "CSRTensor",
    "Cell",
    "Event",
    "Generator",
    "JitConfig",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "Profiler",
    "RowTensor",
    "SparseTensor",
    "Stream",
    "StreamCtx",
    "Symbol",
    "Tensor",
    "Type",
    "_no_grad",
    "amp",
    "async_ckpt_thread_status",
    "bfloat16",
    "bool",
    "bool_",
    "ckpt_to_safetensors",
    "common",
    "communication",
    "communication_stream",
    "complex64",
    "complex128",
    "constexpr",
    "context",
    "current_stream",
    "default_stream",
    "device_context",
    "dispatch_threads_num",
    "double",
    "dtype",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "empty_cache",
    "enable_dynamic",
    "experimental",
    "export",
    "float16",
    "float32",
    "float64",
    "float_",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "get_auto_parallel_context",
    "get_context",
    "get_current_device",
    "get_grad",
    "get_ps_context",
    "get_rng_state",
    "get_seed",
    "grad",
    "hal",
    "half",
    "initial_seed",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "is_tensor",
    "jacfwd",
    "jacrev",
    "jit",
    "jit_class",
    "jvp",
    "launch_blocking",
    "lazy_inline",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "log",
    "manual_seed",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "mint",
    "ms_memory_recycle",
    "mutable",
    "nn",
    "no_inline",
    "number",
    "numpy",
    "onnx",
    "ops",
    "profiler",
    "pytype_to_dtype",
    "recompute",
    "reset_auto_parallel_context",
    "reset_context",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "reset_ps_context",
    "reset_stream_limit",
    "run_check",
    "runtime",
    "safetensors_to_ckpt",
    "save_checkpoint",
    "scipy",
    "seed",
    "set_auto_parallel_context",
    "set_context",
    "set_cpu_affinity",
    "set_cur_stream",
    "set_deterministic",
    "set_device",
    "set_device_limit",
    "set_dump",
    "set_kernel_launch_capture",
    "set_kernel_launch_group",
    "set_memory",
    "set_ps_context",
    "set_recursion_limit",
    "set_rng_state",
    "set_seed",
    "set_stream_limit",
    "swap_tensors",
    "synchronize",
    "tensor",
    "to_dlpack",
    "train",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "value_and_grad",
    "vjp",
    "vmap",
]
__all__ += [
    name for name in train.__all__ if name not in __all__ and name not in ("callback", "metrics")
]
globals().update({name: getattr(train, name) for name in train.__all__ if name in __all__})
_start_dump()


def __getattr__(name: str) -> Any:
    """Raises: MS301 with the nearest name that there is."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "bool":
        return bool_
    if name == "dataset":  # a fifth of the time of importing all, and few scripts have one
        return _import_module(f"{__name__}.dataset")
    raise MissingNameError.of("mindspore", name, __all__)
