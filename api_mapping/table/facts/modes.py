"""What chooses the mode of modules, training or evaluation, and what computes otherwise in each."""

from __future__ import annotations

SWITCHES = frozenset({"train", "eval", "set_train"})
"""Methods that choose the mode."""

SELF = frozenset(
    "to cuda cpu float double half bfloat16 type apply requires_grad_ share_memory to_empty".split()
)
"""Methods of a module that give the module itself."""

ASIDE = frozenset(
    "parameters named_parameters buffers named_buffers state_dict load_state_dict children "
    "named_children modules named_modules zero_grad register_forward_hook register_buffer "
    "register_forward_pre_hook register_full_backward_hook register_parameter add_module "
    "get_parameter get_submodule extra_repr keys".split()
)
"""Methods of a module for which its mode does not matter."""

KEEPING = frozenset(
    "torch.nn.DataParallel torch.nn.parallel.DataParallel torch.compile torch.jit.script "
    "torch.nn.parallel.DistributedDataParallel torch.jit.trace copy.deepcopy copy.copy".split()
)
"""Functions whose results are modules in the mode of what they are given."""

PARAMETRIZING = "torch.nn.utils.parametrize.register_parametrization"
CALLING = {"torch.func.functional_call": (0, "module"), PARAMETRIZING: (2, "parametrization")}
"""Functions that call a module that they are given, or have it called: its place and name."""

STEMS = (
    "BatchNorm",
    "SyncBatchNorm",
    "LazyBatchNorm",
    "Transformer",
    "StochasticDepth",
    "DropBlock",
)
WORDS = frozenset(
    "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout RReLU training".split()
)
"""What is read or named in a class whose modules have two modes."""
