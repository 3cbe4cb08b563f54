"""torch.nn: normalization."""

from ....formats.names.naming import SCALED, STATISTICS, within_volume
from ..families import of_class
from ..rule import Rule

MOMENTUM = "MindSpore's momentum is the weight of the old statistics, PyTorch's that of the new."
BATCH = (
    "(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, "
    "device=None, dtype=None, *, bias=True)"
)
INSTANCE = BATCH.replace("affine=True, track_running_stats=True", "affine=False, "
                         "track_running_stats=False")  # fmt: skip
NO_BIAS = "give affine=True, and freeze `beta`: it begins with zeros"
TARGET = (
    "(num_features, eps=eps, momentum=complement(momentum), "
    "use_batch_statistics=reversed_flag(track_running_stats), dtype=element_type(dtype))"
)


def batch(name: str, inputs: str, channels: int) -> tuple[Rule, Rule]:
    """MindSpore's layer; and one that knows that PyTorch's has no weights, of `affine=False`."""
    built = f"nn.{name}({channels}"
    state = within_volume(STATISTICS) if name == "BatchNorm3d" else STATISTICS
    return Rule(
        f"torch.nn.{name}{BATCH}",
        f"nn.{name}{TARGET}",
        note=MOMENTUM,
        reject={"bias": NO_BIAS},
        state=state,
        example=(
            f"{built})({inputs})",
            f"layer = {built}, eps=1e-3, momentum=0.3)\nlayer({inputs})\nlayer.eval()\n"
            f"layer({inputs})",
            f"m, kept = 0.2, True\nlayer = {built}, momentum=m, track_running_stats=kept)\n"
            f"layer({inputs})\nlayer.eval()\nlayer({inputs})",
            f"layer = {built}, track_running_stats=False)\nlayer.eval()\nlayer({inputs})",
        ),
    ), Rule(
        f"torch.nn.{name}{BATCH}",
        f"compat.{name}(num_features, eps=eps, momentum=momentum, affine=affine, "
        "track_running_stats=track_running_stats, dtype=element_type(dtype))",
        reject={"bias": NO_BIAS},
        state=state,
        example=(
            f"{built}, affine=False)({inputs})",
            f"layer = {built}, 1e-3, 0.3, False)\nlayer({inputs})\nlayer.eval()\nlayer({inputs})",
        ),
    )


def instance(axes: int, inputs: str, channels: int) -> Rule:
    built = f"nn.InstanceNorm{axes}d({channels}"
    return Rule(
        f"torch.nn.InstanceNorm{axes}d{INSTANCE}",
        "nn.GroupNorm(num_features, num_features, eps=eps, affine=always(affine), "
        "dtype=element_type(dtype))",
        note="MindSpore's own layer has no CPU kernel: groups of one channel are the same.",
        reject={
            "track_running_stats": "InstanceNorm with running statistics has no counterpart",
            "bias": NO_BIAS,
        },
        drop=("momentum",),
        state=SCALED,
        example=(
            f"{built})({inputs})",
            f"{built}, affine=True, eps=1e-3)({inputs})",
        ),
    )


LAYER = (
    "torch.nn.LayerNorm(normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, "
    "device=None, dtype=None)"
)

HANDED_ON = (
    *of_class("BatchNorm1d", "3, momentum=0.3", "signal", state=STATISTICS),
    *of_class("BatchNorm2d", "3, eps=1e-3", "image", state=STATISTICS),
    *of_class(
        "BatchNorm3d",
        "2, 1e-3",
        "volume",
        state=within_volume(STATISTICS),
    ),
    *of_class("InstanceNorm1d", "3", "signal", state=SCALED),
    *of_class("InstanceNorm2d", "3, affine=True", "image", state=SCALED),
    *of_class("InstanceNorm3d", "2", "volume", state=SCALED),
    *of_class("LayerNorm", "4, eps=1e-6", "x", state=SCALED),
    *of_class("GroupNorm", "2, 4", "x", state=SCALED),
    *of_class("RMSNorm", "4, eps=1e-6", "x"),
)

RULES = (
    *batch("BatchNorm1d", "signal", 3),
    *batch("BatchNorm2d", "image", 3),
    *batch("BatchNorm3d", "volume", 2),
    Rule(
        "torch.nn.SyncBatchNorm(num_features, eps=1e-05, momentum=0.1, affine=True, "
        "track_running_stats=True, process_group=None, device=None, dtype=None, *, bias=True)",
        f"nn.SyncBatchNorm{TARGET.replace('momentum), ', 'momentum), affine=affine, ')}",
        note=MOMENTUM,
        reject={"process_group": "give process_groups, the ranks of every group"},
        platform="Ascend, several processes",
        state=STATISTICS,
    ),
    Rule(
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm(module, process_group=None)",
        advice="build the network with nn.SyncBatchNorm where it has nn.BatchNorm2d",
    ),
    Rule(
        LAYER,
        "nn.LayerNorm((normalized_shape,), epsilon=always(eps), dtype=element_type(dtype))",
        note="MindSpore's eps is 1e-7 unless given, and the shape is a tuple: both are written.",
        kinds={"normalized_shape": "int|"},
        state=SCALED,
        example=("nn.LayerNorm(4)(x)", "nn.LayerNorm(4, 1e-3)(a)"),
    ),
    Rule(
        LAYER,
        "compat.LayerNorm(normalized_shape, eps=eps, elementwise_affine=elementwise_affine, "
        "bias=bias, dtype=element_type(dtype))",
        state=SCALED,
        example=(
            "nn.LayerNorm((3, 4))(a)",
            "nn.LayerNorm([4])(x)",
            "nn.LayerNorm(4, elementwise_affine=False, eps=1e-6)(x)",
            "nn.LayerNorm(4, bias=False)(x)",
        ),
    ),
    Rule(
        "torch.nn.GroupNorm(num_groups, num_channels, eps=1e-05, affine=True, device=None, "
        "dtype=None, *, bias=True)",
        "nn.GroupNorm(num_groups, num_channels, eps=eps, affine=affine, dtype=element_type(dtype))",
        mint="mint.nn.GroupNorm(num_groups, num_channels, eps=eps, affine=affine, dtype=dtype)",
        state=SCALED,
        example=(
            "nn.GroupNorm(3, 3)(image)",
            "nn.GroupNorm(2, num_channels=4, eps=1e-3)(x)",
            "nn.GroupNorm(1, 3, affine=False)(signal)",
        ),
    ),
    instance(1, "signal", 3),
    instance(2, "image", 3),
    instance(3, "volume", 2),
    Rule(
        "torch.nn.RMSNorm(normalized_shape, eps=None, elementwise_affine=True, device=None, "
        "dtype=None)",
        "compat.RMSNorm(normalized_shape, eps=eps, elementwise_affine=elementwise_affine, "
        "dtype=element_type(dtype))",
        example=(
            "nn.RMSNorm(4)(x)",
            "nn.RMSNorm((3, 4), eps=1e-5)(a)",
            "nn.RMSNorm([4], elementwise_affine=False)(x)",
        ),
    ),
    Rule(
        "torch.nn.LocalResponseNorm(size, alpha=0.0001, beta=0.75, k=1.0)",
        "compat.LocalResponseNorm(size, alpha=alpha, beta=beta, k=k)",
        example=(
            "nn.LocalResponseNorm(3)(image)",
            "nn.LocalResponseNorm(2, alpha=0.1, beta=0.5, k=2.0)(signal)",
        ),
    ),
    *HANDED_ON,
)
