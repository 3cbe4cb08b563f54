"""torch.nn: layers that make images larger, and similarity layers."""

from ..rule import Rule

SIGNATURE = (
    'torch.nn.Upsample(size=None, scale_factor=None, mode="nearest", align_corners=None, '
    "recompute_scale_factor=None)"
)
WHOLE = "MindSpore computes the size first, which is the same for factors that are whole numbers."


def named(name: str, mode: str) -> tuple[Rule, ...]:
    """The rows of a class that is Upsample in one mode."""
    signature = f"torch.nn.{name}(size=None, scale_factor=None)"
    return (
        Rule(
            signature,
            f"nn.Upsample(size=size, {mode})",
            note="MindSpore's Upsample, its mode written out.",
            example=f"nn.{name}(size=(12, 10))(image)",
        ),
        Rule(
            signature,
            f"nn.Upsample(scale_factor=whole(scale_factor), {mode}, recompute_scale_factor=True)",
            note=WHOLE,
            example=f"nn.{name}(scale_factor=2)(image)",
        ),
        Rule(
            signature,
            f"compat.Upsample(scale_factor=scale_factor, {mode})",
            example=f"nn.{name}(scale_factor=1.3)(image)",
        ),
    )


RULES = (
    Rule(
        SIGNATURE,
        "nn.Upsample(size=size, mode=resizing(mode), align_corners=align_corners)",
        note="MindSpore's bicubic weights are others: that mode is not computed by this layer.",
        drop=("recompute_scale_factor",),
        example=(
            "nn.Upsample(16)(image)",
            'nn.Upsample((12, 10), mode="bilinear")(image)',
            'nn.Upsample(size=(5, 12), mode="bilinear", align_corners=True)(image)',
            'nn.Upsample(size=9, mode="linear")(signal)',
        ),
    ),
    Rule(
        SIGNATURE,
        "nn.Upsample(scale_factor=whole(scale_factor), mode=resizing(mode), "
        "align_corners=align_corners, recompute_scale_factor=True)",
        note=WHOLE,
        drop=("recompute_scale_factor",),
        example=(
            "nn.Upsample(scale_factor=2)(image)",
            'nn.Upsample(scale_factor=2.0, mode="bilinear", align_corners=True)(image)',
            'nn.Upsample(None, (2, 3), "bilinear")(image)',
            'nn.Upsample(scale_factor=2, mode="linear")(signal)',
            'nn.Upsample(scale_factor=2, mode="trilinear")(volume)',
        ),
    ),
    Rule(
        SIGNATURE,
        "compat.Upsample(size=size, scale_factor=scale_factor, mode=mode, "
        "align_corners=align_corners, recompute_scale_factor=recompute_scale_factor)",
        example=(
            'nn.Upsample(scale_factor=0.5, mode="bicubic")(image)',
            'nn.Upsample(scale_factor=(2, 1.3), mode="bilinear")(image)',
            'nn.Upsample(size=(12, 12), mode="bicubic", align_corners=True)(image)',
        ),
    ),
    *named("UpsamplingNearest2d", 'mode="nearest"'),
    *named("UpsamplingBilinear2d", 'mode="bilinear", align_corners=True'),
    Rule(
        "torch.nn.CosineSimilarity(dim=1, eps=1e-08)",
        "compat.CosineSimilarity(dim=dim, eps=eps)",
        example=("nn.CosineSimilarity()(x, y)", "nn.CosineSimilarity(dim=0, eps=1e-6)(x, y)"),
    ),
    Rule(
        "torch.nn.PairwiseDistance(p=2.0, eps=1e-06, keepdim=False)",
        "compat.PairwiseDistance(p=p, eps=eps, keepdim=keepdim)",
        example=("nn.PairwiseDistance()(x, y)", "nn.PairwiseDistance(1, keepdim=True)(x, y)"),
    ),
)
