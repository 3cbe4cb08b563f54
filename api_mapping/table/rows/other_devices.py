"""torch.accelerator, torch.xpu, torch.mps: devices of scripts that are not for CUDA alone."""

from collections.abc import Iterator

from ..families import missing
from ..rule import Rule
from .devices import on_this_device

OWN_KEYS = "The keys of the dictionary are MindSpore's own."
SEED = "MindSpore has one seed, for all devices and for its data pipelines."
FIRST = "It must come before the first tensor is made."

OF_MEMORY = (
    ("memory_allocated", "memory_allocated", "int", ""),
    ("max_memory_allocated", "max_memory_allocated", "int", ""),
    ("memory_reserved", "memory_reserved", "int", ""),
    ("max_memory_reserved", "max_memory_reserved", "int", ""),
    ("memory_stats", "memory_stats", "other", OWN_KEYS),
    ("reset_peak_memory_stats", "reset_peak_memory_stats", "none", ""),
    ("reset_accumulated_memory_stats", "reset_peak_memory_stats", "none", ""),
)
"""PyTorch's name, the one of ms.runtime, what it gives, and what there is to know of it."""


def of_memory(module: str, argument: str) -> Iterator[Rule]:
    for name, own, returns, note in OF_MEMORY:
        yield on_this_device(f"{module}.{name}({argument})", f"ms.runtime.{own}()", returns, note)


def seeds(*names: str) -> Iterator[Rule]:
    for name in names:
        yield Rule(
            f"torch.{name}(seed)",
            "ms.set_seed(seed)",
            note=SEED,
            returns="none",
            example=f"torch.{name}(3)",
            check="alone",
        )


ACCELERATOR = (
    *of_memory("accelerator", "device_index=None, /"),
    on_this_device("accelerator.synchronize(device=None, /)", "ms.runtime.synchronize()", "none"),
    on_this_device("accelerator.empty_cache()", "ms.runtime.empty_cache()", "none"),
    *(
        on_this_device(f"accelerator.{name}()", "ms.get_current_device().device_id", "int")
        for name in ("current_device_index", "current_device_idx")
    ),
    Rule(
        "torch.accelerator.set_device_idx(device, /)",
        "ms.set_device(ms.get_current_device().device_target, device)",
        note=FIRST,
        returns="none",
        platform="GPU, Ascend",
    ),
    *missing(
        "one process has one device: ms.set_device before the first tensor, more by `msrun`",
        "torch.accelerator.device_index(device, /)",
    ),
    *missing(
        "use MindSpore's: ms.runtime.current_stream(), ms.runtime.set_cur_stream(stream)",
        "torch.accelerator.current_stream(device=None, /)",
        "torch.accelerator.set_stream(stream)",
    ),
    *missing(
        "compile the step instead, which runs it as one graph: @ms.jit",
        "torch.accelerator.Graph(keep_graph=False, *, pool=None, capture_error_mode='default')",
    ),
    *missing(
        "delete it: the memory of the host and the kind of the device are not seen from MindSpore",
        "torch.accelerator.empty_host_cache()",
        "torch.accelerator.get_device_capability(device=None, /)",
    ),
    *missing(
        "call ms.runtime.memory_allocated() and compare with ms.runtime.set_memory's max_size",
        "torch.accelerator.get_memory_info(device_index=None, /)",
    ),
)

XPU = (
    *of_memory("xpu", "device=None"),
    *seeds("xpu.manual_seed", "xpu.manual_seed_all"),
    on_this_device("xpu.synchronize(device=None)", "ms.runtime.synchronize()", "none"),
    on_this_device("xpu.empty_cache()", "ms.runtime.empty_cache()", "none"),
    on_this_device("xpu.current_device()", "ms.get_current_device().device_id", "int"),
    *missing(
        "write what the same name of torch.cuda becomes: `msconvert api torch.cuda.NAME`",
        *(
            f"torch.xpu.{name}"
            for name in (
                *("Event(enable_timing=False)", "Stream(device=None, priority=0, **kwargs)"),
                *("StreamContext(stream)", "stream(stream)", "set_stream(stream)"),
                *("current_stream(device=None)", "set_device(device)", "device(device)"),
                *("get_device_name(device=None)", "get_device_properties(device=None)"),
                *("get_device_capability(device=None)", "is_bf16_supported()", "init()"),
                *("is_initialized()", "initial_seed()", "seed()", "seed_all()"),
                *("get_rng_state(device='xpu')", "set_rng_state(new_state, device='xpu')"),
                *("mem_get_info(device=None)", "memory_stats_as_nested_dict(device=None)"),
            )
        ),
    ),
)

MPS = missing(
    "delete it: MindSpore does not run on the GPU of a Mac, and has no such module to ask for",
    *(
        f"torch.mps.{name}"
        for name in (
            *("is_available()", "device_count()", "manual_seed(seed)", "seed()"),
            *("synchronize()", "empty_cache()", "current_allocated_memory()"),
            *("driver_allocated_memory()", "recommended_max_memory()"),
            *("set_per_process_memory_fraction(fraction)", "Event(enable_timing=False)"),
            *("get_rng_state(device='mps')", "set_rng_state(new_state, device='mps')"),
            *("compile_shader(source)", "load_metallib(source)"),
        )
    ),
)
"""None has a target, so that `hasattr(torch, "mps")` becomes False."""

RULES = (*ACCELERATOR, *XPU, *MPS)
