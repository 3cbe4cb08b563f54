"""einops: tensors by the names of their axes; its own package has no side for MindSpore."""

from ..families import missing
from ..rule import Rule

HEADS = '"b n (h d) -> b h n d"'
POOLED = '"b (h p) w -> b h w"'


def rows(signature: str, target: str, returns: str, *examples: str) -> tuple[Rule, Rule]:
    """The rows of a call without lengths of axes, and with them."""
    name, _, given = signature.partition("(")
    return (
        Rule(signature, f"{target})", returns=returns, example=examples[:1]),
        Rule(
            f"{name}({given.removesuffix(')')}, **axes_lengths)",
            f"{target}, **lengths(axes_lengths))",
            returns=returns,
            example=examples[1:],
        ),
    )


RULES = (
    *rows(
        "einops.rearrange(tensor, pattern)",
        "compat.rearrange(tensor, pattern",
        "tensor",
        'einops.rearrange(image, "b c h w -> b (h w) c")',
        f"einops.rearrange(a, {HEADS}, h=2)",
        'einops.rearrange(image, "b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=1, p2=1)',
        'einops.rearrange(a, "... (h d) -> h ... d", h=2)',
        'einops.rearrange([x, y], "k a b -> a (k b) 1", k=2)',
    ),
    *rows(
        "einops.repeat(tensor, pattern)",
        "compat.repeat(tensor, pattern",
        "tensor",
        'einops.repeat(x, "a b -> a 2 b")',
        'einops.repeat(x, "a b -> n a b", n=3)',
        'einops.repeat(a, "b n d -> (b r) n (d 2)", r=2)',
        'einops.repeat(x[:1, None], "1 1 d -> b 1 d", b=4)',
    ),
    *rows(
        "einops.reduce(tensor, pattern, reduction)",
        "compat.reduce(tensor, pattern, reduction",
        "tensor",
        'einops.reduce(a, "b n d -> b d", "mean")',
        f'einops.reduce(a, {POOLED}, "max", p=1)',
        'einops.reduce(image, "b c (h p) w -> b c h 1", "sum", p=2)',
        'einops.reduce(a, "b n d -> n", "prod")',
        'einops.reduce(a > 0, "b n d -> d", "any")',
        'einops.reduce(a > 0, "b (n k) d -> n", "all", k=1)',
    ),
    *rows(
        "einops.layers.torch.Rearrange(pattern)",
        "compat.Rearrange(pattern",
        "module",
        'einops.layers.torch.Rearrange("b c h w -> b (h w) c")(image)',
        f"einops.layers.torch.Rearrange({HEADS}, h=2)(a)",
    ),
    *rows(
        "einops.layers.torch.Reduce(pattern, reduction)",
        "compat.Reduce(pattern, reduction",
        "module",
        'einops.layers.torch.Reduce("b n d -> b d", "mean")(a)',
        f'einops.layers.torch.Reduce({POOLED}, "min", p=1)(a)',
    ),
    Rule(
        "einops.einsum(*tensors_and_pattern)",
        "compat.named_einsum(spread(tensors_and_pattern))",
        returns="tensor",
        example=(
            'einops.einsum(x, y, "rows k, other k -> rows other")',
            'einops.einsum(a, e, "... i j, ... j k -> ... i k")',
            'einops.einsum(a, "batch n dim -> batch dim")',
        ),
    ),
    Rule(
        "einops.pack(tensors, pattern)",
        "compat.pack(tensors, pattern)",
        returns="other",
        example=('einops.pack([x, y], "* d")', 'einops.pack([a], "b * d")'),
    ),
    Rule(
        "einops.unpack(tensor, packed_shapes, pattern)",
        "compat.unpack(tensor, packed_shapes, pattern)",
        returns="tensors",
        example=(
            'einops.unpack(a, [(), (-1,)], "b * d")',
            'einops.unpack(x, [(1,), (2,)], "* d")',
        ),
    ),
    Rule(
        "einops.parse_shape(x, pattern)",
        "compat.parse_shape(x, pattern)",
        returns="other",
        example='einops.parse_shape(a, "b _ d")',
    ),
    Rule(
        "einops.asnumpy(tensor)",
        "tensor.asnumpy()",
        returns="numpy",
        example="einops.asnumpy(x)",
    ),
    *missing(
        "write it with ops.einsum or matmul, and reshape",
        "einops.layers.torch.EinMix(pattern, weight_shape, bias_shape=None, **axes_lengths)",
    ),
)
