"""torch.nn.functional: pools."""

from dataclasses import replace

from ..rule import Rule

BATCH = "MindSpore's takes inputs with a batch axis only."
STRIDE = "MindSpore's default stride is 1, PyTorch's the kernel size; inputs need a batch axis."
AVERAGE = "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True"
COUNTED = "ceil_mode=ceil_mode, count_include_pad=count_include_pad"
MAXIMUM = "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False"
FRACTION = "input, kernel_size, output_size=None, output_ratio=None"
WINDOW = (
    "kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode, "
    "return_indices=return_indices"
)


def average_pool(axes: int, *examples: str) -> Rule:
    name = f"avg_pool{axes}d"
    handed = f"{COUNTED}, divisor_override=divisor_override"
    return Rule(
        f"torch.nn.functional.{name}(input, {AVERAGE}, divisor_override=None)",
        f"ops.{name}(input, kernel_size, either(stride, kernel_size), padding=sides(padding), "
        f"{handed})",
        mint=f"mint.nn.functional.{name}(input, kernel_size, stride=stride, padding=padding, "
        f"{handed})",
        note=STRIDE,
        example=examples,
    )


def maximum_pool(rule: Rule) -> tuple[Rule, Rule]:
    """The row of a pool, and of its form that gives indices in any case."""
    name = rule.name.rpartition(".")[2]
    indexed = f"{name}_with_indices"
    target = rule.target.replace("=return_indices", "=True")
    signature = rule.signature.replace(f".{name}(", f".{indexed}(")
    examples = tuple(
        example.replace(name, indexed).replace(", return_indices=True", "")
        for example in rule.examples
    )
    note = " ".join(filter(None, ("MindSpore's says so by return_indices=True.", rule.note)))
    both = replace(rule, signature=signature, target=target, mint="", note=note, example=examples)
    return rule, replace(both, returns="tensors")


AVERAGES = (
    Rule(
        f"torch.nn.functional.avg_pool1d(input, {AVERAGE})",
        f"compat.avg_pool1d(input, kernel_size, stride=stride, padding=padding, {COUNTED})",
        mint="mint.nn.functional.avg_pool1d(input, kernel_size, stride=stride, padding=padding, "
        f"{COUNTED})",
        example=(
            "F.avg_pool1d(signal, 3)",
            "F.avg_pool1d(a, 2)",
            "F.avg_pool1d(signal, 3, 2, padding=1, ceil_mode=True, count_include_pad=False)",
        ),
    ),
    average_pool(
        2,
        "F.avg_pool2d(image, 2)",
        "F.avg_pool2d(image, (3, 2), (2, 1), (1, 0), True, count_include_pad=False)",
        "F.avg_pool2d(image, kernel_size=3, stride=1, padding=1, divisor_override=5)",
    ),
    average_pool(
        3,
        "F.avg_pool3d(volume, 2)",
        "F.avg_pool3d(volume, (2, 3, 2), stride=(1, 2, 2), padding=(1, 1, 0), ceil_mode=True)",
    ),
    Rule(  # ops.adaptive_avg_pool1d needs a length divisible by output_size
        "torch.nn.functional.adaptive_avg_pool1d(input, output_size)",
        "ops.adaptive_avg_pool2d(input.expand_dims(-2), (1, output_size)).squeeze(-2)",
        mint="mint.nn.functional.adaptive_avg_pool1d(input, output_size)",
        example=("F.adaptive_avg_pool1d(signal, 4)", "F.adaptive_avg_pool1d(signal, 5)"),
    ),
    Rule(
        "torch.nn.functional.adaptive_avg_pool2d(input, output_size)",
        "ops.adaptive_avg_pool2d(input, output_size)",
        mint="mint.nn.functional.adaptive_avg_pool2d(input, output_size)",
        example=(
            "F.adaptive_avg_pool2d(image, 1)",
            "F.adaptive_avg_pool2d(image, (5, None))",
            "F.adaptive_avg_pool2d(a, (2, 3))",
        ),
    ),
    Rule(
        "torch.nn.functional.adaptive_avg_pool3d(input, output_size)",
        "ops.adaptive_avg_pool3d(input, output_size)",
        mint="mint.nn.functional.adaptive_avg_pool3d(input, output_size)",
        example=("F.adaptive_avg_pool3d(volume, 2)", "F.adaptive_avg_pool3d(volume, (3, None, 4))"),
    ),
)

MAXIMA = (
    *maximum_pool(
        Rule(
            f"torch.nn.functional.max_pool1d({MAXIMUM}, return_indices=False)",
            f"compat.max_pool1d(input, {WINDOW})",
            example=(
                "F.max_pool1d(signal, 3)",
                "F.max_pool1d(signal, 3, 2, padding=1, dilation=2, return_indices=True)",
            ),
        )
    ),
    *maximum_pool(
        Rule(
            f"torch.nn.functional.max_pool2d({MAXIMUM}, return_indices=False)",
            f"ops.max_pool2d(input, {WINDOW})",
            mint=f"mint.nn.functional.max_pool2d(input, {WINDOW})",
            note=BATCH,
            example=(
                "F.max_pool2d(image, 2)",
                "F.max_pool2d(image, (3, 2), (2, 1), 1, ceil_mode=True, return_indices=True)",
                "F.max_pool2d(image, kernel_size=2, stride=2, dilation=2)",
            ),
        )
    ),
    *maximum_pool(
        Rule(
            f"torch.nn.functional.max_pool3d({MAXIMUM}, return_indices=False)",
            f"ops.max_pool3d(input, {WINDOW})",
            note=BATCH,
            example=(
                "F.max_pool3d(volume, 2)",
                "F.max_pool3d(volume, (1, 2, 2), 2, (0, 1, 1), return_indices=True)",
            ),
        )
    ),
    *maximum_pool(
        Rule(  # ops.adaptive_max_pool1d needs a length divisible by output_size
            "torch.nn.functional.adaptive_max_pool1d(input, output_size, return_indices=False)",
            "compat.adaptive_max_pool1d(input, output_size, return_indices=return_indices)",
            mint="mint.nn.functional.adaptive_max_pool1d(input, output_size, "
            "return_indices=return_indices)",
            example=(
                "F.adaptive_max_pool1d(signal, 5)",
                "F.adaptive_max_pool1d(signal, 5, return_indices=True)",
            ),
        )
    ),
    *maximum_pool(
        Rule(
            "torch.nn.functional.adaptive_max_pool2d(input, output_size, return_indices=False)",
            "ops.adaptive_max_pool2d(input, output_size, return_indices=return_indices)",
            mint="mint.nn.functional.adaptive_max_pool2d(input, output_size, "
            "return_indices=return_indices)",
            example=(
                "F.adaptive_max_pool2d(image, 1)",
                "F.adaptive_max_pool2d(image, (5, 3), return_indices=True)",
            ),
        )
    ),
    Rule(
        "torch.nn.functional.adaptive_max_pool3d(input, output_size)",
        "ops.adaptive_max_pool3d(input, output_size)",
        example=("F.adaptive_max_pool3d(volume, 2)", "F.adaptive_max_pool3d(volume, (3, 2, 4))"),
    ),
    Rule(
        "torch.nn.functional.adaptive_max_pool3d(input, output_size, return_indices)",
        "compat.adaptive_max_pool3d(input, output_size, return_indices)",
        example="F.adaptive_max_pool3d(volume, 2, True)",
    ),
    Rule(
        "torch.nn.functional.adaptive_max_pool3d_with_indices(input, output_size)",
        "compat.adaptive_max_pool3d(input, output_size, True)",
        returns="tensors",
        example="F.adaptive_max_pool3d_with_indices(volume, (2, 3, 4))",
    ),
)


def fractional_pool(axes: int, value: str) -> tuple[Rule, Rule]:
    name = f"fractional_max_pool{axes}d"
    handed = (
        "output_size=output_size, output_ratio=output_ratio, return_indices=return_indices, "
        "_random_samples=_random_samples"
    )
    rule = Rule(
        f"torch.nn.functional.{name}({FRACTION}, return_indices=False, _random_samples=None)",
        f"ops.{name}(input, kernel_size, {handed})",
        example=(
            f"F.{name}({value}, 2, output_ratio={(0.5,) * axes})",
            f"F.{name}({value}, 2, output_size=2, return_indices=True)",
        ),
        check="dtype",
    )
    return maximum_pool(rule)


def unpool(axes: int, *examples: str) -> Rule:
    arguments = "indices, kernel_size, stride=None, padding=0, output_size=None"
    handed = "indices, kernel_size, stride=stride, padding=padding, output_size=output_size"
    return Rule(
        f"torch.nn.functional.max_unpool{axes}d(input, {arguments})",
        f"ops.max_unpool{axes}d(input, {handed})",
        mint=f"mint.nn.functional.max_unpool2d(input, {handed})" if axes == 2 else "",
        example=examples,
    )


def p_norm_pool(axes: int, called: str, *examples: str) -> Rule:
    arguments = "input, norm_type, kernel_size, stride=None, ceil_mode=False"
    return Rule(
        f"torch.nn.functional.lp_pool{axes}d({arguments})",
        f"{called}(input, norm_type, kernel_size, stride=stride, ceil_mode=ceil_mode)",
        example=examples,
    )


OTHERS = (
    *fractional_pool(2, "image"),
    *fractional_pool(3, "volume"),
    unpool(
        1,
        "t, n = F.max_pool1d(signal, 2, return_indices=True)\nF.max_unpool1d(t, n, 2)",
    ),
    unpool(
        2,
        "t, n = F.max_pool2d(image, 2, return_indices=True)\nF.max_unpool2d(t, n, 2)",
        "t, n = F.max_pool2d(image, 3, 2, return_indices=True)\n"
        "F.max_unpool2d(t, n, 3, stride=2, output_size=(8, 8))",
    ),
    unpool(
        3,
        "t, n = F.max_pool3d(volume, 2, return_indices=True)\nF.max_unpool3d(t, n, 2)",
    ),
    p_norm_pool(
        1, "ops.lp_pool1d", "F.lp_pool1d(signal, 2, 3)", "F.lp_pool1d(signal, 2, 3, 2, True)"
    ),
    p_norm_pool(
        2, "ops.lp_pool2d", "F.lp_pool2d(image, 2, 2)", "F.lp_pool2d(image, 2.0, (3, 2), stride=2)"
    ),
    p_norm_pool(
        3,
        "compat.lp_pool3d",
        "F.lp_pool3d(volume, 2, 2)",
        "F.lp_pool3d(volume, 2, (1, 2, 3), stride=2)",
    ),
)

RULES = (*AVERAGES, *MAXIMA, *OTHERS)
