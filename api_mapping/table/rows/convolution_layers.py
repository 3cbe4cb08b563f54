"""torch.nn: convolutions, and the sums over windows that they are made of."""

from ..families import of_class
from ..rule import Rule

DEFAULTS = "MindSpore's defaults are pad_mode=\"same\" and no bias: PyTorch's are written out."
PARAMETERS = (
    "(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, "
    'bias=True, padding_mode="zeros", device=None, dtype=None)'
)
TRANSPOSED = (
    "(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, "
    'bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None)'
)
REST = "dilation=dilation, group=groups, has_bias=always(bias), dtype=element_type(dtype)"


def convolution(axes: int, *examples: str) -> tuple[Rule, ...]:
    """The rows of ConvNd: with zeros around, and (`padding_mode`) with values of the input."""
    kernel = "single(kernel_size), stride=single(stride), **padded_line(padding), "
    kernel += REST.replace("=dilation", "=single(dilation)")
    if axes > 1:
        kernel = f"kernel_size, stride=stride, **padded(padding), {REST}"
    of_input = ("reflect", "replicate", "circular")
    inputs = {1: "signal", 2: "image", 3: "volume"}[axes]
    channels = 2 if axes == 3 else 3
    return (
        Rule(
            f"torch.nn.Conv{axes}d{PARAMETERS}",
            f"nn.Conv{axes}d(in_channels, out_channels, {kernel})",
            mint=f"mint.nn.Conv{axes}d(in_channels, out_channels, kernel_size, stride=stride, "
            "padding=padding, dilation=dilation, groups=groups, bias=bias, dtype=dtype)",
            note=DEFAULTS,
            example=examples,
        ),
        Rule(
            f"torch.nn.Conv{axes}d{PARAMETERS}",
            f"compat.Conv{axes}d(in_channels, out_channels, kernel_size, stride=stride, "
            "padding=padding, dilation=dilation, groups=groups, bias=bias, "
            "padding_mode=padding_mode, dtype=element_type(dtype))",
            example=tuple(
                f'nn.Conv{axes}d({channels}, 4, 3, padding=1, padding_mode="{mode}")({inputs})'
                for mode in of_input
            ),
        ),
        *of_class(f"Conv{axes}d", f"{channels}, 4, kernel_size=3, padding=1", inputs),
    )


def transposed(axes: int, *examples: str) -> Rule:
    """The row of ConvTransposeNd."""
    kernel = {
        1: "single(kernel_size), stride=single(stride), **padded_line(padding), ",
        2: "kernel_size, stride=stride, **padded_output(padding, output_padding), ",
        3: "kernel_size, stride=stride, **padded_volume(padding, output_padding), "
        "output_padding=output_padding, ",
    }[axes] + (REST.replace("=dilation", "=single(dilation)") if axes == 1 else REST)
    return Rule(
        f"torch.nn.ConvTranspose{axes}d{TRANSPOSED}",
        f"nn.Conv{axes}dTranspose(in_channels, out_channels, {kernel})",
        mint="mint.nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride, "
        "padding=padding, output_padding=output_padding, groups=groups, bias=bias, "
        "dilation=dilation, dtype=dtype)"
        if axes == 2
        else "",
        note=DEFAULTS,
        reject={"padding_mode": "PyTorch itself takes nothing but zeros"},
        example=examples,
    )


CONVOLUTIONS = (
    *convolution(
        1,
        "nn.Conv1d(3, 4, 3)(signal)",
        "nn.Conv1d(3, 6, 3, stride=2, padding=2, dilation=2, groups=3, bias=False)(signal)",
        'nn.Conv1d(3, 4, (3,), padding="same")(signal)',
        "nn.Conv1d(3, 4, 5, 1, (2,))(signal)",
    ),
    *convolution(
        2,
        "nn.Conv2d(3, 4, 3)(image)",
        "nn.Conv2d(3, 6, kernel_size=3, stride=2, padding=1, groups=3, bias=False)(image)",
        "nn.Conv2d(3, 4, (3, 5), 1, (1, 2), dilation=(1, 1))(image)",
        'nn.Conv2d(3, 4, 4, padding="same")(image)',
        "k = 3\nnn.Conv2d(3, 4, k, padding=(k - 1) // 2)(image)",
        "p = (1, 2)\nnn.Conv2d(3, 4, 3, padding=p, bias=p is None)(image)",
        "t = None\nnn.Conv2d(3, 4, 3, 1, 1, dtype=t)(image)",
    ),
    *convolution(
        3,
        "nn.Conv3d(2, 4, 3)(volume)",
        "nn.Conv3d(2, 4, (1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1), bias=False)(volume)",
        "nn.Conv3d(2, 4, 3, padding=1)(volume)",
    ),
    transposed(
        1,
        "nn.ConvTranspose1d(3, 4, 3)(signal)",
        "nn.ConvTranspose1d(3, 4, 4, stride=2, padding=1, bias=False)(signal)",
    ),
    *of_class("ConvTranspose1d", "3, 4, 4, stride=2, padding=1", "signal"),
    transposed(
        2,
        "nn.ConvTranspose2d(3, 4, 3)(image)",
        "nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1)(image)",
        "p = 1\nnn.ConvTranspose2d(3, 4, 3, 2, p, output_padding=p)(image)",
        "p = (1, 2)\nnn.ConvTranspose2d(3, 4, 3, 2, p)(image)",
        "nn.ConvTranspose2d(3, 6, (4, 2), (2, 1), (1, 0), groups=3, bias=False)(image)",
    ),
    *of_class("ConvTranspose2d", "3, 4, 3, stride=2, padding=1, output_padding=1", "image"),
    transposed(
        3,
        "nn.ConvTranspose3d(2, 4, 3)(volume)",
        "nn.ConvTranspose3d(2, 4, 3, stride=2, padding=(1, 1, 0), output_padding=1)(volume)",
    ),
    *of_class(
        "ConvTranspose3d", "2, 4, 3, stride=2, padding=(1, 1, 0), output_padding=1", "volume"
    ),
)

WINDOWS = (
    Rule(
        "torch.nn.Unfold(kernel_size, dilation=1, padding=0, stride=1)",
        "compat.Unfold(kernel_size, dilation=dilation, padding=padding, stride=stride)",
        example=(
            "nn.Unfold(3)(image)",
            "nn.Unfold((2, 3), dilation=2, padding=1, stride=2)(image)",
        ),
    ),
    Rule(
        "torch.nn.Fold(output_size, kernel_size, dilation=1, padding=0, stride=1)",
        "compat.Fold(output_size, kernel_size, dilation=dilation, padding=padding, stride=stride)",
        example=(
            "nn.Fold(8, 2, stride=2)(image.reshape(2, 12, 16))",
            "nn.Fold((4, 8), (2, 2), stride=2)(image.reshape(2, 24, 8))",
        ),
    ),
)

RULES = (*CONVOLUTIONS, *WINDOWS)
