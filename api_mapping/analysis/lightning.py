"""Lightning's classes: whether a class keeps to what the compat module's bases do."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..syntax.nodes import dotted
from .definitions import Class

MODULE = "pytorch_lightning.LightningModule"
DATA = "pytorch_lightning.LightningDataModule"
CALLBACK = "pytorch_lightning.callbacks.Callback"
BASES = frozenset({MODULE, DATA, CALLBACK, "pytorch_lightning.Callback"})
STEPS = frozenset({"training_step", "validation_step", "test_step", "predict_step"})
"""The methods whose first argument is a batch."""
MEMBERS = frozenset(
    """log log_dict save_hyperparameters hparams trainer current_epoch global_step device""".split()
)
"""What the base gives to its instances."""
PHASES = ("start", "end", "epoch_start", "epoch_end", "batch_start", "batch_end")
HOOKS = frozenset(
    {f"on_{stage}_{phase}" for stage in ("train", "validation", "test") for phase in PHASES}
    | {"on_fit_start", "on_fit_end"}
)
"""The places of a Trainer's loop that are called."""
OTHERS = frozenset(
    """
    automatic_optimization optimizers lr_schedulers manual_backward toggle_optimizer
    untoggle_optimizer logger loggers configure_callbacks configure_model load_from_checkpoint
    optimizer_step optimizer_zero_grad backward lr_scheduler_step lr_scheduler_zero_grad
    configure_gradient_clipping clip_gradients all_gather print freeze unfreeze to_onnx
    to_torchscript configure_sharded_model training_step_end validation_step_end test_step_end
    training_epoch_end validation_epoch_end test_epoch_end example_input_array fabric
    transfer_batch_to_device strict_loading on_gpu local_rank global_rank hparams_initial
    state_dict load_state_dict from_datasets reduce_fx metric_attribute add_dataloader_idx
    optimizer_idx dataloader_idx dataloader_iter batch_parts truncated_bptt_steps LBFGS
    """.split()
)
"""What Lightning has besides: members, and names in signatures and calls."""
MODES = frozenset({"eval", "train"})


def is_canonical(own: Iterable[Class], bases: Iterable[str]) -> bool:
    """Whether classes below one of Lightning's use of it what the compat module has.

    bases   the names of all that is above them outside of the project
    """
    known = BASES | {"torch.nn.Module"}
    return all(base in known for base in bases) and all(keeps(cls.node) for cls in own)


def keeps(cls: ast.ClassDef) -> bool:
    """Whether nothing in a class asks for more of Lightning, or chooses a mode."""
    for method in (n for n in cls.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
        if method.name.startswith("on_") and method.name not in HOOKS:
            return False
        if method.name == "configure_optimizers" and not returns_one(method):
            return False
    return not any(map(asks_more, ast.walk(cls)))


def asks_more(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in MODES:
            return True
        return any(keyword.arg in OTHERS for keyword in node.keywords)
    if isinstance(node, ast.Attribute):
        return node.attr in OTHERS and (dotted(node.value) in OWNERS or node.attr == "LBFGS")
    if isinstance(node, ast.FunctionDef):
        return node.name in OTHERS
    return isinstance(node, ast.arg) and node.arg in OTHERS


OWNERS = frozenset({"self", "cls", "pl_module", "super()", "module"})
"""What is called so has Lightning's members."""


def returns_one(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether no optimizers, or sorts of them, stand side by side in what is returned."""
    returned = (n.value for n in ast.walk(method) if isinstance(n, ast.Return))
    for value in returned:
        many = value.elts if isinstance(value, ast.List | ast.Tuple) else []
        first = many[0] if many else None
        inner = first.elts if isinstance(first, ast.List | ast.Tuple) else None
        if (inner is not None and len(inner) > 1) or (inner is None and len(many) > 1):
            return False
    return True
