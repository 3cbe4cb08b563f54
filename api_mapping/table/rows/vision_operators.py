"""torchvision.ops: boxes, regions, and layers of vision networks."""

from ..families import missing
from ..rule import Check, Rule


def operator(
    signature: str,
    *examples: str,
    called: str = "",
    drop: tuple[str, ...] = (),
    check: Check = "value",
    **more: object,
) -> Rule:
    """A function or class of `compat` that is torchvision's once more, with its arguments."""
    rule = Rule(f"torchvision.ops.{signature}")
    refused = more.get("reject", {})
    handed = [
        p.name if p.default is None else f"{p.name}={p.name}"
        for p in rule.params
        if p.name not in drop and p.name not in refused  # type: ignore[operator]
    ]
    name = called or rule.name.rpartition(".")[2]
    module = rule.name.removeprefix("torchvision.ops.")
    return Rule(
        rule.signature,
        f"compat.{name}({', '.join(handed)})",
        drop=drop,
        check=check,
        returns="" if name[0].isupper() else "tensor",
        example=tuple(f"torchvision.ops.{module}{e}" if e[0] == "(" else e for e in examples),
        **more,  # type: ignore[arg-type]
    )


PAIR = "(boxes[:3], others)"
LOSSES = (PAIR, '(boxes[:3], others, reduction="mean")', '(boxes[:3], others, "sum", 1e-3)')

BOXES = (
    *(
        operator(f'{module}box_area(boxes, fmt="xyxy")', "(boxes)", '(boxes, fmt="xywh")')
        for module in ("", "boxes.")
    ),
    *(
        operator(
            f'{module}box_iou(boxes1, boxes2, fmt="xyxy")',
            "(boxes, others)",
            '(boxes, others, "cxcywh")',
        )
        for module in ("", "boxes.")
    ),
    operator(
        "box_convert(boxes, in_fmt, out_fmt)",
        *(
            f'(boxes, "{one}", "{other}")'
            for one in ("xyxy", "xywh", "cxcywh")
            for other in ("xyxy", "xywh", "cxcywh")
        ),
    ),
    operator("generalized_box_iou(boxes1, boxes2)", "(boxes, others)"),
    operator("distance_box_iou(boxes1, boxes2, eps=1e-07)", "(boxes, others)"),
    operator("complete_box_iou(boxes1, boxes2, eps=1e-07)", "(boxes, others)"),
    *(
        operator(f'{name}_box_iou_loss(boxes1, boxes2, reduction="none", eps=1e-07)', *LOSSES)
        for name in ("generalized", "distance", "complete")
    ),
    operator("clip_boxes_to_image(boxes, size)", "(boxes * 2 - 1, (7, 9))"),
    operator("remove_small_boxes(boxes, min_size)", "(boxes, 4.0)"),
    operator("masks_to_boxes(masks)", "(a > 0.8)", "(image[0] > 1.5)"),
    operator(
        "nms(boxes, scores, iou_threshold)",
        "(boxes, scores, 0.5)",
        "(boxes, scores, iou_threshold=0.1)",
    ),
    operator(
        "batched_nms(boxes, scores, idxs, iou_threshold)",
        "(boxes, scores, torch.tensor([0, 1, 1, 0]), 0.1)",
    ),
)

ALIGNED = {"aligned": "subtract 0.5 / spatial_scale from the corners of the boxes first"}

REGIONS = (
    operator(
        "roi_align(input, boxes, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=False)",
        "(image, [boxes[:2], boxes[2:]], (2, 3), 0.5, 2)",
        "(image, torch.cat((torch.zeros(4, 1), boxes / 2), 1), 2, sampling_ratio=1)",
        "slopes(lambda t: torchvision.ops.roi_align(t, [boxes[:2], boxes[2:]], (2, 3), 0.5, 2), "
        "image)",
        reject=ALIGNED,
        note="It needs a sampling_ratio above 0.",
    ),
    operator(
        "RoIAlign(output_size, spatial_scale, sampling_ratio, aligned=False)",
        "(2, 0.5, 2)(image, [boxes[:2], boxes[2:]])",
        reject=ALIGNED,
        note="It needs a sampling_ratio above 0.",
    ),
    *missing(
        "use compat.roi_align with a sampling_ratio: MindSpore has no maximum over regions",
        "torchvision.ops.roi_pool(input, boxes, output_size, spatial_scale=1.0)",
        "torchvision.ops.RoIPool(output_size, spatial_scale)",
    ),
    *missing(
        "on GPU ops.operations.nn_ops.PSROIPooling is near; elsewhere use compat.roi_align",
        "torchvision.ops.ps_roi_align(input, boxes, output_size, spatial_scale=1.0, "
        "sampling_ratio=-1)",
        "torchvision.ops.PSRoIAlign(output_size, spatial_scale, sampling_ratio)",
        "torchvision.ops.ps_roi_pool(input, boxes, output_size, spatial_scale=1.0)",
        "torchvision.ops.PSRoIPool(output_size, spatial_scale)",
    ),
    *missing(
        "use ops.deformable_conv2d(x, weight, offsets, ...): its offsets hold the mask, too, and "
        "are ordered x, y, mask",
        "torchvision.ops.deform_conv2d(input, offset, weight, bias=None, stride=(1, 1), "
        "padding=(0, 0), dilation=(1, 1), mask=None)",
        "torchvision.ops.DeformConv2d(in_channels, out_channels, kernel_size, stride=1, "
        "padding=0, dilation=1, groups=1, bias=True)",
    ),
    *missing(
        "convert the source with the model: torchvision/ops/poolers.py calls roi_align",
        "torchvision.ops.MultiScaleRoIAlign(featmap_names, output_size, sampling_ratio, *, "
        "canonical_scale=224, canonical_level=4)",
    ),
    *missing(
        "convert the source with the model: torchvision/ops/feature_pyramid_network.py",
        "torchvision.ops.FeaturePyramidNetwork(in_channels_list, out_channels, "
        "extra_blocks=None, norm_layer=None)",
    ),
)

NORMS = {
    f"1.{old}": f"1.{new}"
    for old, new in (
        *(("weight", "gamma"), ("bias", "beta")),
        *(("running_mean", "moving_mean"), ("running_var", "moving_variance")),
    )
}

LAYERS = (
    operator(
        'sigmoid_focal_loss(inputs, targets, alpha=0.25, gamma=2, reduction="none")',
        "(x, u)",
        '(x, u, alpha=-1, gamma=1.5, reduction="mean")',
        '(x, u, 0.3, 2, "sum")',
    ),
    operator(
        "stochastic_depth(input, p, mode, training=True)",
        '(x, 0.0, "row")',
        '(x, 1.0, "batch")',
        '(x, 0.5, "row", training=False)',
    ),
    operator("StochasticDepth(p, mode)", '(0.0, "row")(x)', '(1.0, mode="batch")(x)'),
    *(
        operator(
            f"drop_block{axes}d(input, p, block_size, inplace=False, eps=1e-06, training=True)",
            f"({tensor}, 0.0, 3)",
            f"({tensor}, 0.5, 3, training=False)",
            called="drop_block",
            drop=("inplace",),
        )
        for axes, tensor in ((2, "image"), (3, "volume"))
    ),
    *(
        operator(
            f"DropBlock{axes}d(p, block_size, inplace=False, eps=1e-06)",
            f"(0.0, 3)({tensor})",
            called="DropBlock",
            drop=("inplace",),
        )
        for axes, tensor in ((2, "image"), (3, "volume"))
    ),
    *(
        operator(f"{module}FrozenBatchNorm2d(num_features, eps=1e-05)", "(3)(image)")
        for module in ("", "misc.")
    ),
    operator("Permute(dims)", "([2, 0, 1])(a)"),
    operator(
        "SqueezeExcitation(input_channels, squeeze_channels, activation=torch.nn.ReLU, "
        "scale_activation=torch.nn.Sigmoid)",
        "(3, 2)(image)",
    ),
    *(
        operator(
            f"{module}Conv2dNormActivation(in_channels, out_channels, kernel_size=3, stride=1, "
            "padding=None, groups=1, norm_layer=torch.nn.BatchNorm2d, "
            "activation_layer=torch.nn.ReLU, dilation=1, inplace=True, bias=None)",
            "(3, 4)(image)",
            "(3, 6, kernel_size=5, stride=2, groups=3, activation_layer=None)(image)",
            "(3, 4, (3, 5), norm_layer=None, dilation=2)(image)",
            called="ConvNormActivation",
            drop=("inplace",),
            state=NORMS,
        )
        for module in ("", "misc.")
    ),
    *(
        Rule(
            f"torchvision.ops.{module}Conv3dNormActivation(in_channels, out_channels, "
            "kernel_size=3, stride=1, padding=None, groups=1, norm_layer=torch.nn.BatchNorm3d, "
            "activation_layer=torch.nn.ReLU, dilation=1, inplace=True, bias=None)",
            "compat.ConvNormActivation(in_channels, out_channels, kernel_size=kernel_size, "
            "stride=stride, padding=padding, groups=groups, norm_layer=nn.BatchNorm3d, "
            "activation_layer=activation_layer, dilation=dilation, bias=bias, "
            "conv_layer=nn.Conv3d)",
            reject={"norm_layer": "pass MindSpore's class to compat.ConvNormActivation"},
            drop=("inplace",),
            state={old: new.replace("1.", "1.bn2d.") for old, new in NORMS.items()},
            example=f"torchvision.ops.{module}Conv3dNormActivation(2, 4)(volume)",
        )
        for module in ("", "misc.")
    ),
    *missing(
        "write it as nn.SequentialCell of nn.Dense, norm and activation",
        "torchvision.ops.MLP(in_channels, hidden_channels, norm_layer=None, **config)",
    ),
)

RULES = (*BOXES, *REGIONS, *LAYERS)
