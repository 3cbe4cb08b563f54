"""torch.nn: pooling, and its way back."""

from ..families import of_class
from ..rule import Rule

STRIDE = "MindSpore's stride is 1 unless given: PyTorch's, the kernel's size, is written out."
INPUTS = {1: "signal", 2: "image", 3: "volume"}


def maximum(axes: int, *examples: str) -> Rule:
    size = "single(kernel_size)" if axes == 1 else "kernel_size"
    return Rule(
        f"torch.nn.MaxPool{axes}d(kernel_size, stride=None, padding=0, dilation=1, "
        "return_indices=False, ceil_mode=False)",
        f"nn.MaxPool{axes}d({size}, **window(kernel_size, stride, padding, dilation, "
        "return_indices, ceil_mode), dilation=dilation, return_indices=return_indices, "
        "ceil_mode=ceil_mode)",
        note=STRIDE,
        example=examples,
    )


def average(axes: int, *examples: str) -> Rule:
    size = "single(kernel_size)" if axes == 1 else "kernel_size"
    divisor = "" if axes == 1 else ", divisor_override=None"
    handed = divisor and ", divisor_override=divisor_override"
    return Rule(
        f"torch.nn.AvgPool{axes}d(kernel_size, stride=None, padding=0, ceil_mode=False, "
        f"count_include_pad=True{divisor})",
        f"nn.AvgPool{axes}d({size}, **window(kernel_size, stride, padding, ceil_mode"
        f"{', divisor_override' if divisor else ''}), "
        f"ceil_mode=ceil_mode, count_include_pad=count_include_pad{handed})",
        note=STRIDE,
        example=examples,
    )


def adaptive(kind: str, axes: int, *examples: str) -> Rule:
    indices = ", return_indices=False" if kind == "Max" else ""
    handed = ", return_indices=return_indices" if (kind, axes) == ("Max", 2) else ""
    return Rule(
        f"torch.nn.Adaptive{kind}Pool{axes}d(output_size{indices})",
        f"nn.Adaptive{kind}Pool{axes}d(output_size{handed})",
        reject={"return_indices": "its indices are int32 on MindSpore"}
        if axes == 3 and indices
        else {},
        example=examples,
    )


def adaptive_line(kind: str) -> tuple[Rule, ...]:
    """The rows of 1-D: MindSpore's own layer divides a length only without rest."""
    indices = ", return_indices=False" if kind == "Max" else ""
    advice = {"return_indices": "pool with AdaptiveMaxPool2d((1, n)): it gives indices"}
    name = f"Adaptive{kind}Pool1d"
    return (
        Rule(
            f"torch.nn.{name}(output_size{indices})",
            f"nn.{name}(one(output_size))",
            reject=advice if indices else {},
            example=f"nn.{name}(1)(signal)",
        ),
        Rule(
            f"torch.nn.{name}(output_size{indices})",
            f"compat.{name}(output_size)",
            reject=advice if indices else {},
            example=(f"nn.{name}(3)(signal)", f"nn.{name}((5,))(signal)"),
        ),
    )


def power(axes: int) -> Rule:
    name = f"nn.LPPool{axes}d"
    module = "compat" if axes == 3 else "nn"
    return Rule(
        f"torch.{name}(norm_type, kernel_size, stride=None, ceil_mode=False)",
        f"{module}.LPPool{axes}d(norm_type, kernel_size, stride=stride, ceil_mode=ceil_mode)",
        example=(
            f"{name}(2, 2)({INPUTS[axes]})",
            f"{name}(2.0, 3, stride=2, ceil_mode=True)({INPUTS[axes]}.abs())",
        ),
    )


def unpooling(axes: int) -> Rule:
    name, pool = f"nn.MaxUnpool{axes}d", f"nn.MaxPool{axes}d"
    return Rule(
        f"torch.{name}(kernel_size, stride=None, padding=0)",
        f"{name}(kernel_size, stride=stride, padding=padding)",
        example=f"layer = {pool}(2, return_indices=True)\n{name}(2)(*layer({INPUTS[axes]}))",
    )


def fractional(axes: int) -> Rule:
    name = f"nn.FractionalMaxPool{axes}d"
    return Rule(
        f"torch.{name}(kernel_size, output_size=None, output_ratio=None, return_indices=False)",
        f"{name}(kernel_size, output_size=output_size, output_ratio=output_ratio, "
        "return_indices=return_indices)",
        check="dtype",
        example=(
            f"{name}(2, output_size=2)({INPUTS[axes]})",
            f"{name}(2, output_ratio=({', '.join(['0.5'] * axes)}))({INPUTS[axes]})",
        ),
    )


POOLS = (
    maximum(
        1,
        "nn.MaxPool1d(2)(signal)",
        "nn.MaxPool1d(3, stride=2, padding=1, ceil_mode=True)(signal)",
        "nn.MaxPool1d((3,), 1)(signal)",
    ),
    maximum(
        2,
        "nn.MaxPool2d(2)(image)",
        "nn.MaxPool2d(kernel_size=3, stride=2, padding=1)(image)",
        "nn.MaxPool2d((3, 2), (2, 1), (1, 0), ceil_mode=True)(image)",
        "nn.MaxPool2d(2, dilation=2)(image)",
        "s = None\nnn.MaxPool2d(2, s)(image)",
        "p = 1\nnn.MaxPool2d(3, padding=p)(image)",
        "nn.MaxPool2d(2, return_indices=True)(image)",
    ),
    maximum(
        3,
        "nn.MaxPool3d(2)(volume)",
        "nn.MaxPool3d((1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1))(volume)",
        "nn.MaxPool3d(3, 2, ceil_mode=True)(volume)",
    ),
    average(
        1,
        "nn.AvgPool1d(2)(signal)",
        "nn.AvgPool1d(3, 2, padding=1)(signal)",
        "nn.AvgPool1d(3, 2, padding=1, count_include_pad=False)(signal)",
        "nn.AvgPool1d(3, 2, ceil_mode=True)(signal)",
    ),
    average(
        2,
        "nn.AvgPool2d(2)(image)",
        "nn.AvgPool2d((3, 2), 2, (1, 0))(image)",
        "nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False)(image)",
        "nn.AvgPool2d(3, stride=2, divisor_override=2)(image)",
    ),
    average(
        3,
        "nn.AvgPool3d(2)(volume)",
        "nn.AvgPool3d(3, 2, padding=1, count_include_pad=False)(volume)",
        "nn.AvgPool3d(3, 2, padding=(1, 0, 1))(volume)",
    ),
)

HANDED_ON = (
    *of_class("MaxPool2d", "3, 2, padding=1", "image"),
    *of_class("AvgPool2d", "3, padding=1", "image"),
)

ADAPTIVE = (
    *adaptive_line("Avg"),
    adaptive(
        "Avg",
        2,
        "nn.AdaptiveAvgPool2d(1)(image)",
        "nn.AdaptiveAvgPool2d((3, 5))(image)",
        "nn.AdaptiveAvgPool2d((None, 3))(image)",
    ),
    adaptive(
        "Avg", 3, "nn.AdaptiveAvgPool3d(1)(volume)", "nn.AdaptiveAvgPool3d((2, None, 4))(volume)"
    ),
    *adaptive_line("Max"),
    adaptive(
        "Max",
        2,
        "nn.AdaptiveMaxPool2d(1)(image)",
        "nn.AdaptiveMaxPool2d((3, 5))(image)",
        "nn.AdaptiveMaxPool2d((None, 3), return_indices=True)(image)",
    ),
    adaptive(
        "Max", 3, "nn.AdaptiveMaxPool3d(1)(volume)", "nn.AdaptiveMaxPool3d((2, 3, 4))(volume)"
    ),
)

RULES = (
    *POOLS,
    *HANDED_ON,
    *ADAPTIVE,
    *(power(axes) for axes in (1, 2, 3)),
    *(unpooling(axes) for axes in (1, 2, 3)),
    *(fractional(axes) for axes in (2, 3)),
)
