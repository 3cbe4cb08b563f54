from .dynamic_lr import (cosine_decay_lr, cyclic_lr, exponential_lr, linear_refined_lr, multi_step_lr, one_cycle_lr,
                         polynomial_lr, polynomial_refined_lr, warmup_and_cosine_decay_lr)
from .schedule_cells import (MultiStepLR, PolynomialWithWarmUp, TriStageLR, WarmUpCosineDecayLR, WarmUpCosineDecayWD)
from .scheduler_factory import create_scheduler
