from typing import Optional

from mindspore import Tensor, nn, ops


class LabelSmoothingCrossEntropy(nn.LossBase):
    def __init__(self, smoothing=0.1, aux_factor=0.0, reduction="mean", weight: Optional[Tensor] = None):
        super().__init__()
        self.smoothing = smoothing
        self.confidence = 1.0 - smoothing
        self.aux_factor = aux_factor
        self.reduction = reduction
        self.weight = weight

    def construct(self, logits, labels):
        loss_aux = 0
        if self.aux_factor > 0:
            aux_logits = logits[1:]
            for aux in aux_logits:
                loss_aux += ops.cross_entropy(aux, labels, weight=self.weight, reduction=self.reduction,
                                              label_smoothing=self.smoothing)
        if isinstance(logits, tuple):
            main_logits = logits[0]
        else:
            main_logits = logits
        loss_logits = ops.cross_entropy(main_logits, labels, weight=self.weight, reduction=self.reduction,
                                        label_smoothing=self.smoothing)
        loss = loss_logits + self.aux_factor * loss_aux
        return loss


class BinaryCrossEntropySmooth(nn.LossBase):
    def __init__(self, smoothing=0.1, reduction="mean", weight=None, pos_weight=None):
        super().__init__()
        self.smoothing, self.reduction, self.weight, self.pos_weight = smoothing, reduction, weight, pos_weight
        self.ones = ops.OnesLike()
        self.one_hot = ops.OneHot()
        self.on_value = Tensor(1.0)
        self.off_value = Tensor(0.0)

    def construct(self, logits, labels):
        if labels.ndim == 1:
            class_dim = 0 if logits.ndim == 1 else 1
            n_classes = logits.shape[class_dim]
            labels = self.one_hot(labels, n_classes, self.on_value, self.off_value)
            labels = labels * (1.0 - self.smoothing) + self.smoothing / n_classes
        ones_input = self.ones(logits)
        weight = self.weight if self.weight is not None else ones_input
        pos_weight = self.pos_weight if self.pos_weight is not None else ones_input
        return ops.binary_cross_entropy_with_logits(logits, labels, weight, pos_weight, self.reduction)


def create_loss(name="CE", weight=None, reduction="mean", label_smoothing=0.0, aux_factor=0.0):
    name = name.lower()
    if name == "ce":
        return LabelSmoothingCrossEntropy(smoothing=label_smoothing, aux_factor=aux_factor, reduction=reduction,
                                          weight=weight)
    if name == "bce":
        return BinaryCrossEntropySmooth(smoothing=label_smoothing, reduction=reduction, weight=weight)
    raise NotImplementedError
