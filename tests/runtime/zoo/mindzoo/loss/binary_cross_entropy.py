"""Binary cross entropy over one hot labels."""

import mindspore.nn as nn
import mindspore.ops as ops
from mindspore import Tensor


class BinaryCrossEntropySmooth(nn.LossBase):
    def __init__(self, smoothing=0.0, aux_factor=0.0, reduction="mean", weight=None, pos_weight=None):
        super().__init__()
        self.smoothing, self.aux_factor, self.reduction = smoothing, aux_factor, reduction
        self.weight, self.pos_weight = weight, pos_weight
        self.onehot = ops.OneHot()
        self.ones = ops.OnesLike()

    def construct(self, logits, labels):
        main_logits = logits[0] if isinstance(logits, tuple) else logits
        if labels.ndim == 1:
            class_dim = main_logits.shape[-1]
            labels = self.onehot(labels, class_dim, Tensor(1.0 - self.smoothing + self.smoothing / class_dim),
                                 Tensor(self.smoothing / class_dim))
        weight = self.weight if self.weight is not None else self.ones(main_logits)
        pos_weight = self.pos_weight if self.pos_weight is not None else self.ones(main_logits)
        return ops.binary_cross_entropy_with_logits(
            main_logits, labels, weight=weight, pos_weight=pos_weight, reduction=self.reduction)
