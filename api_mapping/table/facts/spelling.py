"""The documented one of each spelling of a name of PyTorch's."""

from __future__ import annotations

import re
from functools import cache

from .names import MODULES

ALIASES = {
    "torch.autograd.variable.Variable": "torch.autograd.Variable",
    "torch.cuda.amp.grad_scaler.GradScaler": "torch.cuda.amp.GradScaler",
    "torch.nn.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.data_parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel": (
        "torch.nn.parallel.DistributedDataParallel"
    ),
    "torch.optim.lr_scheduler._LRScheduler": "torch.optim.lr_scheduler.LRScheduler",
    "torch.optim.optimizer.Optimizer": "torch.optim.Optimizer",
    "torch._tensor.Tensor": "torch.Tensor",
    "torch.autograd.function.Function": "torch.autograd.Function",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.parameter.Buffer": "torch.nn.Buffer",
    "torch.utils.data.distributed.DistributedSampler": (
        "torch.utils.data.distributed.DistributedSampler"
    ),
    **dict.fromkeys(
        """torch.utils.tensorboard.writer.SummaryWriter tensorboardX.SummaryWriter
        tensorboardX.writer.SummaryWriter""".split(),
        "torch.utils.tensorboard.SummaryWriter",
    ),
    "torch.distributions.kl.kl_divergence": "torch.distributions.kl_divergence",
    **{
        f"{home}.{name}": f"pytorch_lightning.{name}"
        for home in ("lightning", "lightning.pytorch")
        for name in """LightningModule LightningDataModule Trainer Callback seed_everything
        callbacks.Callback callbacks.EarlyStopping""".split()
    },
    **{
        f"{home}.{inner}.{name}": f"pytorch_lightning.{to}{name}"
        for home in ("pytorch_lightning", "lightning.pytorch")
        for inner, to, name in (
            ("core", "", "LightningModule"),
            ("core.module", "", "LightningModule"),
            ("core.lightning", "", "LightningModule"),
            ("core.datamodule", "", "LightningDataModule"),
            ("trainer", "", "Trainer"),
            ("utilities.seed", "", "seed_everything"),
            ("callbacks.early_stopping", "callbacks.", "EarlyStopping"),
            ("callbacks.callback", "callbacks.", "Callback"),
        )
    },
    "torch.utils.data.DistributedSampler": "torch.utils.data.distributed.DistributedSampler",
}
"""Spellings that no rule below finds."""


HOMES = (
    ("torch.nn.modules.", "torch.nn."),
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.utils.data.", "torch.utils.data."),
    ("torch.optim.", "torch.optim."),
    ("torch.distributions.transforms.", "torch.distributions."),
    ("torch.distributions.", "torch.distributions."),
    ("torch.distributed.distributed_c10d.", "torch.distributed."),
    ("torch.functional.", "torch."),
    ("torch._tensor.", "torch."),
    ("torchvision.transforms.transforms.", "torchvision.transforms."),
    ("torchvision.models.", "torchvision.models."),
    ("torchvision.datasets.", "torchvision.datasets."),
    ("torchvision.ops.", "torchvision.ops."),
)
"""Where the names of private modules are documented."""


OWN_BASES = {
    "torch.optim.Optimizer": "torch.optim.optimizer.Optimizer",
    "torch.optim.lr_scheduler.LRScheduler": "torch.optim.lr_scheduler._LRScheduler",
}
"""What rows for own classes are called that derive from these: no use has this spelling."""
PACKED = frozenset(f"torch.nn.{name}" for name in ("LSTM", "GRU", "RNN"))
"""The layers that take packed sequences."""
IN_PACKING = "torch.nn.modules.rnn"
"""Where rows of these layers are for projects that pack sequences: no use has this spelling."""
PACKS = re.compile(rb"\b(?:PackedSequence|pack_padded_sequence|pack_sequence)\b")
"""What is in the files of such a project."""
TRANSFORMS = frozenset(
    f"torch.func.{name}"
    for name in ("grad", "grad_and_value", "vmap", "jacrev", "jacfwd", "hessian", "jvp")
)
"""The functions that may be given others over dictionaries of weights."""
OVER_TREES = "torch._functorch.apis"
"""Where rows of these functions are for files that call networks so: no use has this spelling."""
ON_TREES = frozenset({"functional_call", "stack_module_state"})
"""The functions that such a file uses, by their last names."""
COMPLEX = re.compile(
    rb"\b(?:view_as_complex|is_complex|polar|cfloat|cdouble|chalf|complex(?:32|64|128)|i?r?fft[n2]?|"
    rb"i?stft)\b|torch\.(?:complex|fft)\b"
)
"""What is in the files of a project that computes with complex tensors."""


@cache
def canonical(name: str) -> str:
    """The documented spelling: torch.nn.modules.conv.Conv2d is torch.nn.Conv2d."""
    if name in ALIASES:
        return ALIASES[name]
    _, again, inner = name.rpartition(".torch.")
    if again and name.startswith("torch."):
        return canonical(f"torch.{inner}")  # torch.sparse.torch.eye: what a module has imported
    module, _, last = name.rpartition(".")
    if module in MODULES and module not in PRIVATE:
        return name
    if module.startswith("torch.nn.modules.") and module.islower() and last.startswith("_"):
        return name  # a private class, in the table by where it is
    for inside, home in HOMES:
        if name.startswith(inside):
            rest = name[len(inside) :].split(".")
            if len(rest) == 1 and not is_class_name(rest[0]):
                return name  # a module
            if inside == home and (len(rest) != 2 or not rest[0].islower() or rest[0] in KEPT):
                continue
            return home + last if len(rest) < 3 else home + ".".join(rest[1:])
    return name


PRIVATE = frozenset(
    """
    torch.nn.modules torch.nn.parameter torch.functional torch.optim.optimizer
    torch.utils.data.dataloader torch.utils.data.dataset torch.utils.data.sampler
    torch.distributions.transforms
    """.split()
)
"""Modules whose names are documented in another one."""


KEPT = frozenset(
    """
    lr_scheduler swa_utils constraints kl transforms utils folder detection segmentation
    quantization video optical_flow feature_extraction misc
    """.split()
)
"""Public modules among the private ones."""


def is_module_name(name: str) -> bool:
    """Whether the dotted name is a module of PyTorch: no API, but a place where APIs are."""
    return name in MODULES


def is_layer_base(name: str) -> bool:
    """Whether it is a private base of PyTorch's layers: torch.nn.modules.conv._ConvNd."""
    last = name.rpartition(".")[2]
    return name.startswith("torch.nn.modules.") and last[:1] == "_" and last[1:2].isupper()


def is_class_name(name: str) -> bool:
    """Whether the name looks like a class: PyTorch's classes, and nothing else, begin so."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not (last.isupper() and len(last) > 4)
