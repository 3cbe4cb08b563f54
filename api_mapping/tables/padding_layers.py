"""torch.nn: layers that pad."""

from ..rule import Rule

EXAMPLES = {1: "(1, 2))(signal)", 2: "(1, 2, 0, 1))(image)", 3: "(1, 1, 2, 2, 0, 1))(volume)"}
INPUTS = {1: "signal", 2: "image", 3: "volume"}


def same(layer: str, axes: int) -> Rule:
    name = f"nn.{layer}{axes}d"
    return Rule(
        f"torch.{name}(padding)",
        f"{name}(padding)",
        example=(f"{name}(1)({INPUTS[axes]})", f"{name}({EXAMPLES[axes]}"),
    )


def constant(axes: int) -> Rule:
    name = f"nn.ConstantPad{axes}d"
    return Rule(
        f"torch.{name}(padding, value)",
        f"{name}(padding, value)",
        example=(
            f"{name}(1, 0.5)({INPUTS[axes]})",
            f"{name}(value=2.0, padding={EXAMPLES[axes]}",
        ),
    )


def zero(axes: int) -> Rule:
    return Rule(
        f"torch.nn.ZeroPad{axes}d(padding)",
        f"nn.ConstantPad{axes}d(padding, 0.0)",
        note="MindSpore's layer that pads with a constant, the constant written out.",
        example=(f"nn.ZeroPad{axes}d(1)({INPUTS[axes]})", f"nn.ZeroPad{axes}d({EXAMPLES[axes]}"),
    )


def circular(axes: int) -> Rule:
    name = f"nn.CircularPad{axes}d"
    return Rule(
        f"torch.{name}(padding)",
        f"compat.CircularPad(padding, {axes})",
        example=(f"{name}(1)({INPUTS[axes]})", f"{name}({EXAMPLES[axes]}"),
    )


RULES = (
    *(same("ReflectionPad", axes) for axes in (1, 2, 3)),
    *(same("ReplicationPad", axes) for axes in (1, 2, 3)),
    *(constant(axes) for axes in (1, 2, 3)),
    *(circular(axes) for axes in (1, 2, 3)),
    same("ZeroPad", 2),
    zero(1),
    zero(3),
)
