"""torch.nn.init: every initialiser as new data of the parameter."""

from dataclasses import replace

from ..rule import Rule

NOTE = "MindSpore makes the values anew: a Parameter is set to them, another Tensor filled."
GAINS = " MindSpore knows the gains of sigmoid, tanh, relu, leaky_relu and linear maps."
MADE = (
    "parameter(tensor).set_data(ms.common.initializer.initializer(ms.common.initializer.{}, "
    "parameter(tensor).shape, parameter(tensor).dtype))"
)


def rows(
    signature: str, of_parameter: str, of_tensor: str, *examples: str, note: str = ""
) -> tuple[Rule, Rule]:
    """The rows of an initialiser: of a Parameter, and of any tensor."""
    row = Rule(
        f"torch.nn.init.{signature}",
        of_parameter,
        note=NOTE + note,
        kinds={"tensor": "parameter"},
        example=examples,
    )
    others = tuple(
        code.replace("weight", "torch.zeros(weight.shape)").replace(
            "kernel", "torch.zeros(kernel.shape)"
        )
        for code in examples
    )
    return row, replace(row, target=of_tensor, kinds={}, example=others)


def initializer(signature: str, made: str, *examples: str, note: str = "") -> tuple[Rule, Rule]:
    """The rows of an initialiser that MindSpore has; `made` is its instance."""
    of_tensor = f"compat.filled(ms.common.initializer.{made}, whole_tensor(tensor))"
    return rows(signature, MADE.format(made), of_tensor, *examples, note=note)


CONSTANTS = (
    *initializer("constant_(tensor, val)", "Constant(val)", "init.constant_(weight, 0.3)"),
    *initializer("zeros_(tensor)", "Zero()", "init.zeros_(weight)"),
    *initializer("ones_(tensor)", "One()", "init.ones_(weight)"),
    *initializer("eye_(tensor)", "Identity()", "init.eye_(weight)"),
    *initializer(
        "dirac_(tensor, groups=1)",
        "Dirac(groups=groups)",
        "init.dirac_(kernel)",
        "init.dirac_(kernel, groups=2)",
    ),
)

DISTRIBUTIONS = (
    *initializer(
        "normal_(tensor, mean=0.0, std=1.0, generator=None)",
        "Normal(sigma=always(std), mean=always(mean))",
        "moments(init.normal_(kernel))",
        "moments(init.normal_(kernel, 0.3, std=0.42))",
    ),
    *rows(
        "uniform_(tensor, a=0.0, b=1.0, generator=None)",
        "parameter(tensor).set_data(compat.uniform(parameter(tensor).shape, always(a), always(b), "
        "parameter(tensor).dtype))",
        "whole_tensor(tensor).copy_(compat.uniform(whole_tensor(tensor).shape, always(a), "
        "always(b), whole_tensor(tensor).dtype))",
        "moments(init.uniform_(kernel))",
        "moments(init.uniform_(kernel, -1, b=4.0))",
        note=" MindSpore's Uniform(scale) is symmetric.",
    ),
    *initializer(
        "trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None)",
        "TruncatedNormal(sigma=always(std), mean=mean, a=a, b=b)",
        "moments(init.trunc_normal_(kernel))",
        "moments(init.trunc_normal_(kernel, std=0.5))",
        "moments(init.trunc_normal_(kernel, 1.0, 2.0, a=0.0, b=3))",
    ),
    *initializer(
        "xavier_uniform_(tensor, gain=1.0, generator=None)",
        "XavierUniform(gain=gain)",
        "moments(init.xavier_uniform_(kernel, gain=20.0))",
        "init.xavier_uniform_(weight).shape",
    ),
    *initializer(
        "xavier_normal_(tensor, gain=1.0, generator=None)",
        "XavierNormal(gain=gain)",
        "moments(init.xavier_normal_(kernel, 20.0))",
        "init.xavier_normal_(weight).shape",
    ),
    *initializer(
        "kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)",
        "HeUniform(negative_slope=a, mode=mode, nonlinearity=nonlinearity)",
        "moments(init.kaiming_uniform_(kernel, a=2.2360679))",
        "moments(20 * init.kaiming_uniform_(kernel, mode='fan_out', nonlinearity='relu'))",
        note=GAINS,
    ),
    *initializer(
        "kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)",
        "HeNormal(negative_slope=a, mode=mode, nonlinearity=nonlinearity)",
        "moments(10 * init.kaiming_normal_(kernel))",
        "moments(10 * init.kaiming_normal_(kernel, mode='fan_out', nonlinearity='linear'))",
        note=GAINS,
    ),
    *initializer(
        "orthogonal_(tensor, gain=1, generator=None)",
        "Orthogonal(gain=fraction(gain))",
        "t = init.orthogonal_(weight)\nabs(t.T @ t) > 0.5",
        "t = init.orthogonal_(weight, gain=2)\nabs(t.T @ t) > 3.5",
    ),
    *initializer(
        "sparse_(tensor, sparsity, std=0.01, generator=None)",
        "Sparse(sparsity, sigma=std)",
        "(init.sparse_(weight, 0.4) == 0).sum(0)",
        "(init.sparse_(weight, sparsity=0.1, std=2.0) == 0).sum(0)",
    ),
)


def older(rule: Rule) -> Rule:
    """The same by the name that the function had without its underscore."""
    name = rule.name.rpartition(".")[2]
    examples = tuple(e.replace(name, name.removesuffix("_")) for e in rule.examples)
    return replace(rule, signature=rule.signature.replace("_(", "(", 1), example=examples)


NEWER = ("torch.nn.init.zeros_", "torch.nn.init.ones_", "torch.nn.init.trunc_normal_")
OLDER = tuple(older(rule) for rule in (*CONSTANTS, *DISTRIBUTIONS) if rule.name not in NEWER)

NUMBERS = (
    Rule(
        "torch.nn.init.calculate_gain(nonlinearity, param=None)",
        "compat.calculate_gain(nonlinearity, param)",
        returns="float",
        example=(
            "init.calculate_gain('relu')",
            "init.calculate_gain('leaky_relu', 0.2)",
            "init.calculate_gain('tanh'), init.calculate_gain('conv2d')",
            "init.calculate_gain('selu'), init.calculate_gain('leaky_relu')",
        ),
    ),
    Rule(
        "torch.nn.init._calculate_fan_in_and_fan_out(tensor)",
        "compat.fans(tensor)",
        returns="other",
        example=(
            "init._calculate_fan_in_and_fan_out(kernel)",
            "init._calculate_fan_in_and_fan_out(x)",
        ),
    ),
)

RULES = (*CONSTANTS, *DISTRIBUTIONS, *OLDER, *NUMBERS)
