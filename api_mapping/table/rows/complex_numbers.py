"""torch and torch.Tensor: complex numbers."""

from ..families import pointwise
from ..rule import Rule

COPY = "The result is a copy: what is written into it does not reach the other tensor."
ONLY_COMPLEX = "Real tensors raise a TypeError: .astype(ms.complex64) before it."

NUMBERS = (
    Rule(
        "torch.complex(real, imag, *, out=None)",
        "ops.Complex()(real, imag)",
        example=("torch.complex(x, y)", "torch.complex(d, imag=d)"),
    ),
    Rule(
        "torch.polar(abs, angle, *, out=None)",
        "ops.polar(*ms.numpy.broadcast_arrays(abs, angle))",
        example=("torch.polar(p, y)", "torch.polar(p[:1], angle=y + 1)"),
    ),
    *(
        Rule(
            signature,
            "ops.Complex()(*input.unbind(-1))",
            note=COPY,
            example=example,
        )
        for signature, example in (
            ("torch.view_as_complex(input)", "torch.view_as_complex(image[..., :2])"),
            ("torch.view_as_complex_copy(input)", "torch.view_as_complex_copy(image[..., :2])"),
        )
    ),
    *(
        Rule(signature, "ops.view_as_real(input)", note=COPY, example=example)
        for signature, example in (
            ("torch.view_as_real(input)", "torch.view_as_real(z)"),
            ("torch.view_as_real_copy(input)", "torch.view_as_real_copy(z)"),
        )
    ),
)

PARTS = (
    *(
        row
        for part in ("real", "imag")
        for row in (
            Rule(
                f"torch.{part}(input)",
                f"ops.{part}(input)",
                mint=f"mint.{part}(input)",
                note=COPY,
                example=f"torch.{part}(z)",
            ),
            Rule(
                f"torch.Tensor.{part}",
                f"self.{part}()",
                note=f"A method: {part}(). {COPY}",
                returns="tensor",
                example=f"z.{part}",
            ),
        )
    ),
    *pointwise(
        Rule(
            "torch.angle(input, *, out=None)",
            "ops.angle(input)",
            limit=ONLY_COMPLEX,
            example="torch.angle(z)",
        ),
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.conj(input)",
            "ops.conj(input)",
            note=COPY,
            example=("torch.conj(z)", "torch.conj(x)"),
        ),
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.conj_physical(input, *, out=None)",
            "ops.conj(input)",
            example=("torch.conj_physical(z)", "torch.conj_physical(x)"),
        ),
    ),
    *(
        row
        for name, example in (
            ("resolve_conj", "torch.resolve_conj(z)"),
            ("resolve_neg", "torch.resolve_neg(z)"),
        )
        for row in pointwise(
            Rule(f"torch.{name}(input)", "input", example=example), fluent=False, inplace=False
        )
    ),
    *(
        row
        for name in ("is_conj", "is_neg")
        for row in pointwise(
            Rule(
                f"torch.{name}(input)",
                "False",
                drop=("input",),
                returns="bool",
                example=f"torch.{name}(z)",
            ),
            fluent=False,
            inplace=False,
        )
    ),
)

RULES = (*NUMBERS, *PARTS)
