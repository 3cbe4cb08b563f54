from .asymmetric import AsymmetricLossMultilabel, AsymmetricLossSingleLabel
from .binary_cross_entropy import BinaryCrossEntropySmooth
from .cross_entropy_smooth import CrossEntropySmooth, SoftTargetCrossEntropy
from .distillation import DistillationLoss
from .focal import BinaryFocalLoss, FocalLoss
from .jsd import JSDCrossEntropy
from .loss_factory import create_loss
