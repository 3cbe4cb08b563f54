"""Asymmetric losses."""

import mindspore as ms
from mindspore import Tensor, nn, ops


class AsymmetricLossMultilabel(nn.LossBase):
    def __init__(self, gamma_neg=4.0, gamma_pos=1.0, clip=0.05, eps=1e-8, num_classes=10):
        super().__init__()
        self.gamma_neg, self.gamma_pos, self.clip, self.eps = gamma_neg, gamma_pos, clip, eps
        self.num_classes = num_classes
        self.on, self.off = Tensor(1.0, ms.float32), Tensor(0.0, ms.float32)

    def construct(self, logits, labels):
        targets = ops.one_hot(labels, self.num_classes, self.on, self.off)
        x_sigmoid = ops.sigmoid(logits)
        xs_pos = x_sigmoid
        xs_neg = 1 - x_sigmoid
        if self.clip is not None and self.clip > 0:
            xs_neg = ops.clip_by_value(xs_neg + self.clip, clip_value_max=1)
        los_pos = targets * ops.log(ops.maximum(xs_pos, self.eps))
        los_neg = (1 - targets) * ops.log(ops.maximum(xs_neg, self.eps))
        loss = los_pos + los_neg
        if self.gamma_neg > 0 or self.gamma_pos > 0:
            pt = ops.stop_gradient(xs_pos * targets + xs_neg * (1 - targets))
            one_sided_gamma = self.gamma_pos * targets + self.gamma_neg * (1 - targets)
            loss = loss * ops.pow(1 - pt, one_sided_gamma)
        return -loss.sum()


class AsymmetricLossSingleLabel(nn.LossBase):
    def __init__(self, gamma_pos=1.0, gamma_neg=4.0, smoothing=0.1, reduction="mean"):
        super().__init__(reduction)
        self.smoothing, self.gamma_pos, self.gamma_neg = smoothing, gamma_pos, gamma_neg
        self.logsoftmax = nn.LogSoftmax(axis=-1)
        self.scatter = ops.TensorScatterElements(axis=1)

    def construct(self, logits, labels):
        num_classes = logits.shape[-1]
        log_preds = self.logsoftmax(logits)
        index = labels.astype(ms.int32).expand_dims(1)
        targets = self.scatter(ops.zeros_like(logits), index, ops.ones(index.shape, logits.dtype))
        anti_targets = 1 - targets
        xs_pos = ops.exp(log_preds) * targets
        xs_neg = (1 - ops.exp(log_preds)) * anti_targets
        weights = ops.pow(1 - xs_pos - xs_neg, self.gamma_pos * targets + self.gamma_neg * anti_targets)
        log_preds = log_preds * weights
        if self.smoothing > 0:
            targets = targets * (1 - self.smoothing) + self.smoothing / num_classes
        return self.get_loss(-(targets * log_preds).sum(axis=-1))
