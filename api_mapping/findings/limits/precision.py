"""Mixed precision by a context: MindSpore casts by network, and not by what runs inside of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, limit

AUTOCASTS = frozenset(
    f"torch.{name}"
    for name in ("autocast", "amp.autocast", "cuda.amp.autocast", "cpu.amp.autocast")
)
FULL = frozenset({"torch.float32", "torch.float", "torch.float64", "torch.double"})


@limit(
    "MS236",
    *(ast.Call, ast.Attribute, ast.Name),
    advice='ms.amp.auto_mixed_precision(net, "O1") casts what autocast casts, or net.to_float',
    found=(
        "def f(net, x):\n    with torch.autocast('cuda'):  # !\n        return net(x)",
        "with torch.amp.autocast(device_type='cuda', dtype=torch.bfloat16):  # !\n    y = 1",
        "from torch.cuda.amp import autocast\nwith autocast():  # !\n    y = 1",
        "@torch.autocast('cuda')  # !\ndef f(x):\n    return x",
        "@torch.cuda.amp.autocast()  # !\ndef f(x):\n    return x",
        "def f(use):\n    return torch.autocast('cuda', enabled=use)  # !",
        "import contextlib\ndef f(use):\n"
        "    return torch.amp.autocast('cpu') if use else contextlib.nullcontext()  # !",
        "import functools\nmixed = functools.partial(torch.autocast, 'cuda')  # !",
        "def f(stack):\n    stack.enter_context(torch.autocast('cuda', torch.float16))  # !",
    ),
    clean=(
        "with torch.autocast('cuda', enabled=False):\n    y = 1",
        "with torch.amp.autocast('cuda', dtype=torch.float32):\n    y = 1",
        "with torch.amp.autocast('cuda', torch.float16, False):\n    y = 1",
        "with torch.cuda.amp.autocast(False):\n    y = 1",
        "def f(accelerator, net, x):\n    with accelerator.autocast():\n        return net(x)",
        "from torch.cuda.amp import autocast\nwith autocast(enabled=False):\n    y = 1",
        "scaler = torch.amp.GradScaler('cuda')",
    ),
    about=AUTOCASTS.__contains__,
)
def autocast(node: ast.expr, facts: Facts) -> Iterator[Hit]:
    """autocast that is switched on, or may be: what is inside computes in full precision."""
    if not isinstance(node, ast.Call) or not is_off(node, facts):
        yield Hit(node, "what autocast would cast computes in full precision", facts.api(node))


def is_off(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is seen to cast nothing."""
    is_of_device = facts.api(call).startswith(("torch.cuda.", "torch.cpu."))
    names = ("enabled", "dtype") if is_of_device else ("device_type", "dtype", "enabled")
    given = {k.arg: k.value for k in call.keywords} | dict(zip(names, call.args, strict=False))
    enabled, dtype = given.get("enabled"), given.get("dtype")
    is_literal = isinstance(enabled, ast.Constant) and enabled.value is False
    return is_literal or (dtype is not None and facts.api(dtype) in FULL)
