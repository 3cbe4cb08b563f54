"""torch.func: gradients, maps and derivatives of functions."""

from ..facts.spelling import OVER_TREES
from ..families import missing
from ..rule import Rule

SQUARE = "def f(t):\n    return (t * t * t).sum()\n\n"
SCALED = "def f(s, t):\n    return (s * s * t).sum()\n\n"
CURVE = "def f(t):\n    return t * t * t\n\n"
PRODUCT = "def f(s, t):\n    return s * s * t\n\n"
AUX = "def f(t):\n    return (t * t).sum(), t + 1\n\n"
CURVE_AUX = "def f(t):\n    return t * t, t + 1\n\n"
LINEAR = "layer = nn.Linear(4, 3)\nweights = dict(layer.named_parameters())\n"
WEIGHTED = (
    f"{LINEAR}\n\ndef f(params, t):\n"
    "    return torch.func.functional_call(layer, params, (t,)).pow(2).sum()\n\n"
)
TIED = (
    "layer = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))\n"
    "layer[1].weight = layer[0].weight\nweights = dict(layer.named_parameters())\n"
)
OUTPUT = f"{LINEAR}f = lambda t: torch.func.functional_call(layer, weights, t)\n"
SECOND = (
    "put it into a file without functional_call: of networks that are called with other weights, "
    "MindSpore's second derivatives may be zeros, and nothing says so"
)
SAME = "draw the numbers before, and give them to the function: each part draws its own here"
IN_FILES = "In files with functional_call: what is differentiated may take dictionaries of weights."
NESTED = "MindSpore compiles the function: it must stand in a file, as def or lambda of its own."


def transform(signature: str, target: str, *examples: str, **details: object) -> Rule:
    """The row of a function that gives a function; `details` are further fields of the row."""
    return Rule(
        f"torch.func.{signature}",
        target,
        returns="other",
        example=tuple(e.replace("A.", "torch.func.") for e in examples),
        **details,  # type: ignore[arg-type]
    )


GRADIENTS = (
    transform(
        "grad(func, argnums=0)",
        "ms.grad(func, argnums)",
        f"{SQUARE}A.grad(f)(x)",
        f"{SCALED}A.grad(f, argnums=(0, 1))(x, y)",
        f"{SCALED}A.grad(f, 1)(x, y)",
    ),
    transform(
        "grad(func, argnums=0, *, has_aux)",
        "compat.grad_with_aux(func, argnums, has_aux)",
        f"{AUX}A.grad(f, has_aux=True)(x)",
        note="MindSpore's ms.grad gives a tuple of what the function returns besides.",
    ),
    transform(
        "grad_and_value(func, argnums=0, has_aux=False)",
        "compat.grad_and_value(func, argnums, has_aux)",
        f"{SQUARE}A.grad_and_value(f)(x)",
        f"{SCALED}A.grad_and_value(f, argnums=(1, 0))(x, y)",
        f"{AUX}A.grad_and_value(f, has_aux=True)(x)",
        note="MindSpore's ms.value_and_grad gives the value first.",
    ),
    transform(
        "vjp(func, *primals, has_aux=False)",
        "ms.vjp(func, spread(primals), has_aux=has_aux)",
        f"{CURVE}y, back = A.vjp(f, x)\ny, back(x)",
        f"{PRODUCT}z, back = A.vjp(f, x, y)\nz, back(x)",
        f"{CURVE_AUX}z, back, t = A.vjp(f, x, has_aux=True)\nz, back(y), t",
    ),
    transform(
        "jvp(func, primals, tangents, *, strict=False, has_aux=False)",
        "compat.jvp(func, primals, tangents, has_aux=has_aux)",
        f"{CURVE}A.jvp(f, (x,), (y,))",
        f"{PRODUCT}A.jvp(f, (x, y), (y, x))",
        note=NESTED,
        drop=("strict",),
    ),
    transform(
        "linearize(func, *primals)",
        "compat.linearize(func, spread(primals))",
        f"{CURVE}y, forth = A.linearize(f, x)\ny, forth(x)",
        note=NESTED,
    ),
)

DERIVATIVES = (
    transform(
        "jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False)",
        "ms.jacrev(func, argnums, has_aux=has_aux)",
        f"{CURVE}A.jacrev(f)(v)",
        f"{PRODUCT}A.jacrev(f, argnums=(0, 1))(v, w)",
        f"{CURVE_AUX}A.jacrev(f, has_aux=True)(v)",
        note=NESTED,
        drop=("chunk_size", "_preallocate_and_copy"),
    ),
    transform(
        "jacfwd(func, argnums=0, has_aux=False, *, randomness='error')",
        "ms.jacfwd(func, argnums, has_aux=has_aux)",
        f"{CURVE}A.jacfwd(f)(v)",
        f"{PRODUCT}A.jacfwd(f, 1)(v, w)",
        note=NESTED,
        drop=("randomness",),
    ),
    transform(
        "hessian(func, argnums=0)",
        "ms.jacfwd(ms.jacrev(func, argnums), argnums)",
        f"{SQUARE}A.hessian(f)(v)",
        f"{SCALED}A.hessian(f, 1)(v, w * w)",
        note=NESTED,
    ),
    transform(
        "vmap(func, in_dims=0, out_dims=0, *, randomness, chunk_size=None)",
        "ms.vmap(func, in_axes=in_dims, out_axes=out_dims)",
        f"{SQUARE}A.vmap(f, randomness='different')(x)",
        note=NESTED,
        kinds={"randomness": "'different'"},
        drop=("randomness", "chunk_size"),
    ),
    transform(
        "vmap(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None)",
        "ms.vmap(func, in_axes=in_dims, out_axes=out_dims)",
        f"{SQUARE}A.vmap(f)(x)",
        f"{PRODUCT}A.vmap(f, in_dims=(0, None), out_dims=1)(x, w)",
        note=NESTED,
        reject={"randomness": SAME},
        drop=("chunk_size",),
    ),
)


def over_trees(signature: str, target: str, *examples: str, **details: object) -> Rule:
    """The row of a function that gives one, in files that call networks with other weights."""
    return Rule(
        f"{OVER_TREES}.{signature}",
        target,
        note=IN_FILES,
        returns="other",
        example=tuple(e.replace("A.", "torch.func.") for e in examples),
        **details,  # type: ignore[arg-type]
    )


TREES = (
    over_trees(
        "grad(func, argnums=0, has_aux=False)",
        "compat.tree_grad(func, argnums, has_aux)",
        f"{WEIGHTED}A.grad(f)(weights, x)",
        f"{WEIGHTED}A.grad(f, 1)(weights, x)",
        f"{WEIGHTED}A.grad(f)(weights, t=x)",
        f"{WEIGHTED}A.grad(lambda p, t: (f(p, t), t), has_aux=True)(weights, x)",
    ),
    over_trees(
        "grad_and_value(func, argnums=0, has_aux=False)",
        "compat.tree_grad_and_value(func, argnums, has_aux)",
        f"{WEIGHTED}A.grad_and_value(f)(weights, x)",
        f"{WEIGHTED}A.grad_and_value(f, (0, 1))(weights, x)",
    ),
    over_trees(
        "vmap(func, in_dims=0, out_dims=0, *, randomness, chunk_size=None)",
        "compat.mapped(func, in_dims, out_dims)",
        f"{WEIGHTED}A.vmap(f, in_dims=(None, 0), randomness='different')(weights, x)",
        kinds={"randomness": "'different'"},
        drop=("randomness", "chunk_size"),
    ),
    over_trees(
        "vmap(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None)",
        "compat.mapped(func, in_dims, out_dims)",
        f"{WEIGHTED}A.vmap(f, in_dims=(None, 0))(weights, x)",
        f"{WEIGHTED}A.vmap(A.grad(f), in_dims=(None, 0))(weights, x)",
        f"{OUTPUT}A.vmap(f, 0, 1)(x)",
        f"{WEIGHTED}A.vmap(lambda t, k: (f(weights, t) * k, t), out_dims=(0, 1))(x, k=2.0)",
        reject={"randomness": SAME},
        drop=("chunk_size",),
    ),
    *missing(
        SECOND,
        f"{OVER_TREES}.hessian(func, argnums=0)",
        f"{OVER_TREES}.jvp(func, primals, tangents, *, strict=False, has_aux=False)",
    ),
    *(
        over_trees(
            f"{name}(func, argnums=0, {others})",
            "compat.jacobian_of(func, argnums)",
            f"{OUTPUT}A.{name}(f)(x[0])",
            f"{OUTPUT}A.vmap(A.{name}(f))(x)",
            drop=drop,
        )
        for name, others, drop in (
            ("jacrev", "*, chunk_size=None", ("chunk_size",)),
            ("jacfwd", "*, randomness='error'", ("randomness",)),
        )
    ),
)

OTHERS = (
    transform(
        "functionalize(func, *, remove='mutations')",
        "func",
        f"{CURVE}A.functionalize(f)(x)",
        note="MindSpore's operators change no input.",
        drop=("remove",),
    ),
    transform(
        "functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, "
        "tie_weights=True, strict=False)",
        "compat.functional_call(module, parameter_and_buffer_dicts, args, kwargs, "
        "tie_weights=tie_weights, strict=strict)",
        f"{LINEAR}A.functional_call(layer, weights, (x,))",
        f"{LINEAR}A.functional_call(layer, {{k: v * 2 for k, v in weights.items()}}, x)",
        f'{LINEAR}w = {{"weight": weights["weight"]}}\n'
        'A.functional_call(layer, ({"bias": v[:3]}, w), (x,))',
        f'{LINEAR}A.functional_call(layer, {{"bias": v[:3], "other": v}}, x)',
        f"{TIED}A.functional_call(layer, {{k: w * 2 for k, w in weights.items()}}, x)",
        f"{TIED}A.functional_call(layer, {{k: w * 2 for k, w in weights.items()}}, x, "
        "tie_weights=False)",
        f"{LINEAR}A.functional_call(layer, weights, x, strict=True)",
        note="In PyNative mode.",
    ),
    transform(
        "stack_module_state(models)",
        "compat.stack_module_state(models)",
        "p, b = A.stack_module_state([nn.Linear(2, 2), nn.Linear(2, 2)])\n"
        "[v.shape for v in p.values()], len(b)",
    ),
    *missing(
        "build the network with GroupNorm, or call set_train(False) on its BatchNorms",
        "torch.func.replace_all_batch_norm_modules_(root)",
    ),
    *missing(
        "use reshape and transpose",
        "torch.func.rearrange(tensor, pattern, **axes_lengths)",
    ),
    *missing(
        "leave it out: MindSpore's transforms do not wrap tensors",
        "torch.func.debug_unwrap(tensor, *, recurse=True)",
    ),
)

RULES = (*GRADIENTS, *DERIVATIVES, *TREES, *OTHERS)
