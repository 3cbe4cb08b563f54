"""torch.nn.functional: padding, resizing, sampling and rearranging of images."""

from ..rule import Rule

RESIZING = (
    Rule(
        "torch.nn.functional.interpolate(input, size, scale_factor=None, mode='nearest', "
        "align_corners=None, recompute_scale_factor=None, antialias=False)",
        "ops.interpolate(input, size=size, mode=resizing(mode), align_corners=align_corners)",
        note="MindSpore's bicubic weights are others: that mode is not computed by this call.",
        drop=("recompute_scale_factor",),
        example=(
            "F.interpolate(image, size=(5, 6))",
            "F.interpolate(image, (12, 9), mode='bilinear', align_corners=False)",
            "F.interpolate(image, size=(12, 9), mode='bilinear', align_corners=True)",
            "F.interpolate(signal, size=9, mode='linear')",
            "F.interpolate(volume, size=(3, 4, 9), mode='trilinear', align_corners=True)",
            "F.interpolate(image, size=(5, 6), mode='area')",
            "F.interpolate(image, size=(5, 12), mode='nearest-exact')",
        ),
    ),
    Rule(
        "torch.nn.functional.interpolate(input, size=None, scale_factor=None, mode='nearest', "
        "align_corners=None, recompute_scale_factor=None, antialias=False)",
        "compat.interpolate(input, size=size, scale_factor=scale_factor, mode=mode, "
        "align_corners=align_corners, recompute_scale_factor=recompute_scale_factor, "
        "antialias=antialias)",
        example=(
            "F.interpolate(image, size=13, mode='bicubic')",
            "F.interpolate(image, (5, 9), mode='bicubic', align_corners=True)",
            "F.interpolate(image, scale_factor=2)",
            "F.interpolate(image, scale_factor=0.7)",
            "F.interpolate(image, scale_factor=(1.3, 0.6), mode='bilinear')",
            "F.interpolate(image, scale_factor=2.0, mode='bilinear', align_corners=True)",
            "F.interpolate(image, scale_factor=1.7, mode='bilinear', recompute_scale_factor=True)",
            "F.interpolate(image, scale_factor=2.3, mode='bicubic', align_corners=False)",
            "F.interpolate(image, size=(5, 4), mode='bilinear', antialias=True)",
            "F.interpolate(image, (3, 12), mode='bicubic', antialias=True)",
            "F.interpolate(signal, scale_factor=0.5, mode='nearest')",
            "F.interpolate(volume, scale_factor=(1, 1.5, 2.2), mode='trilinear')",
            "F.interpolate(image, size=None, scale_factor=0.5, mode='area')",
            "F.interpolate(image, scale_factor=0.7, mode='nearest-exact')",
            "F.interpolate((image.abs() * 40).byte(), scale_factor=2, mode='bilinear')",
            "F.interpolate((image.abs() * 40).byte(), (3, 12), mode='bicubic', antialias=True)",
        ),
        note="Of uint8 a value may be 1 off: PyTorch's weights have 15 bits.",
    ),
    Rule(
        "torch.nn.functional.upsample(input, size=None, scale_factor=None, mode='nearest', "
        "align_corners=None)",
        "compat.interpolate(input, size=size, scale_factor=scale_factor, mode=mode, "
        "align_corners=align_corners)",
        example=("F.upsample(image, (9, 7))", "F.upsample(image, scale_factor=3, mode='bilinear')"),
    ),
    Rule(
        "torch.nn.functional.upsample_nearest(input, size=None, scale_factor=None)",
        "compat.interpolate(input, size=size, scale_factor=scale_factor)",
        example=("F.upsample_nearest(image, 11)", "F.upsample_nearest(image, scale_factor=2)"),
    ),
    Rule(
        "torch.nn.functional.upsample_bilinear(input, size=None, scale_factor=None)",
        'compat.interpolate(input, size=size, scale_factor=scale_factor, mode="bilinear", '
        "align_corners=True)",
        example=("F.upsample_bilinear(image, 11)", "F.upsample_bilinear(image, scale_factor=2)"),
    ),
)

SAMPLING = (
    Rule(
        "torch.nn.functional.grid_sample(input, grid, mode='bilinear', padding_mode='zeros', "
        "align_corners=None)",
        "ops.grid_sample(input, grid, mode=mode, padding_mode=padding_mode, "
        "align_corners=align_corners)",
        mint="mint.nn.functional.grid_sample(input, grid, mode=mode, padding_mode=padding_mode, "
        "align_corners=align_corners)",
        example=(
            "F.grid_sample(image, a[:, :, :, None].expand(2, 3, 4, 2))",
            "F.grid_sample(image, image[:, :2].permute(0, 2, 3, 1), mode='nearest', "
            "padding_mode='border', align_corners=True)",
            "F.grid_sample(image, image[:, :2].permute(0, 2, 3, 1), padding_mode='reflection')",
        ),
    ),
    Rule(
        "torch.nn.functional.affine_grid(theta, size, align_corners=None)",
        "ops.affine_grid(theta, axes(size), align_corners)",
        example=(
            "F.affine_grid(a[:, :2, :3], (2, 3, 5, 6))",
            "F.affine_grid(a[:, :2, :3], [2, 3, 5, 6])",
            "F.affine_grid(a[:, :2, :3], image.shape, align_corners=True)",
        ),
    ),
)

REARRANGING = (
    Rule(
        "torch.nn.functional.pad(input, pad, mode='constant', value=None)",
        "ops.pad(input, pad, mode=mode, value=value)",
        mint="mint.nn.functional.pad(input, pad, mode=mode, value=value)",
        kinds={"pad": "unsigned"},
        example=(
            "F.pad(x, (1, 2))",
            "F.pad(image, [1, 1, 0, 2], mode='constant', value=3)",
            "F.pad(image, (1, 2, 0, 1), mode='reflect')",
            "F.pad(signal, (1, 2), 'replicate')",
            "F.pad(image, (1, 2, 0, 1), mode='circular')",
            "F.pad(i, (0, 1), value=-1)",
            "F.pad(b, (0, 1), value=True)",
            "F.pad(h, (0, 1, 2, 3), value=0.5)",
        ),
    ),
    Rule(  # negative widths: MindSpore's kernel gives the result of its first call once more
        "torch.nn.functional.pad(input, pad, mode='constant', value=None)",
        "compat.pad(input, pad, mode=mode, value=value)",
        mint="mint.nn.functional.pad(input, pad, mode=mode, value=value)",
        example=(
            "F.pad(image, (-1, 1, 2, 0))",
            "F.pad(image, (-1, 1, 2, 0)), F.pad(image + 1, (-1, 1, 2, 0))",
            "F.pad(x, (x.shape[0], 1 - x.shape[0]), value=2.0)",
            "F.pad(signal, (-1, -2, 1, 0), mode='reflect')",
            "slopes(lambda t: (F.pad(t, (-1, 1, 2, -2)) + F.pad(2 * t, (-1, 1, 2, -2))) ** 2, x)",
        ),
    ),
    Rule(
        "torch.nn.functional.pixel_shuffle(input, upscale_factor)",
        "ops.pixel_shuffle(input, upscale_factor)",
        mint="mint.nn.functional.pixel_shuffle(input, upscale_factor)",
        example="F.pixel_shuffle(image.reshape(2, 12, 4, 4), 2)",
    ),
    Rule(
        "torch.nn.functional.pixel_unshuffle(input, downscale_factor)",
        "ops.pixel_unshuffle(input, downscale_factor)",
        example="F.pixel_unshuffle(image, 2)",
    ),
    *(
        Rule(  # ops.channel_shuffle has no gradient
            f"torch.nn.functional.{name}(input, groups)",
            "compat.channel_shuffle(input, groups)",
            example=f"F.{name}(image.reshape(2, 12, 4, 4), 3)",
        )
        for name in ("channel_shuffle", "native_channel_shuffle")
    ),
)

RULES = (*RESIZING, *SAMPLING, *REARRANGING)
