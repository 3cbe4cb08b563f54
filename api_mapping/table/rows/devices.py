"""torch.cuda, torch.accelerator, torch.backends and the other kinds of devices."""

from ..families import missing
from ..rule import Rule

ON_DEVICE = 'ms.get_current_device().device_target != "CPU"'
NO_SETTING = "MindSpore chooses its kernels itself: delete the line that sets it."


def counted(module: str) -> tuple[Rule, ...]:
    """`is_available` and `device_count` of a kind of device: of the one that MindSpore runs on."""
    return (
        Rule(
            f"torch.{module}.is_available()",
            ON_DEVICE,
            note="Any accelerator that MindSpore runs on counts, Ascend too.",
            returns="bool",
            example=f"torch.{module}.is_available()",
        ),
        Rule(
            f"torch.{module}.device_count()",
            f"ms.hal.device_count() if {ON_DEVICE} else 0",
            note="Any accelerator that MindSpore runs on counts, Ascend too.",
            returns="int",
            example=f"torch.{module}.device_count()",
        ),
    )


def of_vendor(*names: str) -> tuple[Rule, ...]:
    """The same for devices of plug-ins, that PyTorch itself has no module for."""
    return tuple(
        Rule(
            f"torch.{name}",
            ON_DEVICE if name.endswith("is_available()") else "ms.hal.device_count()",
            note="The devices that MindSpore runs on are counted; on the CPU 1.",
            returns="bool" if name.endswith("is_available()") else "int",
            example=f"torch.{name}",
            check="alone",
        )
        for name in names
    )


def on_this_device(signature: str, target: str, returns: str = "none", note: str = "") -> Rule:
    """A call about a device, that on MindSpore is about the one the process runs on."""
    name, _, parameters = signature.partition("(")
    return Rule(
        f"torch.{signature}",
        target,
        returns=returns,
        note=note or "It is about the one device of the process.",
        drop=tuple(p for p in ("device", "device_index") if f"{p}=" in parameters),
        example=f"torch.{name}()",
        check="alone",
    )


AVAILABLE = (
    *counted("cuda"),
    *counted("accelerator"),
    *counted("xpu"),
    *of_vendor("npu.is_available()", "npu.device_count()", "mlu.device_count()"),
    *of_vendor("hpu.device_count()", "musa.device_count()", "sdaa.device_count()"),
    *of_vendor("neuron.device_count()"),
    Rule(
        "torch.backends.mps.is_available()",
        "False",
        note="MindSpore does not run on the GPU of a Mac.",
        returns="bool",
        example="torch.backends.mps.is_available()",
    ),
    Rule(
        "torch.accelerator.current_accelerator(check_available=False)",
        "ms.get_current_device().device_target",
        note="The name of the device, a string: where PyTorch has no accelerator, 'CPU'.",
        drop=("check_available",),
        returns="str",
        example="torch.accelerator.current_accelerator()",
        check="runs",
    ),
    Rule(
        "torch.accelerator.set_device_index(device, /)",
        "ms.set_device(ms.get_current_device().device_target, device)",
        note="It must come before the first tensor is made.",
        returns="none",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.set_device(device)",
        "ms.set_device(ms.get_current_device().device_target, device)",
        note="It must come before the first tensor is made.",
        kinds={"device": "int"},
        returns="none",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.set_device(device)",
        "ms.set_device(ms.get_current_device().device_target, compat.device_number(device))",
        note="It must come before the first tensor is made.",
        returns="none",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.current_device()",
        "ms.get_current_device().device_id",
        returns="int",
        example="torch.cuda.current_device()",
        check="alone",
    ),
)

MEMORY = (
    on_this_device("cuda.synchronize(device=None)", "ms.runtime.synchronize()"),
    on_this_device("cuda.empty_cache()", "ms.runtime.empty_cache()"),
    on_this_device("cuda.memory_allocated(device=None)", "ms.runtime.memory_allocated()", "int"),
    on_this_device(
        "cuda.max_memory_allocated(device=None)", "ms.runtime.max_memory_allocated()", "int"
    ),
    on_this_device("cuda.memory_reserved(device=None)", "ms.runtime.memory_reserved()", "int"),
    on_this_device("cuda.memory_cached(device=None)", "ms.runtime.memory_reserved()", "int"),
    on_this_device(
        "cuda.max_memory_reserved(device=None)", "ms.runtime.max_memory_reserved()", "int"
    ),
    on_this_device(
        "cuda.max_memory_cached(device=None)", "ms.runtime.max_memory_reserved()", "int"
    ),
    on_this_device(
        "cuda.memory_stats(device=None)",
        "ms.runtime.memory_stats()",
        "other",
        "The keys of the dictionary are MindSpore's own.",
    ),
    on_this_device(
        "cuda.memory_stats_as_nested_dict(device=None)",
        "ms.runtime.memory_stats()",
        "other",
        "The keys of the dictionary are MindSpore's own.",
    ),
    on_this_device(
        "cuda.memory_summary(device=None, abbreviated=False)",
        "ms.runtime.memory_summary()",
        "str",
        "The text is MindSpore's own.",
    ),
    on_this_device(
        "cuda.reset_peak_memory_stats(device=None)", "ms.runtime.reset_peak_memory_stats()"
    ),
    on_this_device(
        "cuda.reset_max_memory_allocated(device=None)", "ms.runtime.reset_max_memory_allocated()"
    ),
    on_this_device(
        "cuda.reset_max_memory_cached(device=None)", "ms.runtime.reset_max_memory_reserved()"
    ),
    on_this_device(
        "cuda.reset_accumulated_memory_stats(device=None)", "ms.runtime.reset_peak_memory_stats()"
    ),
    *missing(
        "call ms.runtime.memory_allocated() and compare with ms.runtime.set_memory's max_size",
        "torch.cuda.mem_get_info(device=None)",
        "torch.cuda.device_memory_used(device=None)",
        "torch.cuda.memory_snapshot(mempool_id=None, include_traces=True)",
        "torch.cuda.host_memory_stats()",
        "torch.cuda.host_memory_stats_as_nested_dict()",
        "torch.cuda.reset_accumulated_host_memory_stats()",
        "torch.cuda.reset_peak_host_memory_stats()",
    ),
    *missing(
        'bound the memory in bytes before the first tensor: ms.runtime.set_memory(max_size="8GB")',
        "torch.cuda.set_per_process_memory_fraction(fraction, device=None)",
        "torch.cuda.get_per_process_memory_fraction(device=None)",
    ),
    *missing(
        "delete it: MindSpore's allocator is set by ms.runtime.set_memory alone",
        "torch.cuda.CUDAPluggableAllocator(path_to_so_file, alloc_fn_name, free_fn_name)",
        "torch.cuda.caching_allocator_alloc(size, device=None, stream=None)",
        "torch.cuda.caching_allocator_delete(mem_ptr)",
        "torch.cuda.caching_allocator_disabled()",
        "torch.cuda.caching_allocator_enable(value=True)",
        "torch.cuda.change_current_allocator(allocator)",
        "torch.cuda.get_allocator_backend()",
        "torch.cuda.ipc_collect()",
        "torch.cuda.memory",
    ),
    Rule(
        "torch.cuda.MemPool(allocator=None, use_on_oom=False, no_split=False)",
        "ms.runtime.MemPool(allocator)",
        reject={"use_on_oom": "MindSpore's pool is not shared", "no_split": "it may be split"},
        platform="Ascend",
    ),
    Rule(
        "torch.cuda.use_mem_pool(pool, device=None)",
        "ms.runtime.use_mem_pool(pool)",
        returns="other",
        platform="Ascend",
    ),
)

STREAMS = (
    Rule(
        "torch.cuda.Stream(device=None, priority=0, **kwargs)",
        "ms.runtime.Stream(priority=priority)",
        drop=("kwargs",),
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.Event(enable_timing=False, blocking=False, interprocess=False, external=False)",
        "ms.runtime.Event(enable_timing, blocking)",
        reject={"interprocess": "an event stays in its process", "external": "not in MindSpore"},
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.stream(stream)",
        "ms.runtime.StreamCtx(stream)",
        returns="other",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.StreamContext(stream)", "ms.runtime.StreamCtx(stream)", platform="GPU, Ascend"
    ),
    Rule(
        "torch.cuda.current_stream(device=None)",
        "ms.runtime.current_stream()",
        drop=("device",),
        returns="other",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.default_stream(device=None)",
        "ms.runtime.default_stream()",
        drop=("device",),
        returns="other",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.set_stream(stream)",
        "ms.runtime.set_cur_stream(stream)",
        returns="none",
        platform="GPU, Ascend",
    ),
    *(
        Rule(
            f"torch.cuda.{method}",
            f"self.{call}",
            returns=returns,
            platform="GPU, Ascend",
        )
        for method, call, returns in (
            ("Event.record(self, stream=None)", "record(stream)", "none"),
            ("Event.wait(self, stream=None)", "wait(stream)", "none"),
            ("Event.query(self)", "query()", "bool"),
            ("Event.synchronize(self)", "synchronize()", "none"),
            ("Event.elapsed_time(self, end_event)", "elapsed_time(end_event)", "float"),
            ("Stream.query(self)", "query()", "bool"),
            ("Stream.synchronize(self)", "synchronize()", "none"),
            ("Stream.record_event(self, event=None)", "record_event(event)", "other"),
            ("Stream.wait_event(self, event)", "wait_event(event)", "none"),
            ("Stream.wait_stream(self, stream)", "wait_stream(stream)", "none"),
        )
    ),
    *missing(
        "make streams with ms.runtime.Stream(): MindSpore takes none from outside",
        "torch.cuda.ExternalStream(stream_ptr, device=None, **kwargs)",
        "torch.cuda.get_stream_from_external(data_ptr, device=None)",
        "torch.cuda.GreenContext()",
        "torch.cuda.streams",
    ),
    *missing(
        "compile the step instead, which runs it as one graph: @ms.jit",
        "torch.cuda.CUDAGraph(keep_graph=False)",
        'torch.cuda.graph(cuda_graph, pool=None, stream=None, capture_error_mode="global", '
        "enable_annotations=False, check_input_liveness=False)",
        "torch.cuda.graph_pool_handle()",
        "torch.cuda.graphs",
        "torch.cuda.make_graphed_callables(callables, sample_args, num_warmup_iters=3, "
        "allow_unused_input=False, pool=None)",
    ),
    Rule(
        "torch.cuda.is_current_stream_capturing()",
        "False",
        note="MindSpore has no capture of a stream.",
        returns="bool",
        example="torch.cuda.is_current_stream_capturing()",
        check="alone",
    ),
)

SEEDS = (
    *(
        Rule(
            f"torch.cuda.{name}(seed)",
            "ms.set_seed(seed)",
            note="MindSpore has one seed, for all devices and for its data pipelines.",
            returns="none",
            example=f"torch.cuda.{name}(3)",
        )
        for name in ("manual_seed", "manual_seed_all")
    ),
    *(
        Rule(
            f"torch.cuda.{name}()",
            "ms.seed()",
            note="Of mint's random functions: those of ops follow ms.set_seed.",
            returns="none",
            example=f"torch.cuda.{name}()",
            check="runs",
        )
        for name in ("seed", "seed_all")
    ),
    Rule(
        "torch.cuda.initial_seed()",
        "ms.initial_seed()",
        returns="int",
        example="torch.cuda.initial_seed()",
        check="alone",
    ),
    Rule(
        'torch.cuda.get_rng_state(device="cuda")',
        "ms.get_rng_state()",
        note="The state of mint's random functions: those of ops follow ms.set_seed.",
        drop=("device",),
        example="torch.cuda.get_rng_state()",
        check="alone",
    ),
    Rule(
        'torch.cuda.set_rng_state(new_state, device="cuda")',
        "ms.set_rng_state(new_state)",
        note="The state of mint's random functions: those of ops follow ms.set_seed.",
        drop=("device",),
        returns="none",
        example="state = torch.cuda.get_rng_state()\ntorch.cuda.set_rng_state(state)",
        check="alone",
    ),
    Rule(
        "torch.cuda.get_rng_state_all()",
        "[ms.get_rng_state()]",
        note="The state of mint's random functions: those of ops follow ms.set_seed.",
        returns="list",
        example="torch.cuda.get_rng_state_all()",
        check="runs",
    ),
    Rule(
        "torch.cuda.set_rng_state_all(new_states)",
        "ms.set_rng_state(new_states[0])",
        note="The state of mint's random functions: those of ops follow ms.set_seed.",
        returns="none",
        example="states = torch.cuda.get_rng_state_all()\ntorch.cuda.set_rng_state_all(states)",
        check="alone",
    ),
    *missing(
        "pass ms.Generator objects where a generator is wanted", "torch.cuda.default_generators"
    ),
)

PROPERTIES = (
    Rule(
        "torch.cuda.get_device_name(device=None)",
        "ms.hal.get_device_name(ms.get_current_device().device_id)",
        note="It is about the one device of the process.",
        drop=("device",),
        returns="str",
        example="torch.cuda.get_device_name()",
        check="alone",
    ),
    Rule(
        "torch.cuda.get_device_capability(device=None)",
        "ms.hal.get_device_capability(ms.get_current_device().device_id)",
        note="On GPU alone; None elsewhere.",
        drop=("device",),
        returns="other",
        platform="GPU",
    ),
    Rule(
        "torch.cuda.get_device_properties(device=None)",
        "ms.hal.get_device_properties(ms.get_current_device().device_id)",
        note="`name`, `total_memory` and the like on GPU and Ascend; None on the CPU.",
        drop=("device",),
        returns="other",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.cuda.get_arch_list()",
        "ms.hal.get_arch_list()",
        returns="list",
        platform="GPU",
    ),
    Rule(
        "torch.cuda.is_initialized()",
        "ms.hal.is_initialized(ms.get_current_device().device_target)",
        returns="bool",
        example="torch.cuda.is_initialized()",
        check="runs",
    ),
    Rule(
        "torch.cuda.is_bf16_supported(including_emulation=True)",
        ON_DEVICE,
        note="Ascend and the GPUs that MindSpore supports have bfloat16; its CPU kernels do not.",
        drop=("including_emulation",),
        returns="bool",
        example="torch.cuda.is_bf16_supported()",
    ),
    Rule(
        "torch.cuda.is_tf32_supported()",
        "False",
        note="It is asked for by ms.device_context.gpu.op_precision.",
        returns="bool",
        example="torch.cuda.is_tf32_supported()",
    ),
    Rule(
        "torch.cuda.init()",
        "ms.runtime.synchronize()",
        note="MindSpore starts a device at its first operation.",
        returns="none",
        example="torch.cuda.init()",
        check="alone",
    ),
    *missing(
        "read it from the driver's tool: `nvidia-smi`, on Ascend `npu-smi info`",
        *(
            f"torch.cuda.{name}(device=None)"
            for name in (
                *("clock_rate", "list_gpu_processes", "memory_usage", "power_draw"),
                *("temperature", "utilization"),
            )
        ),
    ),
    *missing(
        "delete it: the handles and flags of CUDA are not seen from MindSpore",
        "torch.cuda.can_device_access_peer(device, peer_device)",
        "torch.cuda.check_error(res)",
        "torch.cuda.cudart()",
        "torch.cuda.current_blas_handle()",
        "torch.cuda.current_solver_handle()",
        "torch.cuda.get_gencode_flags()",
        "torch.cuda.get_sync_debug_mode()",
        "torch.cuda.set_sync_debug_mode(debug_mode)",
        "torch.cuda.DEVICE_REQUIREMENT",
        "torch.cuda.PYTORCH_RELEASES_CODE_CC",
        "torch.cuda.TYPE_CHECKING",
        "torch.cuda.has_magma",
        "torch.cuda.has_half",
        "torch.cuda.jiterator",
        "torch.cuda.nccl",
        "torch.cuda.sparse",
        "torch.cuda.tunable",
    ),
    *missing(
        "one process has one device: ms.set_device before the first tensor, more by `msrun`",
        "torch.cuda.device(device)",
        "torch.cuda.device_of(obj)",
        "torch.cuda.Device",
    ),
    *missing(
        "catch RuntimeError: MindSpore has no class of its own for it",
        "torch.cuda.OutOfMemoryError(*args, **kwargs)",
        "torch.cuda.AcceleratorError(*args, **kwargs)",
    ),
    *missing(
        "measure with ms.profiler.profile",
        "torch.cuda.nvtx",
        "torch.cuda.nvtx.range(msg)",
        "torch.cuda.nvtx.range_pop()",
        "torch.cuda.nvtx.range_push(msg)",
        "torch.cuda.profiler",
    ),
)

BACKENDS = (
    Rule(
        "torch.backends.cudnn.benchmark",
        "False",
        note=NO_SETTING,
        returns="bool",
        example="torch.backends.cudnn.benchmark",
    ),
    Rule(
        "torch.backends.cudnn.deterministic",
        "False",
        note="Set it by ms.set_deterministic(True), before the first operation.",
        returns="bool",
        example="torch.backends.cudnn.deterministic",
    ),
    *(
        Rule(
            f"torch.backends.{name}",
            value,
            note=NO_SETTING,
            returns="bool",
            example=f"torch.backends.{name}",
            check="runs",
        )
        for name, value in (
            ("cudnn.enabled", "True"),
            ("cudnn.allow_tf32", "False"),
            ("cuda.matmul.allow_tf32", "False"),
            ("cuda.matmul.allow_fp16_reduced_precision_reduction", "False"),
        )
    ),
    *(
        Rule(
            f"torch.backends.{name}()",
            value,
            note=note,
            returns="bool",
            example=f"torch.backends.{name}()",
            check="runs",
        )
        for name, value, note in (
            ("mps.is_built", "False", "MindSpore does not run on the GPU of a Mac."),
            ("cuda.is_built", ON_DEVICE, "Any accelerator that MindSpore runs on counts."),
            ("cudnn.is_available", ON_DEVICE, "Any accelerator that MindSpore runs on counts."),
        )
    ),
    *missing("MindSpore does not say which it uses", "torch.backends.cudnn.version()"),
    *missing(
        "delete it: TF32 is asked of MindSpore by ms.device_context.gpu.op_precision",
        "torch.backends.cuda.matmul",
    ),
    *missing(
        "delete it: attention is written in plain operations, or by ops.flash_attention_score "
        "on Ascend",
        "torch.backends.cuda.SDPAParams",
        "torch.backends.cuda.SDPBackend.EFFICIENT_ATTENTION",
        "torch.backends.cuda.SDPBackend.MATH",
        "torch.backends.cuda.sdp_kernel(enable_flash=True, enable_math=True, "
        "enable_mem_efficient=True, enable_cudnn=True)",
    ),
)

RULES = (*AVAILABLE, *MEMORY, *STREAMS, *SEEDS, *PROPERTIES, *BACKENDS)
