"""Complex numbers in training: products without a gradient, and weights without a step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...table.kinds import COMPLEX, NUMBERS
from .facts import Facts
from .rule import Hit, limit

ROTATED = (
    "def rotate(x, angles):\n"
    "    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))\n"
)
PRODUCTS = frozenset("mul multiply pow square prod outer ger".split())
"""Functions and methods that multiply, by the last part of their names."""
WEIGHTS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
WITHOUT_GRADIENTS = frozenset({"torch.no_grad", "torch.inference_mode"})


@limit(
    "MS240",
    *(ast.BinOp, ast.AugAssign, ast.Call),
    advice="write it with real and imaginary parts, a rotation as x1 * cos - x2 * sin and "
    "x1 * sin + x2 * cos",
    found=(
        f"{ROTATED}    return torch.view_as_real(z * angles).flatten(3)  # !",
        f"{ROTATED}    return torch.view_as_real(angles[None] * z.unsqueeze(0))  # !",
        f"{ROTATED}    z *= angles  # !\n    return z",
        f"{ROTATED}    return torch.mul(z, torch.polar(torch.ones(2), angles))  # !",
        f"{ROTATED}    return z.mul(angles).real  # !",
        f"{ROTATED}    return z ** 2  # !",
        "class Spectral(nn.Module):\n    def forward(self, x):\n"
        "        return torch.fft.irfft(torch.fft.rfft(x) * self.weight)  # !",
        "a = torch.polar(torch.ones(2), torch.ones(2))\nb = a * a  # !\nb.real.sum().backward()",
    ),
    clean=(
        f"{ROTATED}    return torch.view_as_real(z * 2.0)",
        f"{ROTATED}    return z + angles",
        f"{ROTATED}    return z.real * angles",
        f"{ROTATED}    return z.abs() ** 2",
        f"{ROTATED}    return torch.view_as_real(z)[..., 0] * angles",
        f"{ROTATED}    with torch.no_grad():\n        return z * angles",
        f"@torch.no_grad()\n{ROTATED}    return z * angles",
        "def f(x: torch.Tensor, y: torch.Tensor):\n    return x * y",
        "a = torch.polar(torch.ones(2), torch.ones(2))\nprint(a * a)",
        "def f(x: complex, y: complex):\n    return x * y",
    ),
    called=PRODUCTS,
)
def complex_product(node: ast.BinOp | ast.AugAssign | ast.Call, facts: Facts) -> Iterator[Hit]:
    """`z * w` of complex tensors: MindSpore computes it, and raises where it is differentiated."""
    kinds = [facts.kind_of(factor) for factor in factors(node)]
    is_scaled = not is_power(node) and any(kind.tag in NUMBERS for kind in kinds)
    if COMPLEX in kinds and not is_scaled and is_differentiated(node, facts):
        yield Hit(node, "MindSpore has no gradient of a product of complex tensors")


def factors(node: ast.BinOp | ast.AugAssign | ast.Call) -> list[ast.expr]:
    """What is multiplied; nothing where nothing is."""
    if isinstance(node, ast.Call):
        called = node.func
        if not isinstance(called, ast.Attribute) or called.attr not in PRODUCTS:
            return []
        return [called.value, *node.args, *(keyword.value for keyword in node.keywords)]
    if not isinstance(node.op, ast.Mult | ast.Pow):
        return []
    return [node.target, node.value] if isinstance(node, ast.AugAssign) else [node.left, node.right]


def is_power(node: ast.BinOp | ast.AugAssign | ast.Call) -> bool:
    """Whether a number beside the tensor leaves it a product of the tensor with itself."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and not node.func.attr.startswith("mul")
    return isinstance(node.op, ast.Pow)


def is_differentiated(node: ast.expr | ast.AugAssign, facts: Facts) -> bool:
    """Whether gradients may go through it: not in no_grad, and not where nobody asks for them."""
    function = facts.scope.function
    if function is None and "torch.Tensor.backward" not in facts.apis.values():
        return False
    around = [
        item.context_expr
        for block in facts.layout.of_type(ast.With)
        if block.lineno <= node.lineno <= (block.end_lineno or 0)
        for item in block.items
    ]
    around += function.decorator_list if function is not None else ()
    return not any(facts.api(context) in WITHOUT_GRADIENTS for context in around)


@limit(
    "MS242",
    ast.Call,
    advice="keep the real and the imaginary part as two weights, and make the complex tensor of "
    "them in forward: torch.complex(self.re, self.im)",
    found=(
        "w = nn.Parameter(torch.ones(2, dtype=torch.cfloat))  # !",
        "class M(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.rand(n, n, dtype=torch.complex64) / n)  # !",
        "class M(nn.Module):\n    def __init__(self, k):\n        super().__init__()\n"
        "        self.k = 1 / k\n"
        "        self.w = nn.Parameter(self.k * torch.complex(torch.ones(2), torch.ones(2)))  # !",
        "w = torch.nn.parameter.Parameter(data=torch.polar(torch.ones(2), torch.ones(2)))  # !",
        "w = nn.Parameter(torch.fft.rfft(torch.ones(4)), requires_grad=True)  # !",
    ),
    clean=(
        "w = nn.Parameter(torch.ones(2, 2))",
        "w = nn.Parameter(torch.ones(2, dtype=torch.cfloat), requires_grad=False)",
        "w = nn.Parameter(torch.view_as_real(torch.ones(2, dtype=torch.cfloat)))",
        "w = nn.Parameter(torch.complex(torch.ones(2), torch.ones(2)).abs())",
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('w', torch.ones(2, dtype=torch.cfloat))",
    ),
    about=WEIGHTS.__contains__,
)
def complex_weight(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """`nn.Parameter(torch.rand(n, dtype=torch.cfloat))`: no optimizer of MindSpore's steps it."""
    given = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "data")]
    flags = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "requires_grad")]
    is_frozen = any(isinstance(flag, ast.Constant) and flag.value is False for flag in flags)
    if not is_frozen and any(is_complex(value, facts) for value in given):
        yield Hit(node, "MindSpore's optimizers step no complex weights")


def is_complex(node: ast.expr, facts: Facts) -> bool:
    """Whether it is a complex tensor, also one by a number that is not known."""
    if facts.kind_of(node) == COMPLEX:
        return True
    operands = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    return any(is_complex(operand, facts) for operand in operands)
