"""torch.nn.utils: weights computed of others (norms, parametrizations), pruning."""

from typing import Any

from ....formats.names.naming import SPECTRAL_NORM, WEIGHT_NORM, unparametrized
from ..families import missing
from ..rule import Rule

UTILS = "torch.nn.utils"
PYNATIVE = "A hook computes the weight before each step: in PyNative mode."
SPECTRAL = '(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None)'


def weight_norm(path: str, state: dict[str, str]) -> Rule:
    built = f"{path.removeprefix('torch.')}.weight_norm"
    return Rule(
        f'{path}.weight_norm(module, name="weight", dim=0)',
        "compat.weight_norm(module, name=name, dim=dim)",
        note=PYNATIVE,
        returns="module",
        state=state,
        example=(
            f"{built}(nn.Linear(4, 3))(x)",
            f'{built}(nn.Conv1d(3, 4, 3, padding=1), name="weight")(signal)',
            f"{built}(nn.ConvTranspose1d(3, 4, 3, stride=2), dim=1)(signal)",
            f"{built}(nn.Linear(4, 3), dim=None)(x)",
        ),
    )


def spectral_norm(path: str, state: dict[str, str]) -> Rule:
    order = ", v_first=False" if state else ""
    built = f"{path.removeprefix('torch.')}.spectral_norm"
    return Rule(
        f"{path}.spectral_norm{SPECTRAL}",
        "compat.spectral_norm(module, name=name, n_power_iterations=n_power_iterations, eps=eps, "
        f"dim=dim{order})",
        note=PYNATIVE,
        returns="module",
        state=state,
        example=(
            f"{built}(nn.Linear(4, 3))(x)",
            f"{built}(nn.Conv2d(3, 4, 3), n_power_iterations=2)(image)",
            f"{built}(nn.ConvTranspose2d(3, 4, 3))(image)",
            f"layer = {built}(nn.Linear(4, 3))\nlayer(x)\nlayer.eval()\nlayer(x)",
        ),
    )


NORMS = (
    weight_norm(UTILS, {}),
    weight_norm(f"{UTILS}.parametrizations", unparametrized(WEIGHT_NORM)),
    spectral_norm(UTILS, {}),
    spectral_norm(f"{UTILS}.parametrizations", unparametrized(SPECTRAL_NORM)),
    Rule(
        f'{UTILS}.remove_weight_norm(module, name="weight")',
        "compat.remove_norm(module, name=name)",
        returns="module",
        example="layer = nn.utils.weight_norm(nn.Linear(4, 3))\n"
        "nn.utils.remove_weight_norm(layer)\nlayer(x), len(layer.state_dict())",
    ),
    Rule(
        f'{UTILS}.remove_spectral_norm(module, name="weight")',
        "compat.remove_norm(module, name=name)",
        returns="module",
        example="layer = nn.utils.spectral_norm(nn.Linear(4, 3))\nlayer(x)\n"
        "nn.utils.remove_spectral_norm(layer)\nlayer.eval()\nlen(layer.state_dict())",
    ),
)

TANH = (
    "layer = nn.Linear(4, 4)\n"
    'nn.utils.parametrize.register_parametrization(layer, "weight", nn.Tanh())\n'
)


def parametrized(signature: str, target: str, returns: str, *examples: str, **more: Any) -> Rule:
    """A row of torch.nn.utils.parametrize (P): examples go on from a layer with one."""
    return Rule(
        f"{UTILS}.parametrize.{signature}",
        target,
        note=PYNATIVE if "register" in signature else "",
        returns=returns,
        example=tuple(TANH + e.replace("P.", "nn.utils.parametrize.") for e in examples),
        **more,
    )


PARAMETRIZE = (
    parametrized(
        "register_parametrization(module, tensor_name, parametrization, *, unsafe=False)",
        "compat.register_parametrization(module, tensor_name, parametrization)",
        "module",
        "layer(x)",
        'P.register_parametrization(layer, "weight", nn.Softplus())\nlayer(x), layer.weight',
        "layer(x), layer.parametrizations.weight.original",
        'conv = nn.Conv1d(3, 3, 1)\nP.register_parametrization(conv, "weight", nn.Sigmoid())\n'
        "conv(signal)",
        drop=("unsafe",),
    ),
    parametrized(
        "remove_parametrizations(module, tensor_name, leave_parametrized=True)",
        "compat.remove_parametrizations(module, tensor_name, "
        "leave_parametrized=leave_parametrized)",
        "module",
        'P.remove_parametrizations(layer, "weight")\nlayer.weight',
        'P.remove_parametrizations(layer, "weight", leave_parametrized=False)\n'
        "layer(x), len(list(layer.parameters()))",
    ),
    parametrized(
        "is_parametrized(module, tensor_name=None)",
        "compat.is_parametrized(module, tensor_name)",
        "bool",
        "P.is_parametrized(layer), P.is_parametrized(nn.Linear(2, 2))",
        'P.is_parametrized(layer, "weight"), P.is_parametrized(layer, "bias")',
    ),
    parametrized(
        "cached()",
        "compat.cached()",
        "other",
        "with P.cached():\n    y = layer(x)\ny",
    ),
    *missing(
        "compute the weight in `construct`, of a Parameter with another name",
        f'{UTILS}.parametrizations.orthogonal(module, name="weight")',
        f"{UTILS}.parametrize.ParametrizationList(modules, original, unsafe=False)",
        f"{UTILS}.parametrize.type_before_parametrizations(module)",
        f"{UTILS}.parametrize.transfer_parametrizations_and_params(from_module, to_module)",
    ),
)

PRUNE = missing(
    "keep a mask of 0 and 1 for each weight, and set it after each step: p.set_data(p * mask)",
    *(
        f"{UTILS}.prune.{name}"
        for name in (
            "BasePruningMethod()",
            "Identity()",
            "L1Unstructured(amount)",
            "LnStructured(amount, n, dim=-1)",
            "PruningContainer(*args)",
            "RandomStructured(amount, dim=-1)",
            "RandomUnstructured(amount)",
            "custom_from_mask(module, name, mask)",
            "global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs)",
            "identity(module, name)",
            "is_pruned(module)",
            "l1_unstructured(module, name, amount, importance_scores=None)",
            "ln_structured(module, name, amount, n, dim, importance_scores=None)",
            "random_structured(module, name, amount, dim)",
            "random_unstructured(module, name, amount)",
            "remove(module, name)",
        )
    ),
)

RULES = (*NORMS, *PARAMETRIZE, *PRUNE)
