"""torch and torch.Tensor: complex numbers, and the types that results of mixed types have."""

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
        "ops.polar(abs, angle)",
        mint="mint.polar(abs, angle)",
        example=("torch.polar(p, y)", "torch.polar(p, angle=y + 1)"),
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

TYPES = (
    Rule(
        "torch.promote_types(type1, type2)",
        "compat.promote_types(type1, type2)",
        returns="dtype",
        example=(
            "torch.promote_types(torch.int32, torch.float16)",
            "torch.promote_types(torch.uint8, torch.int8)",
            "torch.promote_types(torch.bool, torch.bool)",
        ),
    ),
    Rule(
        "torch.result_type(tensor1, tensor2)",
        "(tensor1 + tensor2).dtype",
        note="A tensor without axes counts like any other.",
        returns="dtype",
        example=("torch.result_type(i, x)", "torch.result_type(i, 1.5)", "torch.result_type(b, c)"),
    ),
    Rule(
        "torch.can_cast(from_, to)",
        "compat.can_cast(from_, to)",
        returns="bool",
        example=(
            "torch.can_cast(torch.float32, torch.int64)",
            "torch.can_cast(torch.int64, torch.float16)",
            "torch.can_cast(torch.uint8, torch.bool)",
        ),
    ),
)

RULES = (*NUMBERS, *PARTS, *TYPES)
