"""torch.nn.functional: linear maps, convolutions, patches."""

from ..rule import Rule

BATCH = "MindSpore convolves float32 and float16, with a batch axis."
TRANSPOSED = "input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1"


def convolution(axes: int, *examples: str) -> Rule:
    arguments = "input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1"
    return Rule(
        f"torch.nn.functional.conv{axes}d({arguments})",
        f"ops.conv{axes}d(input, weight, bias, stride=stride, **convolved(padding), "
        "dilation=dilation, groups=groups)",
        mint=f"mint.nn.functional.conv{axes}d(input, weight, bias, stride=stride, "
        "padding=padding, dilation=dilation, groups=groups)",
        note=BATCH,
        example=examples,
    )


def transposed_convolution(axes: int, *examples: str) -> Rule:
    arguments = (
        "(input, weight, bias, stride=stride, padding=padding, output_padding=output_padding, "
        "groups=groups, dilation=dilation)"
    )
    return Rule(
        f"torch.nn.functional.conv_transpose{axes}d({TRANSPOSED})",
        f"compat.conv_transpose{arguments}",
        mint=f"mint.nn.functional.conv_transpose2d{arguments}" if axes == 2 else "",
        note=BATCH,
        example=examples,
    )


CONVOLUTIONS = (
    convolution(
        1,
        "F.conv1d(signal, a[:, :3, :3])",
        "F.conv1d(signal, a[:, :3, :3], v[:2], 2, padding=1)",
        "F.conv1d(signal, a[:, :3, :3], padding='same', dilation=2)",
    ),
    convolution(
        2,
        "F.conv2d(image, image[:, :, :3, :2])",
        "F.conv2d(image, image[:, :, :3, :2], v[:2], stride=(2, 1), padding=(1, 2), dilation=2)",
        "F.conv2d(image, image[:, :, :3, :3], padding='same')",
    ),
    convolution(
        3,
        "F.conv3d(volume, volume[:, :, :2, :3, :3])",
        "F.conv3d(volume, volume[:, :, :2, :3, :3], v[:1], 1, (1, 0, 2))",
    ),
    transposed_convolution(
        1,
        "F.conv_transpose1d(signal, a[:, :3].swapaxes(0, 1), stride=2, padding=1)",
        "F.conv_transpose1d(signal, e[0, :3, None], v[:1], 3, 0, output_padding=2)",
    ),
    transposed_convolution(
        2,
        "F.conv_transpose2d(image, image[:1, :3, :4, :3].swapaxes(0, 1))",
        "F.conv_transpose2d(image, image[0, :, None, :3, :2], v[:3], stride=(2, 3), padding=1, "
        "output_padding=(1, 2), groups=3, dilation=2)",
    ),
    transposed_convolution(
        3,
        "F.conv_transpose3d(volume, volume[:, :, :2, :3, :3].swapaxes(0, 1), stride=2, padding=1)",
        "slopes(lambda s, t: F.conv_transpose3d(s, t, stride=2, padding=1) + "
        "F.conv_transpose3d(2 * s, t, stride=2, padding=1) ** 2, volume / 9, e[:, :2, None, None])",
    ),
    Rule(
        "torch.nn.functional.conv_tbc(self, weight, bias, pad=0)",
        "ops.conv1d(self.transpose(1, 2, 0), weight.transpose(2, 1, 0), bias, "
        "**convolved(pad)).transpose(2, 0, 1)",
        mint="mint.conv_tbc(self, weight, bias, pad)",
        example="F.conv_tbc(e, e[:, :2].swapaxes(1, 2), v[:2], 1)",
    ),
)

PATCHES = (
    Rule(
        "torch.nn.functional.unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
        "ops.unfold(input, kernel_size, dilation=dilation, padding=padding, stride=stride)",
        mint="mint.nn.functional.unfold(input, kernel_size, dilation=dilation, padding=padding, "
        "stride=stride)",
        example=("F.unfold(image, 3)", "F.unfold(image, (3, 2), dilation=2, padding=1, stride=2)"),
    ),
    Rule(
        "torch.nn.functional.fold(input, output_size, kernel_size, dilation=1, padding=0, "
        "stride=1)",
        "compat.fold(input, output_size, kernel_size, dilation=dilation, padding=padding, "
        "stride=stride)",
        mint="mint.nn.functional.fold(input, output_size, kernel_size, dilation=dilation, "
        "padding=padding, stride=stride)",
        example=(
            "F.fold(image.reshape(2, 12, 16), (5, 5), 2)",
            "F.fold(image.reshape(2, 12, 16), 8, (2, 2), stride=2)",
        ),
    ),
)

LINEAR_MAPS = (
    Rule(
        "torch.nn.functional.linear(input, weight, bias=None)",
        "ops.dense(input, weight, bias)",
        mint="mint.nn.functional.linear(input, weight, bias)",
        example=("F.linear(x, m)", "F.linear(a, m, v)", "F.linear(v, m, bias=w)"),
    ),
    Rule(
        "torch.nn.functional.bilinear(input1, input2, weight, bias=None)",
        "ops.bidense(input1, input2, weight, bias)",
        example=("F.bilinear(x, y, m[:, :, None] * v)", "F.bilinear(x, y, m[:, :, None] * v, v)"),
    ),
)

RULES = (*CONVOLUTIONS, *PATCHES, *LINEAR_MAPS)
