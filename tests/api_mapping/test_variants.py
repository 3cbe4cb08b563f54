"""Variants of the examples are equal to PyTorch or refused: none gives other values unseen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from .judgement import Result, judged
from .variants import variants
from .verification import mindspore_python

pytest.importorskip("torch")

SHARE = 0.012
LEAST = 1000
"""`python -m msconvert.tests.api_mapping.judgement` does all of them."""

CHANCE = (
    "torch.nn.Transformer",  # layers with dropout
    "torch.nn.Module.train",
    "torch.nn.functional.rrelu",
    "torch.nn.init.",
    "torchvision.ops.drop_block",
    "torchvision.ops.DropBlock",
    "torchvision.transforms.",
)
"""Names whose results are random by other arguments than those of the examples."""

KERNELS = (
    "torch.cholesky_inverse",  # of the other triangle
    "torch.linalg.eig",  # another order
    "torch.Tensor.scatter",  # the same place twice: any of the values
    "torch.scatter",
    "torch.Tensor.is_signed",  # of float16
    "torch.Tensor.norm",  # of order inf over two axes
    "torch.fft.",  # seven digits
    "torch.optim.lr_scheduler.",  # the fifth digit
    "torch.corrcoef",  # of float16
    "torch.topk",  # not sorted
)
"""Names whose kernels of MindSpore's are not PyTorch's in the last case."""

RARE = (
    "torch.nn.functional.soft_margin_loss",  # of two element types
    "torch.cosine_similarity",
    "torch.nn.PoissonNLLLoss",  # eps=2.0
    "torch.nn.functional.poisson_nll_loss",
    "torch.func.jacrev",  # argnums=(0,)
    "torch.Tensor.type",  # the type's name in a variable, None
    "torch.Tensor.argmax",  # keepdim in a variable, and no dim
    "torch.Tensor.argmin",
    "torch.sym_min",
    "torch.nn.utils.rnn.unpad_sequence",  # lengths below zero
    "torch._foreach_add_",  # a tensor that is in both lists
    "torch.Tensor.addcmul",  # of bools
    "torch.special.modified_bessel",  # below zero
    "torch.nn.Embedding",  # float64
    "torchvision.ops.misc.Conv",  # weights of a part of a layer
)
"""Names that are known to give other values in the case said."""


def is_explained(result: Result) -> bool:
    """Whether the row's note says it, or one of the lists above."""
    variant = result.variant
    of_complex = "abs(z)" in variant.code  # what the note of abs says
    known = variant.rule.name.startswith((*CHANCE, *KERNELS, *RARE))
    return known or of_complex or bool(variant.rule.note)


@pytest.fixture(scope="module")
def results() -> Sequence[Result]:
    return judged(list(variants(share=SHARE)), mindspore_python())


def test_no_variant_gives_other_values_unseen(results: Sequence[Result]) -> None:
    assert len(results) >= LEAST
    silent = [r for r in results if r.is_silent and not is_explained(r)]
    assert not [(r.variant.id, r.runtime, r.mindspore) for r in silent]


def test_nine_of_ten_are_equal_on_the_runtime(results: Sequence[Result]) -> None:
    assert sum(r.is_equal for r in results) >= 0.9 * len(results)


@pytest.mark.skipif(mindspore_python() is None, reason="needs MindSpore")
def test_eight_of_ten_are_equal_on_mindspore(results: Sequence[Result]) -> None:
    assert sum(r.is_equal_on_mindspore for r in results) >= 0.8 * len(results)
