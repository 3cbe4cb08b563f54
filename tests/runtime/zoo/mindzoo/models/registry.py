"""The model registry: names to functions that build."""

import fnmatch
import sys
from collections import defaultdict

__all__ = ["list_models", "is_model", "model_entrypoint", "list_modules", "is_model_in_modules",
           "is_model_pretrained", "register_model"]

_module_to_models = defaultdict(set)
_model_to_module = {}
_model_entrypoints = {}
_model_has_pretrained = set()


def register_model(fn):
    # lookup module's __init__
    mod = sys.modules[fn.__module__]
    module_name_split = fn.__module__.split(".")
    module_name = module_name_split[-1] if len(module_name_split) else ""

    # add model name to __all__ in module
    model_name = fn.__name__
    if hasattr(mod, "__all__"):
        mod.__all__.append(model_name)
    else:
        mod.__all__ = [model_name]

    _model_entrypoints[model_name] = fn
    _model_to_module[model_name] = module_name
    _module_to_models[module_name].add(model_name)
    has_pretrained = False
    if hasattr(mod, "default_cfgs") and model_name in mod.default_cfgs:
        cfg = mod.default_cfgs[model_name]
        has_pretrained = "url" in cfg and cfg["url"]
    if has_pretrained:
        _model_has_pretrained.add(model_name)
    return fn


def list_models(filter="", module="", pretrained=False, exclude_filters=""):
    if module:
        all_models = list(_module_to_models[module])
    else:
        all_models = _model_entrypoints.keys()
    models = fnmatch.filter(all_models, filter) if filter else all_models
    models = set(models)
    if exclude_filters:
        models = models.difference(fnmatch.filter(models, exclude_filters))
    if pretrained:
        models = _model_has_pretrained.intersection(models)
    return sorted(models)


def is_model(model_name):
    return model_name in _model_entrypoints


def model_entrypoint(model_name):
    return _model_entrypoints[model_name]


def list_modules():
    return list(sorted(_module_to_models.keys()))


def is_model_in_modules(model_name, module_names):
    assert isinstance(module_names, (tuple, list, set))
    return any(model_name in _module_to_models[n] for n in module_names)


def is_model_pretrained(model_name):
    return model_name in _model_has_pretrained
