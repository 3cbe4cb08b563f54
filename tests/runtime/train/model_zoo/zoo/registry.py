"""model registry and list"""
import fnmatch
import sys
from collections import defaultdict
from copy import deepcopy

__all__ = ["list_models", "is_model", "model_entrypoint", "register_model", "is_model_pretrained"]

_module_to_models = defaultdict(set)
_model_to_module = {}
_model_entrypoints = {}
_model_has_pretrained = set()


def register_model(fn):
    # lookup containing module
    mod = sys.modules[fn.__module__]
    module_name_split = fn.__module__.split(".")
    module_name = module_name_split[-1] if len(module_name_split) else ""

    # add model to __all__ in module
    model_name = fn.__name__
    if hasattr(mod, "__all__"):
        mod.__all__.append(model_name)
    else:
        mod.__all__ = [model_name]

    _model_entrypoints[model_name] = fn
    _model_to_module[model_name] = module_name
    _module_to_models[module_name].add(model_name)
    if hasattr(mod, "default_cfgs") and model_name in mod.default_cfgs:
        if mod.default_cfgs[model_name]["url"]:
            _model_has_pretrained.add(model_name)
    return fn


def list_models(filter="", module="", pretrained=False):
    models = _module_to_models[module] if module else _model_entrypoints.keys()
    if filter:
        models = fnmatch.filter(models, filter)
    if pretrained:
        models = _model_has_pretrained.intersection(models)
    return list(sorted(models))


def is_model(model_name):
    return model_name in _model_entrypoints


def model_entrypoint(model_name):
    return _model_entrypoints[model_name]


def is_model_pretrained(model_name):
    return model_name in _model_has_pretrained
