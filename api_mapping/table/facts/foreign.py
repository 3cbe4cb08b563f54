"""Libraries that are made on PyTorch, and where MindSpore's counterparts live."""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

from ..registry import find, roots

LIGHTNING = "mindspore.train.Model with callbacks, or the training loop written out"
SEGMENTS = "mindcv has backbones, MindSpore's models on GitHub segmentation networks"
INNER = ("lightning_fabric", "lightning_utilities")
"""What Lightning itself is made of."""
COUNTERPARTS = {
    **dict.fromkeys(("pytorch_lightning", "lightning", *INNER), LIGHTNING),
    "timm": "mindcv: mindcv.create_model, mindcv.models.layers",
    "transformers": "mindnlp.transformers, or mindformers for large models",
    "sentence_transformers": "mindnlp.sentence",
    "peft": "mindnlp.peft, or mindpet",
    "trl": "mindrlhf",
    "accelerate": "ms.amp and ms.communication, or mindnlp.accelerate",
    "deepspeed": "ms.set_auto_parallel_context, or mindformers",
    "bitsandbytes": "mindspore_gs",
    "vllm": "vllm-mindspore",
    "diffusers": "mindone.diffusers",
    "xformers": "ops.flash_attention_score",
    "flash_attn": "ops.flash_attention_score",
    "torchmetrics": "mindspore.train: Accuracy, F1, Precision, Recall and others",
    "ultralytics": "mindyolo",
    "yolov5": "mindyolo",
    "detectron2": "mindyolo, or MindSpore's models on GitHub",
    **dict.fromkeys(("mmcv", "mmengine", "mmdet", "mmseg", "mmpretrain", "mmpose"), SEGMENTS),
    "segmentation_models_pytorch": SEGMENTS,
    "easyocr": "mindocr",
    "torch_geometric": "mindspore_gl",
    **dict.fromkeys(("torch_scatter", "torch_sparse", "torch_cluster"), "mindspore_gl"),
    "dgl": "mindspore_gl",
    "kornia": "mindspore.dataset.vision",
    "torchaudio": "mindspore.dataset.audio",
    "torchtext": "mindspore.dataset.text",
    "torchdata": "mindspore.dataset",
    "open_clip": "mindone, or mindnlp.transformers",
    "clip": "mindone, or mindnlp.transformers",
    **dict.fromkeys(("stable_baselines3", "tianshou", "torchrl"), "mindspore_rl"),
    "fairseq": "mindnlp",
    "allennlp": "mindnlp",
    "flair": "mindnlp",
    "espnet": "mindaudio",
    "speechbrain": "mindaudio",
    "torchdiffeq": "mindspore.scipy, or mindsponge",
    "deepxde": "mindflow",
    "esm": "mindsponge",
    **dict.fromkeys(
        """fastai monai ignite catalyst skorch captum torchinfo torchsummary torchsummaryX thop
        fvcore iopath pytorch3d gpytorch botorch pyro tensordict pytorch_metric_learning
        torch_optimizer lpips pytorch_msssim torchsde nflows entmax apex optimum auto_gptq
        functorch higher learn2learn torchmeta e3nn pytorch_wavelets
        efficientnet_pytorch pretrainedmodels cleanfid facenet_pytorch pytorch_forecasting
        laion_clap ptflops torch_pruning torch_ema ema_pytorch lion_pytorch x_transformers
        vit_pytorch denoising_diffusion_pytorch""".split(),
        "",
    ),
}
"""What each becomes; "" where no counterpart is known."""

PARTLY = frozenset({"pytorch_lightning", "lightning"})
"""Libraries of which the table has the rows of some names."""
OF_LIGHTNING = PARTLY.union(INNER)
OWN = frozenset({"torch", "torchvision", "einops", "numpy", "scipy", "msconvert", "mindspore"})
REQUIRED = re.compile(r"torch(?![\w.-]*[a-zA-Z])")
"""A requirement of PyTorch itself, which is not of an extra."""
IMPORTS = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)


def library_of(api: str) -> str:
    """The library that an API is of, which is made on PyTorch; "" of what the table has."""
    root = api.partition(".")[0]
    is_known = root in PARTLY and find(api)
    return root if is_foreign(root) and not is_known else ""


@cache
def is_foreign(root: str) -> bool:
    """Whether a package is made on PyTorch: by its name, or by what it is installed with."""
    if root in PARTLY:
        return True
    if root in OWN or root in roots() or root in sys.stdlib_module_names:
        return False
    return root in COUNTERPARTS or requires_torch(root)


def requires_torch(root: str) -> bool:
    """Whether an installed distribution of that name needs PyTorch; it is not imported."""
    for name in dict.fromkeys((root, root.replace("_", "-"))):
        try:
            needed = distribution(name).requires or ()
        except (PackageNotFoundError, ValueError):
            continue
        plain = (line for line in needed if "extra ==" not in line)
        return any(REQUIRED.match(line) for line in plain)
    return False


def imports_some(text: str) -> bool:
    """Whether a source imports such a library."""
    return any(map(is_foreign, IMPORTS.findall(text)))


def advice_for(library: str) -> str:
    """What to do about a library."""
    known = COUNTERPARTS.get(library, "")
    return known or "no counterpart is known: write what is used of it with mindspore.nn"
