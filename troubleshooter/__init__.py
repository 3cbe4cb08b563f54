"""Compares tensors and networks of two frameworks and says where they part; see docs/design.md."""

from __future__ import annotations

from importlib import import_module

if not __name__.startswith("msconvert."):
    raise ImportError(
        "import it as msconvert.troubleshooter: bare 'troubleshooter' would collide with others"
    )

PLACES = {
    "migrator": "migrator",
    "fix_random": "legacy.seeds:fix_random",
    "save": "legacy.saving:save",
    "save_grad": "legacy.saving:save_grad",
    "compare_checkpoints": "diff.interface:compare_checkpoints",
    "compare_networks": "compare.comparer:compare_networks",
    **{
        name: f"migrator:{name}"
        for name in (
            *("compare_npy_dir", "compare_list_dir", "compare_dict_dir", "compare_grads_dir"),
            *("compare_pth_and_ckpt", "compare_ms_ckpt", "get_weight_map", "convert_weight"),
            *("convert_weight_and_load", "loss_compare", "NetDifferenceFinder"),
        )
    },
}
"""Where each name for users is, imported when it is first asked for; `msconvert.compare` is not
among them, as `compare` is a package here."""


def __getattr__(name: str) -> object:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place, _, own_name = PLACES[name].partition(":")
    module = import_module(f"{__name__}.{place}")
    return getattr(module, own_name) if own_name else module


def __dir__() -> list[str]:
    return sorted({*globals(), *PLACES})
