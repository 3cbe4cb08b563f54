"""torch.amp and torch.cuda.amp: mixed precision."""

from dataclasses import replace

from ..families import missing
from ..rule import Rule

FULL = (
    "It computes in full precision: ms.amp.auto_mixed_precision(net, 'O1') is MindSpore's way to "
    "mix."
)
SETTINGS = "init_scale, growth_factor, backoff_factor, growth_interval, enabled"
DEFAULTS = (
    "init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True"
)
HANDED = ", ".join(f"{name}={name}" for name in SETTINGS.split(", "))
CASTING = "leave the decorator out: MindSpore has no autocast that would cast"
MADE = "scaler = torch.amp.GradScaler('cpu', init_scale=8.0, growth_interval=2)\n"
STEPS = (
    f"{MADE}train(lambda params: optim.SGD(params, lr=0.1), step=lambda optimizer, grads: [{{}}])\n"
)

AUTOCAST = Rule(
    "torch.amp.autocast(device_type, dtype=None, enabled=True, cache_enabled=None)",
    "compat.full_precision()",
    note=FULL,
    drop=("device_type", "dtype", "enabled", "cache_enabled"),
    returns="other",
    example=(
        "with torch.amp.autocast('cpu', enabled=False):\n    t = x @ m\nt",
        "with torch.amp.autocast(device_type='cpu', dtype=torch.float32):\n    t = x * 2\nt",
    ),
)

AUTOCASTS = (
    AUTOCAST,
    replace(
        AUTOCAST,
        signature=AUTOCAST.signature.replace("amp.", ""),
        example="with torch.autocast('cpu', enabled=False):\n    t = x @ m\nt",
    ),
    replace(
        AUTOCAST,
        signature="torch.cuda.amp.autocast(enabled=True, dtype=torch.float16, cache_enabled=True)",
        drop=("dtype", "enabled", "cache_enabled"),
        example="with torch.cuda.amp.autocast(enabled=False):\n    t = x @ m\nt",
    ),
    Rule(
        "torch.amp.is_autocast_available(device_type)",
        "False",
        note="MindSpore has no autocast.",
        drop=("device_type",),
        returns="bool",
        example="torch.amp.is_autocast_available('cpu')",
        check="runs",
    ),
    *missing(
        CASTING,
        "torch.amp.custom_fwd(fwd=None, *, device_type, cast_inputs=None)",
        "torch.amp.custom_bwd(bwd=None, *, device_type)",
        "torch.cuda.amp.custom_fwd(fwd=None, *, cast_inputs=None)",
        "torch.cuda.amp.custom_bwd(bwd)",
    ),
)

SCALER = Rule(
    f"torch.amp.GradScaler(device='cuda', {DEFAULTS})",
    f"compat.GradScaler({HANDED})",
    note="Its step takes the gradients, as the optimisers of MindSpore do.",
    example=f"{MADE}scaler.get_scale()",
)


def method(signature: str, target: str, *examples: str, returns: str, note: str = "") -> Rule:
    return Rule(
        f"torch.amp.GradScaler.{signature}", target, note=note, returns=returns, example=examples
    )


def of_scaler(name: str, returns: str) -> Rule:
    """The row of a method that only tells something."""
    return method(f"{name}(self)", f"self.{name}()", f"{MADE}scaler.{name}()", returns=returns)


def setting(name: str) -> Rule:
    return method(
        f"set_{name}(self, new_{name.removeprefix('growth_').removeprefix('backoff_')})",
        f"self.set_{name}(new_{name.removeprefix('growth_').removeprefix('backoff_')})",
        f"{MADE}scaler.set_{name}(5)\nscaler.get_{name}()",
        returns="none",
    )


SCALERS = (
    SCALER,
    replace(SCALER, signature=SCALER.signature.replace("amp.", "")),
    replace(SCALER, signature=f"torch.cuda.amp.GradScaler({DEFAULTS})"),
    method(
        "scale(self, outputs)",
        "self.scale(outputs)",
        f"{MADE}scaler.scale(x)",
        f"{MADE}scaler.scale((x, y))",
        "scaler = torch.cuda.amp.GradScaler(enabled=False)\nscaler.scale(x)",
        returns="tensor",
    ),
    method(
        "unscale_(self, optimizer)",
        "self.unscale_(optimizer, grads)",
        STEPS.format("scaler.scale(grads[0].sum()), scaler.unscale_(optimizer), scaler.update()")
        + "scaler.get_scale()",
        note="It returns the new gradients: grads = scaler.unscale_(optimizer, grads).",
        returns="tensors",
    ),
    method(
        "step(self, optimizer)",
        "self.step(optimizer, grads)",
        STEPS.format("scaler.scale(grads[0].sum()), scaler.step(optimizer), scaler.update()")
        + "scaler.get_scale()",
        note="The gradients are handed on: scaler.step(optimizer, grads).",
        returns="none",
    ),
    method(
        "update(self, new_scale=None)",
        "self.update(new_scale)",
        f"{MADE}scaler.scale(x)\nscaler.update(4.0)\nscaler.get_scale()",
        returns="none",
    ),
    of_scaler("get_scale", "float"),
    of_scaler("get_growth_factor", "float"),
    of_scaler("get_backoff_factor", "float"),
    of_scaler("get_growth_interval", "int"),
    of_scaler("is_enabled", "bool"),
    setting("growth_factor"),
    setting("backoff_factor"),
    setting("growth_interval"),
    method(
        "state_dict(self)",
        "self.state_dict()",
        f"{MADE}scaler.state_dict()",
        returns="other",
    ),
    method(
        "load_state_dict(self, state_dict)",
        "self.load_state_dict(state_dict)",
        f"{MADE}known = scaler.state_dict()\nscaler = torch.amp.GradScaler('cpu')\n"
        "scaler.load_state_dict(known)\nscaler.state_dict()",
        returns="none",
    ),
)

RULES = (*AUTOCASTS, *SCALERS)
