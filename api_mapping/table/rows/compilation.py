"""torch.jit, torch.compiler, torch.fx, torch.onnx, quantization: what looks at a model's code."""

from ..families import missing
from ..rule import Check, Rule

MARK = "MindSpore needs no such mark: it is left out."
EAGER = "It runs as it is; @ms.jit compiles a function or a construct."


def never(*names: str) -> tuple[Rule, ...]:
    """Questions that MindSpore code, which is not traced or scripted, answers with False."""
    note = "MindSpore code is neither scripted nor traced."
    return tuple(
        Rule(f"torch.{name}()", "False", note=note, returns="bool", example=f"torch.{name}()")
        for name in names
    )


def marks(*names: str, check: Check = "value") -> tuple[Rule, ...]:
    """Decorators of functions that change nothing on MindSpore."""
    return tuple(
        Rule(
            f"torch.{name}(fn)",
            "fn",
            note=MARK,
            returns="other",
            example=f"f = lambda y: y * 2\ntorch.{name}(f)(x)",
            check=check,
        )
        for name in names
    )


def unchanged(signature: str, example: str) -> Rule:
    """A function that returns its first argument, compiled in some way."""
    first, *others = (p.name for p in Rule(f"torch.{signature}").params)
    return Rule(
        f"torch.{signature}",
        first,
        note=EAGER,
        drop=tuple(others),
        returns="other",
        example=example,
        check="alone",
    )


def gone(advice: str, prefix: str, *signatures: str) -> tuple[Rule, ...]:
    """Names of one module, with one thing to do instead."""
    return missing(advice, *(f"{prefix}{signature}" for signature in signatures))


SCRIPTING = (
    *never("jit.is_scripting", "jit.is_tracing"),
    *marks("jit.unused", "jit.export", "jit.ignore", "jit._script_if_tracing"),
    *marks("jit.script_if_tracing"),
    *marks("jit.interface", "jit._overload_method", check="alone"),
    Rule(
        "torch.jit.ignore(drop=False, **kwargs)",
        "lambda function: function",
        note=MARK,
        drop=("drop", "kwargs"),
        returns="other",
        example="torch.jit.ignore(drop=True)(abs)",
        check="alone",
    ),
    Rule(
        "torch.jit.annotate(the_type, the_value)",
        "the_value",
        note="Python needs no annotation of values.",
        drop=("the_type",),
        returns="other",
        example="torch.jit.annotate(list, [1, 2])",
    ),
    unchanged(
        "jit.script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None)",
        "torch.jit.script(abs)(x)",
    ),
    unchanged(
        "jit.trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, "
        "check_tolerance=1e-05, strict=True, _force_outplace=False, _module_class=None, "
        "_compilation_unit=None, example_kwarg_inputs=None, _store_inputs=True)",
        "torch.jit.trace(abs, (x,))(x)",
    ),
    unchanged(
        "jit.freeze(mod, preserved_attrs=None, optimize_numerics=True)",
        "torch.jit.freeze(abs)",
    ),
    unchanged(
        "jit.optimize_for_inference(mod, other_methods=None)",
        "torch.jit.optimize_for_inference(abs)",
    ),
    *(
        Rule(
            f"torch.jit.annotations.BroadcastingList{count}",
            "list",
            note="It says of an argument that one value stands for all: in MindSpore, too.",
            returns="other",
            example=f"torch.jit.annotations.BroadcastingList{count}[int]",
            check="alone",
        )
        for count in (1, 2, 3)
    ),
    *(
        Rule(
            f"torch.jit.annotations.{name}",
            name.lower(),
            returns="other",
            example=f"torch.jit.annotations.{name}[int]",
            check="alone",
        )
        for name in ("List", "Dict", "Tuple")
    ),
    Rule(
        "torch.jit.Final",
        "object",
        note="`Final[bool]` is written as `bool`: MindSpore reads no types of attributes.",
        returns="other",
        example="torch.jit.Final",
        check="alone",
    ),
    Rule(
        "torch.jit.ScriptModule()",
        "nn.Cell()",
        example="isinstance(torch.jit.ScriptModule(), torch.jit.ScriptModule)",
    ),
    *gone(
        "write isinstance for the container, and check the elements by a loop",
        "torch.jit.",
        "isinstance(obj, target_type)",
    ),
    *gone(
        'save with ms.export(net, *inputs, file_name="net", file_format="MINDIR"); load with '
        'nn.GraphCell(ms.load("net.mindir"))',
        "torch.jit.",
        "save(m, f, _extra_files=None)",
    ),
    *gone(
        "convert the file once: torch.onnx.export in PyTorch, then `msconvert --model_file`",
        "torch.jit.",
        "load(f, map_location=None, _extra_files=None, _restore_shapes=False)",
    ),
    *gone(
        "decorate the methods to compile with @ms.jit",
        "torch.jit.",
        "trace_module(mod, inputs, optimize=None, check_trace=True, check_inputs=None, "
        "check_tolerance=1e-05, strict=True, _force_outplace=False, _module_class=None, "
        "_compilation_unit=None, example_inputs_is_kwarg=False, _store_inputs=True)",
        "ScriptFunction(*args, **kwargs)",
        "Attribute(value, type)",
    ),
    *gone(
        "call the function itself: MindSpore runs operations beside each other by itself",
        "torch.",
        "jit.fork(func, *args, **kwargs)",
        "jit.wait(future)",
        "jit.Future(*, devices=None)",
        "futures.Future(*, devices=None)",
    ),
    *gone(
        "delete it: MindSpore's compiler fuses operations by itself",
        "torch.",
        "jit.enable_onednn_fusion(enabled)",
        "jit.onednn_fusion_enabled()",
        "jit.set_fusion_strategy(strategy)",
        "jit.strict_fusion()",
        "jit.export_opnames(m)",
        "_C._jit_override_can_fuse_on_gpu(enabled)",
        "_C._jit_set_profiling_executor(enabled)",
        "_C._jit_set_profiling_mode(enabled)",
    ),
)

COMPILER = (
    *never("compiler.is_compiling", "compiler.is_dynamo_compiling", "compiler.is_exporting"),
    *marks("compiler.allow_in_graph", "compiler.assume_constant_result", "_dynamo.allow_in_graph"),
    Rule(
        "torch.compiler.disable(fn, recursive=True, *, reason=None)",
        "fn",
        note=MARK,
        drop=("recursive", "reason"),
        returns="other",
        example="torch.compiler.disable(abs)(x)",
        check="alone",
    ),
    Rule(
        "torch.compiler.disable(fn=None, recursive=True, *, reason=None)",
        "lambda function: function",
        note=MARK,
        drop=("fn", "recursive", "reason"),
        returns="other",
        example="torch.compiler.disable(recursive=False)(abs)",
        check="alone",
    ),
    unchanged(
        "compiler.nested_compile_region(fn, *, options=None, max_reuse_entries=8, "
        "reuse_hash_fn=None)",
        "torch.compiler.nested_compile_region(abs)(x)",
    ),
    unchanged(
        "compiler.compile(model, *, fullgraph=False, dynamic=None, backend='inductor', mode=None, "
        "options=None, disable=False)",
        "torch.compiler.compile(abs)(x)",
    ),
    *gone(
        "delete it: @ms.jit has neither backends nor guards to set",
        "torch.compiler.",
        "config",
        "cudagraph_mark_step_begin()",
        "get_default_backend()",
        "set_default_backend(backend)",
        'list_backends(exclude_tags=("debug", "experimental"))',
        "keep_portable_guards_unsafe(guard_entries)",
        "keep_tensor_guards_unsafe(guard_entries, keep_parameters=False)",
        "reset()",
        "set_enable_guard_collectives(enabled)",
        'set_stance(stance="default", *, skip_guard_eval_unsafe=False, force_backend=None)',
        "skip_all_guards_unsafe(guard_entries)",
        "skip_guard_on_all_nn_modules_unsafe(guard_entries)",
        "skip_guard_on_globals_unsafe(guard_entries)",
        "skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries)",
        "substitute_in_graph(original_fn, *, can_constant_fold_through=False, "
        "skip_signature_check=False)",
        "wrap_numpy(fn)",
    ),
    *gone(
        "keep compiled graphs by ms.set_context(enable_compile_cache=True, compile_cache_path=...)",
        "torch.compiler.",
        "load_cache_artifacts(serialized_artifacts)",
        "save_cache_artifacts()",
        "load_compiled_function(file, *, f_globals=None, external_data=None)",
    ),
    *gone(
        "delete it: dynamo and inductor are PyTorch's; MindSpore compiles by @ms.jit",
        "torch.",
        "_dynamo.OptimizedModule(mod, dynamo_ctx)",
        "_dynamo.backends.debugging.ExplainOutput",
        "_dynamo.config.automatic_dynamic_shapes",
        "_dynamo.explain(f, *extra_args, **extra_kwargs)",
        "_inductor.config.coordinate_descent_tuning",
        "_inductor.config.triton",
    ),
)

FX_ADVICE = (
    "change the model's Cells themselves (cells_and_names, insert_child_to_cell): MindSpore has no "
    "graph of Python calls to edit"
)
FX = (
    *marks("fx.has_side_effect"),
    Rule(
        "torch.fx.wrap(fn_or_name)",
        "fn_or_name",
        note=MARK,
        returns="other",
        example='torch.fx.wrap("len")',
        check="alone",
    ),
    *gone(
        FX_ADVICE,
        "torch.fx.",
        "Graph(owning_module=None, tracer_cls=None, tracer_extras=None)",
        'GraphModule(root, graph, class_name="GraphModule")',
        "Interpreter(module, garbage_collect_values=True, graph=None)",
        "Node(graph, name, op, target, args, kwargs, return_type=None)",
        "Proxy(node, tracer=None)",
        "Tracer(autowrap_modules=(), autowrap_functions=(), param_shapes_constant=False)",
        "Transformer(module)",
        "map_arg(a, fn)",
        "node.map_arg(a, fn)",
        "proxy.GraphAppendingTracer(graph)",
        "replace_pattern(gm, pattern, replacement)",
        "symbolic_trace(root, concrete_args=None)",
    ),
)

EXPORT = (
    *never("onnx.is_in_onnx_export"),
    *gone(
        'ms.export(net, *inputs, file_name="net", file_format="ONNX"): it names the inputs and '
        "outputs itself and knows fewer operations; for MindSpore itself file_format is MINDIR",
        "torch.onnx.",
        "export(model, args=(), f=None, **options)",
    ),
    *gone(
        "MindSpore's exporter cannot be extended: export by ms.export to MINDIR, or from PyTorch",
        "torch.onnx.",
        "ExportableModule(*args, **kwargs)",
        "InputObserver(value_if_missing=None)",
        "ONNXProgram(model, exported_program)",
        "OnnxExporterError(*args, **kwargs)",
        "errors",
        "ops",
        "register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version)",
        "symbolic_helper.parse_args(*arg_descriptors)",
    ),
)

EXTENSION = (
    *never("_C._are_functorch_transforms_active"),
    *gone(
        "write the operation in Python with ops, its gradient in a Cell's bprop; a kernel of your "
        "own is an ops.Custom",
        "torch.",
        "library.register_autograd(op, backward, /, *, setup_context=None, lib=None)",
        "ops.pyg.knn",
        "_C._ExcludeDispatchKeyGuard(keys)",
    ),
    Rule(
        "torch.overrides.is_tensor_like(inp)",
        "isinstance(inp, ms.Tensor)",
        note="Tensors alone count: MindSpore has no protocol by which others act as one.",
        returns="bool",
        example=("torch.overrides.is_tensor_like(x)", "torch.overrides.is_tensor_like(3)"),
    ),
    Rule(
        "torch.overrides.has_torch_function(*args)",
        "False",
        note="MindSpore's functions cannot be overridden by classes.",
        drop=("args",),
        returns="bool",
        example="torch.overrides.has_torch_function((x,))",
    ),
    *gone(
        "subclass ms.Tensor and define the methods: MindSpore has no __torch_function__",
        "torch.overrides.",
        "get_ignored_functions()",
        "get_overridable_functions()",
        "get_testing_overrides()",
        "handle_torch_function(public_api, relevant_args, *args, **kwargs)",
        "is_tensor_method_or_property(func)",
        "redispatch_function(func, types, args, kwargs)",
        "resolve_name(f)",
        "wrap_torch_function(dispatcher)",
    ),
)

QUANTIZATION = tuple(
    Rule(
        f"torch.ao.quantization.{name}(qconfig=None)",
        "nn.Identity()",
        note="MindSpore quantizes with MindSpore Golden Stick, without stubs.",
        drop=("qconfig",),
        example=f"torch.ao.quantization.{name}()(x)",
    )
    for name in ("QuantStub", "DeQuantStub")
)

RULES = (*SCRIPTING, *COMPILER, *FX, *EXPORT, *EXTENSION, *QUANTIZATION)
