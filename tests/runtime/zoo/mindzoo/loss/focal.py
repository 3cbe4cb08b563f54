"""Focal losses, for one class and for many labels."""

import mindspore as ms
from mindspore import Tensor, nn, ops


class FocalLoss(nn.LossBase):
    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__(reduction=reduction)
        self.gamma = Tensor([gamma], dtype=ms.float32)
        self.weight = Tensor(weight, ms.float32) if weight is not None else None
        self.expand_dims = ops.ExpandDims()
        self.gather_d = ops.GatherD()
        self.squeeze = ops.Squeeze(axis=1)
        self.cast = ops.Cast()
        self.logsoftmax = nn.LogSoftmax(1)

    def construct(self, logits, labels):
        labelss = labels if labels.ndim == logits.ndim else self.expand_dims(labels, 1)
        log_probability = self.logsoftmax(logits)
        labelss = self.cast(labelss, ms.int32)
        log_probability = self.squeeze(self.gather_d(log_probability, 1, labelss))
        probability = ops.exp(log_probability)
        if self.weight is not None:
            convert_weight = self.weight[None, :].expand_as(logits)
            log_probability = log_probability * self.squeeze(self.gather_d(convert_weight, 1, labelss))
        focal = ops.pow(-1 * probability + 1.0, self.gamma)
        return self.get_loss(-1 * focal * log_probability)


class BinaryFocalLoss(nn.Cell):
    def __init__(self, alpha=0.25, gamma=2.0):
        super().__init__()
        self.alpha, self.gamma = alpha, gamma
        self.sigmoid_cross_entropy = ops.SigmoidCrossEntropyWithLogits()
        self.onehot = nn.OneHot(depth=10)

    def construct(self, logits, labels):
        label = self.onehot(labels)
        sigmiod_cross_entropy = self.sigmoid_cross_entropy(logits, label)
        sigmoid = ops.sigmoid(logits)
        label = ops.cast(label, ms.float32)
        p_t = label * sigmoid + (1 - label) * (1 - sigmoid)
        modulating_factor = ops.pow(1 - p_t, self.gamma)
        alpha_weight_factor = label * self.alpha + (1 - label) * (1 - self.alpha)
        return (modulating_factor * alpha_weight_factor * sigmiod_cross_entropy).mean()
