"""torch.autograd and torch.utils.checkpoint: gradients, functions with gradients of their own."""

from ..families import missing
from ..rule import Rule
from .global_state import GRADIENTS

BY_FUNCTION = "MindSpore differentiates functions: grads = ms.grad(function, positions)(*inputs)"
STEP = (
    "put the forward pass in a function: loss, grads = ms.value_and_grad(function, None, params)(x)"
)
PROFILING = "use ms.profiler.profile(...) around the steps"
MODULE = "a module: each of its names has a row of its own"
FINITE = "compare ms.grad(function) with finite differences in float64"
CLAMP = """class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, low):
        ctx.save_for_backward(t)
        ctx.low = low
        return torch.relu(t - low) + low

    @staticmethod
    def backward(ctx, g):
        t, = ctx.saved_tensors
        return g * t * ctx.low, None

"""
PAIR = """class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s, t):
        ctx.save_for_backward(s, t)
        ctx.mark_non_differentiable()
        return s * t, s + t

    @staticmethod
    def backward(ctx, g, h):
        s, t = ctx.saved_tensors
        return g * t + h, g * s + 10 * h

"""
SQUARE = "def f(t):\n    return (t * t * t).sum()\n\n"
SCALED = "def f(s, t):\n    return (s * s * t).sum()\n\n"
CURVE = "def f(t):\n    return t * t * t\n\n"
PRODUCT = "def f(s, t):\n    return s * s * t\n\n"

SCOPES = tuple(
    Rule(
        f"torch.autograd.{rule.signature.removeprefix('torch.')}",
        rule.target,
        note=rule.note,
        reject=rule.reject,
        returns=rule.returns,
        example=tuple(e.replace("torch.", "torch.autograd.") for e in rule.examples),
    )
    for rule in GRADIENTS
    if rule.name in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode")
    or rule.name == "torch.set_grad_enabled"
)

TENSORS = (
    Rule(
        "torch.autograd.Variable(data=None, requires_grad=False, volatile=None)",
        "data",
        note="A Variable is its Tensor.",
        drop=("volatile",),
        example=("torch.autograd.Variable(x)", "torch.autograd.Variable(data=x * 2)"),
    ),
    Rule(
        "torch.autograd.is_tensor_like(inp)",
        "isinstance(inp, ms.Tensor)",
        note="MindSpore has no other classes that act as Tensors.",
        returns="bool",
        example=("torch.autograd.is_tensor_like(x)", "torch.autograd.is_tensor_like(3)"),
    ),
    *missing(
        BY_FUNCTION,
        "torch.autograd.grad(outputs, inputs, grad_outputs=None, retain_graph=None, "
        "create_graph=False, only_inputs=True, allow_unused=None, is_grads_batched=False, "
        "materialize_grads=False)",
    ),
    *missing(
        STEP,
        "torch.autograd.backward(tensors, grad_tensors=None, retain_graph=None, "
        "create_graph=False, grad_variables=None, inputs=None)",
    ),
)


MARKED = PAIR.replace("mark_non_differentiable()", "{}") + "Pair.apply(x, y)"

FUNCTIONS = (
    Rule(
        "torch.autograd.Function",
        "compat.Function",
        note="MindSpore has Cells with a bprop: this is one, with PyTorch's methods.",
        returns="other",
        example=(
            f"{CLAMP}Clamp.apply(x, 0.5)",
            f"{CLAMP}slopes(lambda t: Clamp.apply(t, 0.5), x)",
            f"{PAIR}slopes(lambda s, t: sum(n.sum() for n in Pair.apply(s, t)), x, y)",
        ),
    ),
    Rule(
        "torch.autograd.Function.save_for_backward(self, *tensors)",
        "self.save_for_backward(spread(tensors))",
        returns="none",
        example=f"{CLAMP}slopes(lambda t: Clamp.apply(t, 0.5), x)",
    ),
    Rule(
        "torch.autograd.Function.mark_non_differentiable(self, *args)",
        "self.mark_non_differentiable(spread(args))",
        returns="none",
        example=MARKED.format("mark_non_differentiable()"),
    ),
    Rule(
        "torch.autograd.Function.set_materialize_grads(self, value)",
        "self.set_materialize_grads(value)",
        returns="none",
        example=MARKED.format("set_materialize_grads(True)"),
    ),
    *missing(
        "return the new value: MindSpore's operators change no input",
        "torch.autograd.Function.mark_dirty(self, *args)",
    ),
    *missing(
        "it is called by apply: leave the definition as it is",
        "torch.autograd.Function.forward(self, *args, **kwargs)",
        "torch.autograd.Function.backward(self, *grad_outputs)",
    ),
    *missing(
        "do it in forward, which gets ctx first",
        "torch.autograd.Function.setup_context(self, inputs, output)",
    ),
    *missing(
        "MindSpore's derivatives of a Function are those of backward alone",
        "torch.autograd.Function.jvp(self, *grad_inputs)",
        "torch.autograd.Function.vjp(self, *grad_outputs)",
        "torch.autograd.Function.vmap(self, info, in_dims, *args)",
        "torch.autograd.Function.save_for_forward(self, *tensors)",
        "torch.autograd.Function.generate_vmap_rule",
        "torch.autograd.Function.boxed_grads_call",
        "torch.autograd.Function.clear_saved_tensors_on_access",
        "torch.autograd.NestedIOFunction(*args, **kwargs)",
        "torch.autograd.forward_ad.unpack_dual(tensor, *, level=None)",
    ),
)


def derivative(name: str, arguments: str, target: str, *examples: str, drop: str) -> Rule:
    options = ", ".join(f"{option}=None" for option in drop.split())
    return Rule(
        f"torch.autograd.functional.{name}({arguments}, {options})",
        target,
        drop=tuple(drop.split()),
        returns="tensors" if "v=" in arguments else "tensor",
        example=tuple(e.replace("A.", "torch.autograd.functional.") for e in examples),
    )


GRAPH = "create_graph strict"

DERIVATIVES = (
    derivative(
        "jacobian",
        "func, inputs",
        "compat.jacobian(func, inputs)",
        f"{CURVE}A.jacobian(f, v)",
        f"{PRODUCT}A.jacobian(f, (v, w))",
        drop=f"{GRAPH} vectorize strategy",
    ),
    derivative(
        "hessian",
        "func, inputs",
        "compat.hessian(func, inputs)",
        f"{SQUARE}A.hessian(f, v)",
        f"{SCALED}A.hessian(f, (v, w))",
        drop=f"{GRAPH} vectorize outer_jacobian_strategy",
    ),
    derivative(
        "vjp",
        "func, inputs, v=None",
        "compat.vjp(func, inputs, v)",
        f"{CURVE}A.vjp(f, v, w)",
        f"{SCALED}A.vjp(f, (v, w))",
        drop=GRAPH,
    ),
    derivative(
        "jvp",
        "func, inputs, v=None",
        "compat.jvp(func, inputs, v)",
        f"{CURVE}A.jvp(f, v, w)",
        f"{PRODUCT}A.jvp(f, (v, w), (w, v))",
        drop=GRAPH,
    ),
    derivative(
        "hvp",
        "func, inputs, v=None",
        "compat.hvp(func, inputs, v)",
        f"{SQUARE}A.hvp(f, v, w)",
        f"{SCALED}A.hvp(f, (v, w), (w, v))",
        drop=GRAPH,
    ),
    derivative(
        "vhp",
        "func, inputs, v=None",
        "compat.hvp(func, inputs, v)",
        f"{SQUARE}A.vhp(f, v, w)",
        f"{SCALED}A.vhp(f, (v, w), (w, v))",
        drop=GRAPH,
    ),
)

RECOMPUTATION = (
    Rule(
        "torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=None, context_fn=None, "
        "determinism_check='default', debug=False, early_stop=True)",
        "function(spread(args))",
        note="It keeps what it computes: to save memory, call cell.recompute() on the layers.",
        drop=("use_reentrant", "context_fn", "determinism_check", "debug", "early_stop"),
        example=(
            "torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False)",
            "torch.utils.checkpoint.checkpoint(lambda s, t: s * t, x, y)",
        ),
    ),
    Rule(
        "torch.utils.checkpoint.checkpoint_sequential(functions, segments, input, "
        "use_reentrant=None)",
        "compat.in_turn(functions, input)",
        note="It keeps what it computes: to save memory, call cell.recompute() on the layers.",
        drop=("segments", "use_reentrant"),
        example="torch.utils.checkpoint.checkpoint_sequential([torch.sin, torch.cos], 2, x, "
        "use_reentrant=False)",
    ),
    *missing(
        "leave it out: MindSpore's cell.recompute() chooses what is computed again",
        "torch.utils.checkpoint.CheckpointPolicy(value)",
        "torch.utils.checkpoint.DefaultDeviceType()",
        "torch.utils.checkpoint.GraphExecGroup()",
        "torch.utils.checkpoint.SAC_IGNORED_OPS",
        "torch.utils.checkpoint.SelectiveCheckpointContext(*, is_recompute, op_output=None)",
        "torch.utils.checkpoint.create_selective_checkpoint_contexts(policy_fn_or_list, "
        "allow_cache_entry_mutation=False)",
        "torch.utils.checkpoint.set_checkpoint_debug_enabled(enabled)",
        "torch.utils.checkpoint.set_checkpoint_early_stop(enable)",
        "torch.utils.checkpoint.set_device_states(devices, states, *, device_type=None)",
    ),
    *missing(
        "map over the lists and dictionaries yourself",
        "torch.utils.checkpoint.tree_map(func, tree, *rests, is_leaf=None)",
    ),
)

OTHERS = (
    Rule(
        "torch.autograd.gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, "
        "raise_exception=True, **options)",
        "compat.gradcheck(func, inputs, eps=eps, atol=atol, rtol=rtol, "
        "raise_exception=raise_exception)",
        note="Of first gradients of real inputs, for functions that give one tensor.",
        drop=("options",),
        returns="bool",
        example="p = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)\n"
        "torch.autograd.gradcheck(lambda t: (t * t).sin(), (p,))",
    ),
    *missing(
        FINITE,
        "torch.autograd.gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, "
        "rtol=0.001, raise_exception=True, **options)",
    ),
    *(
        Rule(
            f"torch.autograd.{name}({parameters})",
            "compat.null_context()",
            note="Nothing looks for NaN: `msconvert watch script.py --on nan` does.",
            drop=drop,
            returns="other",
            example=f"with torch.autograd.{name}({example}):\n    y = x * 2\ny",
        )
        for name, parameters, example, drop in (
            ("detect_anomaly", "check_nan=True", "", ("check_nan",)),
            ("set_detect_anomaly", "mode, check_nan=True", "True", ("mode", "check_nan")),
        )
    ),
    *missing(
        "leave it out: MindSpore has no such setting",
        "torch.autograd.enforce_grad_layout_policy(enable=True)",
        "torch.autograd.set_multithreading_enabled(mode)",
        "torch.autograd.is_multithreading_enabled()",
        "torch.autograd.is_view_replay_enabled()",
    ),
    *missing(
        "leave it out: MindSpore has no __torch_function__",
        "torch.autograd.handle_torch_function(public_api, relevant_args, *args, **kwargs)",
        "torch.autograd.has_torch_function(relevant_args)",
    ),
    *missing(
        PROFILING,
        "torch.autograd.profiler.profile(enabled=True, **options)",
        "torch.autograd.profiler.record_function(name, args=None)",
        "torch.autograd.profiler.emit_itt(enabled=True, record_shapes=False)",
        "torch.autograd.profiler.emit_nvtx(enabled=True, record_shapes=False)",
        "torch.autograd.profiler.load_nvprof(path)",
        "torch.autograd.profiler.EnforceUnique()",
        "torch.autograd.profiler.EventList(*args, **kwargs)",
        "torch.autograd.profiler.FunctionEvent(id, name, thread, start_us, end_us, **options)",
        "torch.autograd.profiler.KinetoStepTracker()",
        "torch.autograd.profiler.MemRecordsAcc(mem_records)",
        "torch.autograd.kineto_available()",
        "torch.autograd.DeviceType",
        "torch.autograd.ProfilerActivity",
        "torch.autograd.ProfilerState",
    ),
    *missing(
        MODULE,
        "torch.autograd.grad_mode",
        "torch.utils.checkpoint",
        "torch.cuda.amp",
        "torch.nn.functional",
        "torch.nn.init",
        "torch.optim.lr_scheduler",
        "torch.optim.swa_utils",
    ),
)

RULES = (*SCOPES, *TENSORS, *FUNCTIONS, *DERIVATIVES, *RECOMPUTATION, *OTHERS)
