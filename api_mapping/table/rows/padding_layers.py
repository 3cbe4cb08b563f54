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


def constant(axes: int) -> tuple[Rule, Rule]:
    name = f"nn.ConstantPad{axes}d"
    return (
        Rule(
            f"torch.{name}(padding, value)",
            f"{name}(padding, value)",
            kinds={"padding": "unsigned"},
            example=(
                f"{name}(1, 0.5)({INPUTS[axes]})",
                f"{name}(value=2.0, padding={EXAMPLES[axes]}",
            ),
        ),
        Rule(  # negative widths: see torch.nn.functional.pad
            f"torch.{name}(padding, value)",
            f"compat.ConstantPad(padding, value, {axes})",
            example=(
                f"{name}(-1, 0.5)({INPUTS[axes]})",
                f"k = 2\n{name}(k, value=0.5)({INPUTS[axes]})",
                twice(f"{name}((1, -2), 2.0)", INPUTS[axes]),
            ),
        ),
    )


def zero(axes: int) -> tuple[Rule, Rule]:
    name = f"nn.ZeroPad{axes}d"
    target = name if axes == 2 else f"nn.ConstantPad{axes}d"
    value = "" if axes == 2 else ", 0.0"
    note = "MindSpore's layer that pads with a constant, the constant written out."
    return (
        Rule(
            f"torch.{name}(padding)",
            f"{target}(padding{value})",
            note=note if value else "",
            kinds={"padding": "unsigned"},
            example=(f"{name}(1)({INPUTS[axes]})", f"{name}({EXAMPLES[axes]}"),
        ),
        Rule(  # negative widths: see torch.nn.functional.pad
            f"torch.{name}(padding)",
            f"compat.ConstantPad(padding, 0.0, {axes})",
            example=(
                twice(f"{name}((1, -1))", INPUTS[axes]),
                f"k = 2\n{name}(k)({INPUTS[axes]})",
            ),
        ),
    )


def twice(layer: str, inputs: str) -> str:
    """Of two calls the second is the one that MindSpore's kernel may have wrong."""
    return f"pad = {layer}\npad({inputs}), pad({inputs} * 2)"


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
    *(rule for axes in (1, 2, 3) for rule in constant(axes)),
    *(circular(axes) for axes in (1, 2, 3)),
    *(rule for axes in (1, 2, 3) for rule in zero(axes)),
)
