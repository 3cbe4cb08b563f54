"""The parts of a training program that each API belongs to, as the migration guide lists them."""

from __future__ import annotations

from functools import cache

OPERATORS = "operators"
"""What is left when no feature below claims a name: it stands in the table of operators."""

FEATURES: dict[str, tuple[str, ...]] = {
    "containers": (
        "torch.nn.Sequential",
        "torch.nn.ModuleList",
        "torch.nn.ModuleDict",
        "torch.nn.ParameterList",
        "torch.nn.ParameterDict",
    ),
    "modules": ("torch.nn.Module.*", "torch.nn.Module", "torch.nn.Parameter", "torch.nn.Buffer"),
    "initialisers": ("torch.nn.init.*",),
    "distributed": (
        "torch.distributed.*",
        "torch.nn.parallel.*",
        "torch.nn.DataParallel",
        "torch.nn.SyncBatchNorm",
        "torch.nn.SyncBatchNorm.*",
        "torch.utils.data.distributed.*",
        "torch.multiprocessing.*",
        "torch.cuda.comm.*",
        "torch.cuda.nccl.*",
    ),
    "schedulers": ("torch.optim.lr_scheduler.*", "torch.optim.swa_utils.*"),
    "optimisers": ("torch.optim.*", "torch.nn.utils.clip_grad*"),
    "data": ("torch.utils.data.*",),
    "mixed precision": ("torch.amp.*", "torch.cuda.amp.*", "torch.cpu.amp.*", "torch.autocast*"),
    "gradients": (
        "torch.autograd.*",
        "torch.func.*",
        "torch.no_grad",
        "torch.enable_grad",
        "torch.inference_mode",
        "torch.set_grad_enabled",
        "torch.is_grad_enabled",
        "torch.Tensor.backward",
        "torch.Tensor.grad",
        "torch.Tensor.requires_grad*",
        "torch.Tensor.register_hook",
        "torch.Tensor.retain_grad",
        "torch.utils.checkpoint.*",
    ),
    "distributions": ("torch.distributions.*",),
    "random numbers": (
        "torch.manual_seed",
        "torch.seed",
        "torch.initial_seed",
        "torch.Generator*",
        "torch.get_rng_state",
        "torch.set_rng_state",
        "torch.random.*",
        "torch.cuda.manual_seed*",
    ),
    "devices": (
        "torch.cuda.*",
        "torch.mps.*",
        "torch.xpu.*",
        "torch.cpu.*",
        "torch.accelerator.*",
        "torch.device",
        "torch.backends.*",
        "torch.set_default_device",
        "torch.Tensor.cuda",
        "torch.Tensor.cpu",
        "torch.Tensor.device",
        "torch.Tensor.is_cuda",
        "torch.Tensor.pin_memory",
    ),
    "checkpoints": (
        "torch.save",
        "torch.load",
        "torch.hub.*",
        "torch.serialization.*",
        "torch.utils.model_zoo.*",
    ),
    "graphs and export": (
        "torch.jit.*",
        "torch.fx.*",
        "torch.onnx.*",
        "torch.export.*",
        "torch.compile",
        "torch.compiler.*",
        "torch._dynamo.*",
        "torch.nn.utils.fusion.*",
    ),
    "sparse tensors": ("torch.sparse*", "torch.Tensor.to_sparse*", "torch.Tensor.is_sparse*"),
    "quantisation": (
        "torch.ao.*",
        "torch.quantization.*",
        "torch.nn.quantized.*",
        "torch.nn.intrinsic.*",
        "torch.nn.qat.*",
    ),
    "image transforms": ("torchvision.transforms.*",),
    "image data sets": ("torchvision.datasets.*", "torchvision.io.*"),
    "ready models": ("torchvision.models.*",),
    "profiling": ("torch.profiler.*", "torch.utils.tensorboard.*", "torch.utils.benchmark.*"),
}
"""Names by feature; `*` stands for any rest. The first feature that has the longest match wins."""

EXACTLY = {n: f for f, names in FEATURES.items() for n in names if not n.endswith("*")}
BEGINNINGS = sorted(
    ((n[:-1], f) for f, names in FEATURES.items() for n in names if n.endswith("*")),
    key=lambda pair: -len(pair[0]),
)
ANY_BEGINNING = tuple(beginning for beginning, _ in BEGINNINGS)


@cache
def feature(api: str) -> str:
    """The feature that a name belongs to, or `OPERATORS`."""
    if api in EXACTLY:
        return EXACTLY[api]
    if not api.startswith(ANY_BEGINNING):
        return OPERATORS
    return next(f for beginning, f in BEGINNINGS if api.startswith(beginning))
