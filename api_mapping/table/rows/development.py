"""torch.testing, profiler, random, utils, hub, multiprocessing, sparse: around a model."""

from ..families import missing
from ..rule import Rule

GENERATOR = "The state of mint's random functions: those of ops follow ms.set_seed."

TESTING = (
    Rule(
        "torch.testing.assert_close(actual, expected, *, allow_subclasses=True, rtol=None, "
        "atol=None, equal_nan=False, check_device=True, check_dtype=True, check_layout=True, "
        "check_stride=False, msg=None)",
        "compat.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, "
        "check_dtype=check_dtype, msg=msg)",
        drop=("allow_subclasses", "check_device", "check_layout", "check_stride"),
        returns="none",
        example=(
            "torch.testing.assert_close(x, x + 1e-7)",
            "torch.testing.assert_close([i, 2.0], [i, 2.0], rtol=0, atol=0)",
            "torch.testing.assert_close(h, x.half().float() * 0 + h, check_dtype=False)",
            "torch.testing.assert_close(nans, nans, equal_nan=True)",
        ),
    ),
    Rule(
        "torch.testing.assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, "
        'msg="")',
        "compat.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=always(equal_nan), "
        "check_dtype=False)",
        drop=("msg",),
        returns="none",
        example="torch.testing.assert_allclose(x, x + 1e-7)",
    ),
    *missing(
        "draw the numbers with NumPy: ms.Tensor(np.random.uniform(low, high, shape), dtype)",
        "torch.testing.make_tensor(*shape, dtype, device, low=None, high=None, "
        "requires_grad=False, noncontiguous=False, exclude_zero=False, memory_format=None)",
    ),
)

PROFILER = (
    Rule(
        "torch.profiler.profile(*, activities=None, schedule=None, on_trace_ready=None, "
        "record_shapes=False, profile_memory=False, with_stack=False, with_flops=False, "
        "with_modules=False, experimental_config=None, execution_trace_observer=None, "
        "acc_events=False, use_cuda=None, custom_trace_id_callback=None, "
        "post_processing_timeout_s=None)",
        "ms.profiler.profile(activities=activities, schedule=schedule, "
        "on_trace_ready=on_trace_ready, record_shapes=record_shapes, "
        "profile_memory=profile_memory, with_stack=with_stack)",
        note="It writes files, has no key_averages(), and measures most on Ascend.",
        reject={
            "experimental_config": "MindSpore has settings of its own: ms.profiler",
            "execution_trace_observer": "MindSpore records no such trace",
            "custom_trace_id_callback": "traces have no ids of their own",
        },
        drop=(
            *("with_flops", "with_modules", "acc_events", "use_cuda"),
            "post_processing_timeout_s",
        ),
        returns="other",
        example="prof = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])",
        check="alone",
    ),
    Rule(
        "torch.profiler.schedule(*, wait, warmup, active, repeat=0, skip_first=0, "
        "skip_first_wait=0)",
        "ms.profiler.schedule(wait=wait, active=active, warmup=warmup, repeat=repeat, "
        "skip_first=skip_first)",
        reject={"skip_first_wait": "count it into skip_first"},
        returns="other",
        example="torch.profiler.schedule(wait=1, warmup=1, active=3, repeat=2)",
        check="runs",
    ),
    Rule(
        "torch.profiler.tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, "
        "use_python_export=False)",
        "ms.profiler.tensorboard_trace_handler(dir_name, worker_name)",
        note="The files are for MindStudio Insight.",
        drop=("use_gzip", "use_python_export"),
        returns="other",
        example='torch.profiler.tensorboard_trace_handler(".")',
        check="runs",
    ),
    *(
        Rule(
            f"torch.profiler.ProfilerActivity.{old}",
            f"ms.profiler.ProfilerActivity.{new}",
            note="The activities of MindSpore: CPU, GPU and, for Ascend, NPU.",
            returns="other",
            example=f"torch.profiler.ProfilerActivity.{old}",
            check="runs",
        )
        for old, new in (("CPU", "CPU"), ("CUDA", "GPU"))
    ),
    Rule(
        "torch.profiler.ProfilerActivity",
        "ms.profiler.ProfilerActivity",
        note="The activities of MindSpore: CPU, GPU and, for Ascend, NPU.",
        returns="other",
        example="torch.profiler.ProfilerActivity",
        check="runs",
    ),
    *missing(
        "mark a range on Ascend by ms.profiler.mstx.range_start(name) and range_end(id)",
        "torch.profiler.record_function(name, args=None)",
    ),
    *missing(
        "give ms.profiler.profile a schedule and on_trace_ready: there is no more to choose",
        "torch.profiler.DeviceType",
        "torch.profiler.ExecutionTraceObserver()",
        "torch.profiler.ProfilerAction(*args, **kwds)",
        "torch.profiler.kineto_available()",
        "torch.profiler.supported_activities()",
    ),
)

RANDOM = (
    Rule(
        "torch.random.manual_seed(seed)",
        "ms.set_seed(seed)",
        note="It returns nothing, and seeds NumPy and the data pipelines, too.",
        returns="none",
        example="torch.random.manual_seed(3)",
        check="runs",
    ),
    Rule(
        "torch.random.seed()",
        "ms.seed()",
        note="Of mint's random functions: those of ops follow ms.set_seed.",
        returns="int",
        example="torch.random.seed()",
        check="runs",
    ),
    Rule(
        "torch.random.initial_seed()",
        "ms.initial_seed()",
        note="Of mint's random functions: those of ops follow ms.set_seed.",
        returns="int",
        example="torch.random.initial_seed()",
        check="runs",
    ),
    Rule(
        "torch.random.get_rng_state()",
        "ms.get_rng_state()",
        note=GENERATOR,
        example="torch.random.get_rng_state()",
        check="runs",
    ),
    Rule(
        "torch.random.set_rng_state(new_state)",
        "ms.set_rng_state(new_state)",
        note=GENERATOR,
        returns="none",
        example="state = torch.random.get_rng_state()\ntorch.random.set_rng_state(state)",
    ),
    *missing(
        "set the seed where the random part begins, and again behind it: ms.set_seed",
        'torch.random.fork_rng(devices=None, enabled=True, _caller="fork_rng", '
        '_devices_kw="devices", device_type=None)',
        "torch.random.thread_safe_generator()",
    ),
)

VERSION = (
    *(
        Rule(
            f"torch.version.{name}",
            value,
            note="MindSpore does not say what it was built with.",
            returns=returns,
            example=f"torch.version.{name}",
        )
        for name, value, returns in (
            ("cuda", "None", "none"),
            ("hip", "None", "none"),
            ("rocm", "None", "none"),
            ("xpu", "None", "none"),
            ("debug", "False", "bool"),
        )
    ),
    *missing("MindSpore's version is ms.__version__", "torch.version.git_version"),
)

TREES = (
    Rule(
        "torch.utils._pytree.tree_flatten(tree, is_leaf=None)",
        "compat.tree_flatten(tree)",
        reject={"is_leaf": "what is no list, tuple or dictionary is a leaf"},
        returns="tuple",
        example='torch.utils._pytree.tree_flatten({"a": [x, 2], "b": (3,)})[0]',
    ),
    Rule(
        "torch.utils._pytree.tree_unflatten(leaves, treespec)",
        "compat.tree_unflatten(leaves, treespec)",
        returns="other",
        example=(
            'leaves, spec = torch.utils._pytree.tree_flatten({"a": [x, 2], "b": (3,)})\n'
            "torch.utils._pytree.tree_unflatten([leaf + 1 for leaf in leaves], spec)",
        ),
    ),
)

UTILITIES = (
    Rule(
        "torch.utils.dlpack.from_dlpack(ext_tensor, *, device=None, copy=None)",
        "ms.utils.dlpack.from_dlpack(ext_tensor)",
        note="It takes the capsule of ms.utils.dlpack.to_dlpack; pass x.__dlpack__() of others.",
        reject={"copy": "the memory is shared: copy the result"},
        example="torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))",
    ),
    Rule(
        "torch.utils.dlpack.to_dlpack(tensor)",
        "ms.utils.dlpack.to_dlpack(tensor)",
        returns="other",
        example="torch.utils.dlpack.to_dlpack(x)",
        check="runs",
    ),
    *missing(
        "keep what the Cell's hook registration returns: it has remove(), too",
        "torch.utils.hooks.RemovableHandle(hooks_dict, *, extra_dict=None)",
    ),
    Rule(
        "torch.utils.swap_tensors(t1, t2)",
        "ms.swap_tensors(t1, t2)",
        example="t = x.clone()\ntorch.utils.swap_tensors(t, v)\n(t, v)",
    ),
    *missing(
        "delete it: it is about PyTorch's own build and code",
        "torch.utils.ThroughputBenchmark(module)",
        "torch.utils.cmake_prefix_path",
        "torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, "
        "for_packed_sequence=True, for_storage=False, unsupported_dtype=None)",
        "torch.utils.get_cpp_backtrace(frames_to_skip=0, maximum_number_of_frames=64)",
        "torch.utils.rename_privateuse1_backend(backend_name)",
        "torch.utils.set_module(obj, mod)",
    ),
    *missing(
        "a module: each of its names has a row of its own",
        *(f"torch.utils.{name}" for name in ("data", "dlpack", "hooks")),
    ),
    *missing(
        "delete what is imported of it: it is about PyTorch's own build and code",
        *(
            f"torch.utils.{name}"
            for name in (
                *("backcompat", "backend_registration", "collect_env", "cpp_backtrace"),
                *("deterministic", "throughput_benchmark", "weak"),
            )
        ),
    ),
    *missing(
        "delete it: ms.load_checkpoint runs no code of the file",
        "torch.serialization.safe_globals(safe_globals)",
    ),
    *missing(
        "pad the tensors to one shape and keep their lengths",
        "torch.nested.nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, "
        "requires_grad=False, pin_memory=False)",
    ),
)

USAGE = (
    Rule(
        "torch._C._log_api_usage_once(event)",
        "None",
        note="MindSpore does not count which APIs are used.",
        drop=("event",),
        returns="none",
        example='torch._C._log_api_usage_once("net")',
    ),
)

HUB = (
    *missing(
        "in PyTorch, load it and save the values by numpy.savez once; here, ms.load_param_into_net "
        "takes them as ms.Parameter(ms.Tensor(value)), by MindSpore's names",
        "torch.hub.load_state_dict_from_url(url, model_dir=None, map_location=None, "
        "progress=True, check_hash=False, file_name=None, weights_only=False)",
    ),
    *missing(
        "download the model's source and weights once, and convert both",
        'torch.hub.load(repo_or_dir, model, *args, source="github", trust_repo="check", '
        "force_reload=False, verbose=True, skip_validation=False, **kwargs)",
        "torch.hub.help(github, model, force_reload=False, skip_validation=False, "
        'trust_repo="check")',
        'torch.hub.list(github, force_reload=False, skip_validation=False, trust_repo="check", '
        "verbose=True)",
    ),
    *missing(
        "download files with Python's urllib.request.urlretrieve",
        "torch.hub.download_url_to_file(url, dst, hash_prefix=None, progress=True)",
        "torch.hub.HASH_REGEX",
        "torch.hub.get_dir()",
        "torch.hub.set_dir(d)",
    ),
)

PROCESSES = (
    *missing(
        "start the processes by `msrun --worker_num=N script.py`, and call "
        "ms.communication.init() in each",
        "torch.multiprocessing.spawn(fn, args=(), nprocs=1, join=True, daemon=False, "
        'start_method="spawn")',
        "torch.multiprocessing.start_processes(fn, args=(), nprocs=1, join=True, daemon=False, "
        'start_method="spawn")',
    ),
    *missing(
        "use Python's multiprocessing, and send NumPy arrays",
        "torch.multiprocessing.Pool(processes=None, initializer=None, initargs=())",
        "torch.multiprocessing.Process(target=None, name=None, args=(), kwargs=None)",
        "torch.multiprocessing.Queue(maxsize=0)",
        "torch.multiprocessing.cpu_count()",
        "torch.multiprocessing.set_sharing_strategy(new_strategy)",
        "torch.multiprocessing.set_start_method(method, force=False)",
        "torch.multiprocessing.get_context(method=None)",
        "torch.multiprocessing.get_all_start_methods()",
    ),
)

SPARSE = (
    *missing(
        "compute on dense tensors: MindSpore's COOTensor and CSRTensor have few operations",
        "torch.sparse.addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0)",
        "torch.sparse.log_softmax(input, dim, *, dtype=None)",
        "torch.sparse.softmax(input, dim, *, dtype=None)",
        "torch.sparse.as_sparse_gradcheck(gradcheck)",
        "torch.sparse.check_sparse_tensor_invariants(enable=True)",
    ),
    *missing(
        "keep the weights dense: MindSpore has no 2:4 sparsity",
        "torch.sparse.SparseSemiStructuredTensor(shape, packed, meta, **options)",
        "torch.sparse.SparseSemiStructuredTensorCUSPARSELT(shape, packed, meta, **options)",
        "torch.sparse.SparseSemiStructuredTensorCUTLASS(shape, packed, meta, **options)",
        "torch.sparse.to_sparse_semi_structured(original_tensor, transposed=False, alg_id=0)",
    ),
)

RULES = (
    *USAGE,
    *(*TESTING, *PROFILER, *RANDOM, *VERSION, *TREES),
    *(*UTILITIES, *HUB, *PROCESSES, *SPARSE),
)
