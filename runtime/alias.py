"""`import mindspore` answered by the runtime, for scripts that know nothing of it."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .engine.failure import MissingNameError

RUNTIME = "msconvert.runtime"

ANSWERS = {
    "": """
        mindspore mindspore.common mindspore.common.generator mindspore.common.mutable
        mindspore.common.seed mindspore.common.no_inline
        """,
    ".amp": "mindspore.amp mindspore.train.amp mindspore.train.loss_scale_manager",
    ".cells.cell": "mindspore.nn.cell",
    ".composite": """
        mindspore.ops.composite mindspore.ops.composite.base mindspore.ops.composite.math_ops
        mindspore.ops.composite.multitype_ops
        """,
    ".devices.auto_parallel": "mindspore.parallel mindspore.parallel._utils",
    ".devices.communication": "mindspore.communication mindspore.communication.management",
    ".api": "mindspore.common.api mindspore.common.jit_config mindspore.graph mindspore.graph.api",
    ".context": "mindspore.context",
    ".devices.device_context": "mindspore.device_context",
    ".dump": "mindspore.tools mindspore.tools.data_dump mindspore.common.dump",
    ".dataset": "mindspore.dataset mindspore.dataset.engine mindspore.dataset.engine.datasets",
    ".dataset.callback": "mindspore.dataset.callback",
    ".dataset.config": """
        mindspore.dataset.config mindspore.dataset.core mindspore.dataset.core.config
        """,
    ".dataset.debug": "mindspore.dataset.debug",
    ".dataset.samplers": "mindspore.dataset.engine.samplers",
    ".dataset.text": """
        mindspore.dataset.text mindspore.dataset.text.transforms mindspore.dataset.text.utils
        """,
    ".dataset.transforms": """
        mindspore.dataset.transforms mindspore.dataset.transforms.transforms
        """,
    ".dataset.vision": """
        mindspore.dataset.vision mindspore.dataset.vision.transforms mindspore.dataset.vision.utils
        """,
    ".engine.dtype": "mindspore.dtype mindspore.common.dtype",
    ".exchange": "mindspore.utils mindspore.utils.dlpack",
    ".devices.execution": "mindspore.runtime mindspore.hal",
    ".experimental": "mindspore.experimental",
    ".experimental.optim": "mindspore.experimental.optim mindspore.experimental.optim.optimizer",
    ".experimental.optim.lr_scheduler": "mindspore.experimental.optim.lr_scheduler",
    ".engine.hooks": "mindspore.common.hook_handle",
    ".engine.initializer": "mindspore.common.initializer",
    ".engine.jit_options": """
        mindspore.common.lazy_inline mindspore.common.no_inline mindspore.graph.lazy_inline
        mindspore.graph.no_inline mindspore.graph.jit_config
        """,
    ".log": "mindspore.log",
    ".metrics": "mindspore.train.metrics mindspore.nn.metrics",
    ".metrics.classification": """
        mindspore.train.metrics.accuracy mindspore.train.metrics.fbeta
        mindspore.train.metrics.precision mindspore.train.metrics.recall
        mindspore.train.metrics.topk
        """,
    ".metrics.curve": "mindspore.train.metrics.roc",
    ".metrics.matrix": "mindspore.train.metrics.confusion_matrix",
    ".metrics.occlusion": "mindspore.train.metrics.occlusion_sensitivity",
    ".metrics.surface": """
        mindspore.train.metrics.hausdorff_distance mindspore.train.metrics.mean_surface_distance
        mindspore.train.metrics.root_mean_square_surface_distance
        """,
    ".metrics.text": "mindspore.train.metrics.bleu_score",
    ".metrics.error": """
        mindspore.train.metrics.cosine_similarity mindspore.train.metrics.dice
        mindspore.train.metrics.error mindspore.train.metrics.loss
        mindspore.train.metrics.perplexity
        """,
    ".metrics.metric": "mindspore.train.metrics.metric",
    ".mindrecord": "mindspore.mindrecord",
    ".mint": "mindspore.mint",
    ".mint.linalg": "mindspore.mint.linalg",
    ".mint.nn": "mindspore.mint.nn",
    ".mint.nn.functional": "mindspore.mint.nn.functional",
    ".mint.special": "mindspore.mint.special",
    ".nn": """
        mindspore.nn mindspore.nn.dynamic_lr mindspore.nn.grad
        mindspore.nn.learning_rate_schedule mindspore.nn.layer mindspore.nn.layer.activation
        mindspore.nn.layer.basic mindspore.nn.layer.channel_shuffle mindspore.nn.layer.combined
        mindspore.nn.layer.container mindspore.nn.layer.conv mindspore.nn.layer.dense
        mindspore.nn.layer.embedding mindspore.nn.layer.image mindspore.nn.layer.math
        mindspore.nn.layer.normalization mindspore.nn.layer.padding mindspore.nn.layer.pooling
        mindspore.nn.layer.rnn_cells mindspore.nn.layer.rnns mindspore.nn.layer.transformer
        mindspore.nn.loss mindspore.nn.loss.loss mindspore.nn.optim
        mindspore.nn.wrap mindspore.nn.wrap.cell_wrapper
        mindspore.nn.wrap.grad_reducer mindspore.nn.wrap.loss_scale
        """,
    ".nn.adagrad": """
        mindspore.nn.optim.ada_grad mindspore.nn.optim.adadelta mindspore.nn.optim.adafactor
        mindspore.nn.optim.ftrl mindspore.nn.optim.proximal_ada_grad mindspore.nn.optim.rmsprop
        """,
    ".nn.adam": """
        mindspore.nn.optim.adam mindspore.nn.optim.adamax mindspore.nn.optim.lamb
        mindspore.nn.optim.lazyadam
        """,
    ".nn.descent": """
        mindspore.nn.optim.asgd mindspore.nn.optim.lars mindspore.nn.optim.momentum
        mindspore.nn.optim.rprop mindspore.nn.optim.sgd
        """,
    ".nn.optimizer": "mindspore.nn.optim.optimizer",
    ".onnx": "mindspore.onnx",
    ".probability": "mindspore.nn.probability",
    ".probability.bijector": "mindspore.nn.probability.bijector",
    ".probability.distribution": "mindspore.nn.probability.distribution",
    ".numpy": "mindspore.numpy",
    ".numpy.fft": "mindspore.numpy.fft",
    ".operations": """
        mindspore.ops.operations mindspore.ops.operations._inner_ops
        mindspore.ops.operations._sequence_ops mindspore.ops.operations.array_ops
        mindspore.ops.operations.debug_ops mindspore.ops.operations.image_ops
        mindspore.ops.operations.inner_ops mindspore.ops.operations.linalg_ops
        mindspore.ops.operations.manually_defined mindspore.ops.operations.math_ops
        mindspore.ops.operations.nn_ops mindspore.ops.operations.other_ops
        mindspore.ops.operations.random_ops mindspore.ops.operations.sparse_ops
        mindspore.ops.operations.spectral_ops mindspore.ops.auto_generate.gen_ops_prim
        """,
    ".operations._grad_ops": "mindspore.ops.operations._grad_ops",
    ".ops": """
        mindspore.ops mindspore.ops.primitive
        mindspore.ops.auto_generate mindspore.ops.functional mindspore.ops.function
        mindspore.ops.function.array_func mindspore.ops.function.clip_func
        mindspore.ops.function.debug_func mindspore.ops.function.fft_func
        mindspore.ops.function.grad mindspore.ops.function.image_func
        mindspore.ops.function.linalg_func mindspore.ops.function.math_func
        mindspore.ops.function.nn_func mindspore.ops.function.other_func
        mindspore.ops.function.parameter_func mindspore.ops.function.random_func
        mindspore.ops.function.sparse_func mindspore.ops.function.sparse_unary_func
        mindspore.ops.function.spectral_func mindspore.ops.function.vmap_func
        """,
    ".engine.parameter": "mindspore.common.parameter",
    ".profiler": "mindspore.profiler mindspore.profiler.profiler",
    ".profiler.schedule": "mindspore.profiler.schedule",
    ".scipy": "mindspore.scipy",
    ".scipy.fft": "mindspore.scipy.fft",
    ".scipy.linalg": "mindspore.scipy.linalg",
    ".sparse": "mindspore.common.sparse_tensor",
    ".engine.tensor": "mindspore.common.tensor",
    ".train": "mindspore.train",
    ".train.callback": "mindspore.train.callback",
    ".train.callback.callback": "mindspore.train.callback._callback",
    ".train.callback.functions": """
        mindspore.train.callback._lambda_callback mindspore.train.callback._lr_scheduler_callback
        """,
    ".train.callback.plateau": """
        mindspore.train.callback._early_stop mindspore.train.callback._reduce_lr_on_plateau
        """,
    ".train.callback.resuming": """
        mindspore.train.callback._backup_and_restore mindspore.train.callback._on_request_exit
        """,
    ".train.elsewhere": "mindspore.train.train_thor",
    ".summary.record": "mindspore.train.summary mindspore.train.summary.summary_record",
    ".summary.collector": "mindspore.train.callback._summary_collector",
    ".train.callback.checkpoint": "mindspore.train.callback._checkpoint",
    ".train.callback.monitors": """
        mindspore.train.callback._history mindspore.train.callback._loss_monitor
        mindspore.train.callback._time_monitor
        """,
    ".train.dataset_helper": "mindspore.train.data_sink mindspore.train.dataset_helper",
    ".train.model": "mindspore.train.model",
    ".train.serialization": "mindspore.train.serialization",
    ".validation": "mindspore._checkparam",
}
"""Which of MindSpore's modules each module of the runtime answers for."""

MODULES = {name: RUNTIME + own for own, names in ANSWERS.items() for name in names.split()}
"""The runtime's module for each of MindSpore's."""


class AliasLoader(Loader):
    """Gives the runtime's module itself, so that both names mean the same classes."""

    def __init__(self, target: str) -> None:
        self.target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.target)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has been executed under its own name, to which its relative imports belong."""
        module.__spec__ = self.own_spec


class MindsporeFinder(MetaPathFinder):
    """Finds `mindspore` and what is below it. Raises: MS301 for a module that is not there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> ModuleSpec | None:
        if fullname.split(".")[0] != "mindspore":
            return None
        if fullname not in MODULES:
            parent, _, name = fullname.rpartition(".")
            below = [m.rpartition(".")[2] for m in MODULES if m.startswith(f"{parent}.")]
            raise MissingNameError.of(parent, name, below)
        return ModuleSpec(fullname, AliasLoader(MODULES[fullname]), is_package=True)


def missing_name(error: ImportError) -> MissingNameError | None:
    """MS301 for `from mindspore... import name`, where Python itself drops our reason."""
    found = re.search(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    if found is None or not found[2].startswith(RUNTIME):
        return None
    module = importlib.import_module(found[2])
    return MissingNameError.of(found[2].replace(RUNTIME, "mindspore"), found[1], dir(module))


def answer_mindspore() -> None:
    """From now on `import mindspore` gives the runtime."""
    if not any(isinstance(finder, MindsporeFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MindsporeFinder())
        for name in [m for m in sys.modules if m.split(".")[0] == "mindspore"]:
            del sys.modules[name]
        name_the_modules_below()


def name_the_modules_below() -> None:
    """Gives each module its submodules as attributes: `from mindspore.ops import functional`
    asks for them under the runtime's own name of `mindspore.ops`.

    So `nn.loss` is what answers for MindSpore's package, and not our module of that name; functions
    and classes stay, as they do there."""
    for name, own in MODULES.items():
        parent, _, last = name.rpartition(".")
        names = vars(importlib.import_module(MODULES[parent])) if parent else {}
        if isinstance(names.get(last), ModuleType | None):
            names[last] = importlib.import_module(own)
