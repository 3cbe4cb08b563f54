"""create_loss."""

from .asymmetric import AsymmetricLossMultilabel, AsymmetricLossSingleLabel
from .binary_cross_entropy import BinaryCrossEntropySmooth
from .cross_entropy_smooth import CrossEntropySmooth, SoftTargetCrossEntropy
from .focal import BinaryFocalLoss, FocalLoss
from .jsd import JSDCrossEntropy


def create_loss(name="CE", weight=None, reduction="mean", label_smoothing=0.0, aux_factor=0.0, num_classes=10):
    name = name.lower()
    if name == "ce":
        loss = CrossEntropySmooth(smoothing=label_smoothing, aux_factor=aux_factor, reduction=reduction, weight=weight)
    elif name == "bce":
        loss = BinaryCrossEntropySmooth(label_smoothing, aux_factor, reduction, weight)
    elif name == "soft_ce":
        loss = SoftTargetCrossEntropy(num_classes, 0.1, reduction)
    elif name == "focal":
        loss = FocalLoss(weight=weight, gamma=2.0, reduction=reduction)
    elif name == "binary_focal":
        loss = BinaryFocalLoss()
    elif name == "asl_multi_label":
        loss = AsymmetricLossMultilabel(num_classes=num_classes)
    elif name == "asl_single_label":
        loss = AsymmetricLossSingleLabel(smoothing=label_smoothing)
    elif name == "jsd":
        loss = JSDCrossEntropy(smoothing=label_smoothing)
    else:
        raise NotImplementedError(name)
    return loss
