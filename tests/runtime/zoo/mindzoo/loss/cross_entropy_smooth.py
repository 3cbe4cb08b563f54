"""Cross entropy with smoothed labels, heads of auxiliary outputs, and soft targets."""

from mindspore import nn, ops
from mindspore.ops import functional as F


class CrossEntropySmooth(nn.LossBase):
    """Logits may be a tuple: the main ones, then those of auxiliary heads."""

    def __init__(self, smoothing=0.0, aux_factor=0.0, reduction="mean", weight=None):
        super().__init__()
        self.smoothing = smoothing
        self.aux_factor = aux_factor
        self.reduction = reduction
        self.weight = weight

    def construct(self, logits, labels):
        loss_aux = 0
        if isinstance(logits, tuple):
            main_logits = logits[0]
            for aux in logits[1:]:
                if self.aux_factor > 0:
                    loss_aux += F.cross_entropy(aux, labels, weight=self.weight, reduction=self.reduction,
                                                label_smoothing=self.smoothing)
        else:
            main_logits = logits
        loss_logits = F.cross_entropy(main_logits, labels, weight=self.weight, reduction=self.reduction,
                                      label_smoothing=self.smoothing)
        return loss_logits + self.aux_factor * loss_aux


class SoftTargetCrossEntropy(nn.LossBase):
    """Targets are made of labels: one hot, smoothed by hand."""

    def __init__(self, num_classes, smoothing=0.1, reduction="mean"):
        super().__init__(reduction)
        self.on_value = 1.0 - smoothing
        self.off_value = smoothing / (num_classes - 1)
        self.num_classes = num_classes
        self.log_softmax = nn.LogSoftmax(axis=-1)

    def construct(self, logits, labels):
        from_labels = ops.one_hot(labels, self.num_classes, ops.scalar_to_tensor(self.on_value),
                                  ops.scalar_to_tensor(self.off_value))
        loss = ops.ReduceSum()(-from_labels * self.log_softmax(logits), -1)
        return self.get_loss(loss)
