"""Rates as cells that are asked at each step."""

import math

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.nn.learning_rate_schedule import (CosineDecayLR, LearningRateSchedule, PolynomialDecayLR, WarmUpLR)


class WarmUpCosineDecayLR(LearningRateSchedule):
    def __init__(self, min_lr, max_lr, warmup_steps, decay_steps):
        super().__init__()
        self.warmup_steps = warmup_steps
        self.warmup_lr = WarmUpLR(max_lr, warmup_steps) if warmup_steps > 0 else None
        self.cosine_decay_lr = CosineDecayLR(min_lr, max_lr, decay_steps)

    def step_lr(self, global_step):
        if self.warmup_lr is None:
            return self.cosine_decay_lr(global_step)
        if global_step > self.warmup_steps:
            return self.cosine_decay_lr(global_step - self.warmup_steps)
        return self.warmup_lr(global_step)

    def construct(self, global_step):
        return self.step_lr(global_step)


class PolynomialWithWarmUp(LearningRateSchedule):
    """By masks, as libraries for text write it."""

    def __init__(self, learning_rate, end_learning_rate, warmup_steps, decay_steps, power):
        super().__init__()
        self.warmup_flag = warmup_steps > 0
        if self.warmup_flag:
            self.warmup_lr = WarmUpLR(learning_rate, warmup_steps)
        self.decay_lr = PolynomialDecayLR(learning_rate, end_learning_rate, decay_steps, power)
        self.warmup_steps = Tensor(warmup_steps, ms.float32)
        self.greater = ops.Greater()
        self.one = Tensor([1.0], ms.float32)
        self.cast = ops.Cast()

    def construct(self, global_step):
        decay_lr = self.decay_lr(global_step)
        if self.warmup_flag:
            is_warmup = self.cast(self.greater(self.warmup_steps, global_step), ms.float32)
            return (self.one - is_warmup) * decay_lr + is_warmup * self.warmup_lr(global_step)
        return decay_lr


class MultiStepLR(LearningRateSchedule):
    def __init__(self, lr, milestones, gamma):
        super().__init__()
        self.milestones = Tensor(milestones, ms.int32)
        self.lr, self.gamma = lr, gamma

    def construct(self, global_step):
        passed = (global_step >= self.milestones).astype(ms.float32).sum()
        return self.lr * ops.pow(Tensor(self.gamma, ms.float32), passed)


class TriStageLR(LearningRateSchedule):
    """Three pieces by select."""

    def __init__(self, lr, warmup, hold, decay, final=0.05):
        super().__init__()
        self.lr, self.warmup, self.hold, self.decay = lr, warmup, hold, decay
        self.factor = -math.log(final) / decay
        self.min, self.exp = ops.Minimum(), ops.Exp()

    def construct(self, global_step):
        step = ops.cast(global_step, ms.float32)
        up = self.lr * self.min(step / self.warmup, Tensor(1.0, ms.float32))
        after = step - float(self.warmup + self.hold)
        down = self.lr * self.exp(-self.factor * after)
        return ops.select(after > 0, down, up)


class WarmUpCosineDecayWD(nn.Cell):
    """Weight decay that follows a schedule of its own."""

    def __init__(self, start, end, steps):
        super().__init__()
        self.start, self.end, self.steps = start, end, steps
        self.cos = ops.Cos()

    def construct(self, global_step):
        p = ops.minimum(ops.cast(global_step, ms.float32), Tensor(self.steps, ms.float32))
        return self.end + 0.5 * (self.start - self.end) * (1.0 + self.cos(math.pi * p / self.steps))
