from .amp import auto_mixed_precision, build_train_network
from .ema import EMA, LossWithEMA
from .train_step import TrainStep
from .wrappers import AccumulatingStep, DistillationCell, SelfDistilled, StepWithSam, train_function
