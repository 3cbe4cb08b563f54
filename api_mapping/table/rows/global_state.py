"""torch: what holds for the whole process: recording, threads, settings; files, checks, modules."""

from ..families import missing
from ..rule import Rule
from ..rule import parameters as parameters_of

RECORDING = "MindSpore records nothing but inside ms.value_and_grad. Write the parentheses, always."
LEAVE_OUT = "leave it out: MindSpore has no such setting"
NO_BUILD_FACTS = "MindSpore does not say what it was built with: leave the branch out"
TORCHSCRIPT = "TorchScript stays behind: convert the Python source, ms.export writes the network"
FUTURES = "MindSpore runs operators asynchronously itself: call the function at once"
SHAPES_AS_INTS = "Sizes are plain numbers in MindSpore."
A_MODULE = "a module: each of its names has a row of its own"

GRADIENTS = (
    Rule(
        "torch.no_grad()",
        "ms._no_grad()",
        note=RECORDING,
        returns="other",
        example="with torch.no_grad():\n    y = x * 2\ny",
    ),
    Rule(
        "torch.inference_mode(mode=True)",
        "ms._no_grad()",
        note=RECORDING,
        reject={"mode": "write the part without gradients alone in `with ms._no_grad():`"},
        returns="other",
        example="with torch.inference_mode():\n    y = x * 2\ny",
    ),
    Rule(
        "torch.enable_grad()",
        "compat.enable_grad()",
        note="MindSpore records nothing but inside ms.value_and_grad.",
        returns="other",
        example="with torch.enable_grad():\n    y = x * 2\ny",
    ),
    Rule(
        "torch.set_grad_enabled(mode)",
        "ms._no_grad() if not mode else compat.null_context()",
        note="It works in `with`; alone it changes nothing: only ms.value_and_grad records. Inside "
        "of ms._no_grad() True changes nothing.",
        returns="other",
        example="with torch.set_grad_enabled(3 < 2):\n    y = x * 2\ny",
    ),
    Rule(
        "torch.is_grad_enabled()",
        "compat.is_grad_enabled()",
        returns="bool",
        example=(
            "torch.is_grad_enabled()",
            "with torch.no_grad():\n    found = torch.is_grad_enabled()\nfound",
            "slopes(lambda s: s * (2 if torch.is_grad_enabled() else 3), x)",
        ),
    ),
    *(
        Rule(
            f"torch.{name}({parameters})",
            "False",
            note=f"MindSpore has no {what}.",
            returns="bool",
            drop=tuple(filter(None, [parameters.partition("=")[0]])),
            example=f"torch.{name}()",
        )
        for name, parameters, what in (
            ("is_inference_mode_enabled", "", "inference mode"),
            ("is_autocast_enabled", "device_type=None", "autocast"),
            ("is_warn_always_enabled", "", "such setting"),
            ("is_deterministic_algorithms_warn_only_enabled", "", "such setting"),
        )
    ),
)

WITHOUT_EFFECT = (
    (
        "set_printoptions",
        "precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, "
        "sci_mode=None",
        "precision=3",
        "MindSpore prints tensors its own way; np.set_printoptions holds for print(x.asnumpy()).",
    ),
    ("set_num_interop_threads", "num", "1", "MindSpore has no such setting."),
    (
        "set_float32_matmul_precision",
        "precision",
        '"highest"',
        'float32 stays float32: ms.device_context.ascend.op_precision.matmul_allow_hf32("1") lets '
        "Ascend be less exact.",
    ),
    ("set_warn_always", "b, /", "False", "MindSpore has no such setting."),
)
"""Settings that change no number: name, parameters, arguments of the example, note."""

SETTINGS = (
    Rule(
        "torch.use_deterministic_algorithms(mode, *, warn_only=False)",
        "ms.set_deterministic(mode)",
        note="MindSpore sets it once, before the first operator, and never only warns.",
        drop=("warn_only",),
        returns="none",
        example="torch.use_deterministic_algorithms(True, warn_only=True)",
    ),
    Rule(
        "torch.are_deterministic_algorithms_enabled()",
        'ms.get_context("deterministic") == "ON"',
        returns="bool",
        example="torch.are_deterministic_algorithms_enabled()",
        check="runs",
    ),
    Rule(
        "torch.set_num_threads(num)",
        "ms.device_context.cpu.op_tuning.threads_num(num)",
        note="It holds for operators on the CPU.",
        returns="none",
        example="torch.set_num_threads(2)",
    ),
    Rule(
        "torch.get_default_device()",
        'ms.get_context("device_target")',
        note='It is the name of the one device: "CPU" or "Ascend".',
        returns="device",
        example="torch.get_default_device()",
        check="runs",
    ),
    *missing(
        'call ms.set_device("Ascend") once, before the first tensor is made',
        "torch.set_default_device(device)",
    ),
    *(
        Rule(
            f"torch.{name}({parameters})",
            "None",
            note=note,
            drop=tuple(parameter.name for parameter in parameters_of(f"{parameters})")),
            returns="none",
            example=f"torch.{name}({example})",
        )
        for name, parameters, example, note in WITHOUT_EFFECT
    ),
    *missing(
        LEAVE_OUT,
        "torch.get_num_threads()",
        "torch.get_num_interop_threads()",
        "torch.init_num_threads()",
        "torch.get_float32_matmul_precision()",
        "torch.set_deterministic_debug_mode(debug_mode)",
        "torch.get_deterministic_debug_mode()",
        "torch.set_flush_denormal(mode)",
        "torch.get_device_module(device=None)",
        "torch.DisableTorchFunctionSubclass(*args)",
    ),
    Rule(
        "torch.__version__",
        "ms.__version__",
        note="It is MindSpore's version: what it is compared with is PyTorch's.",
        returns="str",
        example="torch.__version__",
        check="runs",
    ),
    *missing(
        NO_BUILD_FACTS,
        *(f"torch.has_{name}" for name in ("lapack", "mkl", "openmp", "spectral")),
        "torch.compiled_with_cxx11_abi()",
    ),
)

FILES = (
    Rule(
        "torch.save(obj, f, pickle_module=None, pickle_protocol=2, **options)",
        kinds={"obj": "module"},
        advice="a checkpoint holds weights, and no network: save its state_dict(), and load that "
        "into a new network",
    ),
    Rule(
        "torch.save(obj, f, pickle_module=None, pickle_protocol=2, **options)",
        "compat.save(obj, f)",
        note="It writes a checkpoint of MindSpore's; plain values stand in its append_dict.",
        drop=("pickle_protocol",),
        returns="none",
        example='torch.save(nn.Linear(4, 3).state_dict(), "layer.pt")',
        check="runs",
    ),
    Rule(
        "torch.load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None)",
        "compat.load(f)",
        note="It reads what save wrote; `msconvert weights` converts PyTorch's own files.",
        drop=("map_location", "weights_only", "mmap"),
        returns="other",
        example=(
            'torch.save({"epoch": 3, "model": {"weight": x}, "losses": [0.5, y]}, "all.pt")\n'
            'torch.load("all.pt", map_location="cpu", weights_only=False)',
            'torch.save({"x": x, "y": y}, "state.pt")\ntorch.load("state.pt")["y"]',
        ),
    ),
)

CHECKS = (
    *(
        Rule(
            f"torch.{name}(condition, message={default})",
            "compat.check(condition, message)",
            returns="none",
            example=f"torch.{name}({example})",
        )
        for name, default, example in (
            ("_assert", '""', 'x.ndim == 2, "two axes"'),
            ("_assert_async", '""', "b.any()"),
            ("_check", "None", 'x.ndim == 2, lambda: "two axes"'),
        )
    ),
    *missing(
        "a Tensor's type is x.dtype; of anything else it is type(obj).__name__",
        "torch.typename(obj, /)",
    ),
)

TRANSFORMS = (
    Rule(
        "torch.compile(model, *, fullgraph=False, dynamic=None, **options)",
        "model",
        drop=("fullgraph", "dynamic", "options"),
        note="The model stays as it is: @ms.jit above `construct` compiles it.",
        returns="other",
        example='torch.compile(nn.ReLU(), dynamic=True, mode="max-autotune")',
        check="runs",
    ),
    Rule(
        "torch.compile(model=None, *, fullgraph=False, dynamic=None, **options)",
        "lambda function: function",
        drop=("model", "fullgraph", "dynamic", "options"),
        note="A function stays as it is: @ms.jit above it compiles it.",
        returns="other",
        example=(
            'torch.compile(dynamic=True, mode="max-autotune")(abs)',
            "torch.compile()(abs)",
        ),
        check="runs",
    ),
    Rule(
        'torch.vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None)',
        "ms.vmap(func, in_dims, out_dims)",
        drop=("chunk_size",),
        returns="other",
        example=("torch.vmap(torch.exp)(x)", "torch.vmap(torch.exp, in_dims=1, out_dims=1)(x)"),
    ),
    Rule(
        "torch.cond(pred, true_fn, false_fn, operands=())",
        "true_fn(*operands) if pred else false_fn(*operands)",
        example="torch.cond(x[0, 0] > 0, lambda t: t * 2, lambda t: t - 1, (x,))",
    ),
    Rule(
        "torch.while_loop(cond_fn, body_fn, carried_inputs)",
        "compat.while_loop(cond_fn, body_fn, carried_inputs)",
        returns="tensors",
        example="torch.while_loop(lambda n: n.sum() < 50, lambda n: (n + 1,), (j,))",
    ),
    *(
        Rule(
            f"torch.sym_{name}({parameters})", target, returns=kind, example=f"torch.sym_{example}"
        )
        for name, parameters, target, kind, example in (
            ("int", "a", "int(a)", "int", "int(2.5)"),
            ("float", "a", "float(a)", "float", "float(2)"),
            ("not", "a", "not a", "bool", "not(3 > 2)"),
            ("max", "a, b", "max(a, b)", "number", "max(3, 4)"),
            ("min", "a, b", "min(a, b)", "number", "min(3, 4)"),
            ("sum", "*args", "sum(args)", "number", "sum((3, 4, 5))"),
            ("ite", "b, t, f", "t if b else f", "other", "ite(3 > 2, 1, 2)"),
        )
    ),
    *(
        Rule(
            f"torch.Sym{name}",
            target,
            note=SHAPES_AS_INTS,
            returns="other",
            example=f"isinstance([], torch.Sym{name})",
        )
        for name, target in (("Int", "int"), ("Float", "float"), ("Bool", "bool"))
    ),
    Rule("torch.alias_copy(input)", "input.copy()", example="torch.alias_copy(x)"),
    Rule(
        "torch.detach_copy(input)",
        "ops.stop_gradient(input.copy())",
        example="torch.detach_copy(x)",
    ),
    *missing(FUTURES, "torch.fork(func, *args, **kwargs)", "torch.wait(future)"),
    *missing(
        TORCHSCRIPT,
        "torch.ScriptFunction(*args, **kwargs)",
        "torch.import_ir_module(unit, filename, map_location, extra_files)",
        "torch.import_ir_module_from_buffer(unit, buffer, map_location, extra_files)",
        "torch.merge_type_from_type_comment(decl, type_comment, is_method)",
        *(f"torch.parse_{name}(text)" for name in ("ir", "schema", "type_comment")),
        "torch.unify_type_list(types)",
        "torch.AVG",
        "torch.SUM",
    ),
)

STREAMS = (
    Rule(
        "torch.Stream(device=None, *, priority=0)",
        "ms.runtime.Stream(priority=priority)",
        platform="GPU, Ascend",
    ),
    Rule(
        "torch.Event(device=None, *, enable_timing=False, blocking=False, interprocess=False)",
        "ms.runtime.Event(enable_timing, blocking)",
        reject={"interprocess": "an event stays in its process"},
        platform="GPU, Ascend",
    ),
    *missing(
        "MindSpore raises RuntimeError for every failure of a device: catch that",
        "torch.OutOfMemoryError(*args, **kwargs)",
        "torch.AcceleratorError(*args, **kwargs)",
    ),
)

MODULES = missing(
    A_MODULE,
    *(f"torch.{name}" for name in "accelerator amp ao autograd backends compiler cpu cuda".split()),
    *(f"torch.{name}" for name in "distributed distributions export fft func functional".split()),
    *(f"torch.{name}" for name in "futures fx hub jit library linalg masked monitor".split()),
    *(f"torch.{name}" for name in "multiprocessing nested nn onnx ops optim".split()),
    *(f"torch.{name}" for name in "overrides package profiler quantization quasirandom".split()),
    *(f"torch.{name}" for name in "random return_types serialization signal sparse".split()),
    *(f"torch.{name}" for name in "special storage testing torch_version types utils".split()),
    *(f"torch.{name}" for name in "classes version".split()),
    *(f"torch.backends.{name}" for name in "cpu cuda cudnn mkl mkldnn openmp quantized".split()),
    *("torch.utils.tensorboard", "torch.utils.cpp_extension", "torch._dynamo", "torch._inductor"),
)

ABSENT = tuple(
    Rule(
        f"torch.{owner}{name}",
        "None",
        note="MindSpore has no such module: whoever asks for it finds none.",
        example=f"torch.{owner}{name} is x",
    )
    for owner, name in (("", "xpu"), ("", "mps"), ("", "mtia"), ("backends.", "mps"))
)

RULES = GRADIENTS + SETTINGS + FILES + CHECKS + TRANSFORMS + STREAMS + MODULES + ABSENT
