"""Rates as lists, one for each step."""

import math
from bisect import bisect_right


def linear_refined_lr(start_factor, end_factor, total_iters, *, lr, steps_per_epoch, epochs):
    steps = steps_per_epoch * epochs
    start_lr, end_lr = lr * start_factor, lr * end_factor
    lrs = []
    for i in range(steps):
        multiplier = min(i, total_iters) / total_iters
        lrs.append(start_lr + multiplier * (end_lr - start_lr))
    return lrs


def polynomial_lr(total_iters, power, *, lr, steps_per_epoch, epochs):
    lrs = []
    for i in range(steps_per_epoch * epochs):
        epoch_idx = math.floor(i / steps_per_epoch)
        lrs.append(lr * (1.0 - min(epoch_idx, total_iters) / total_iters) ** power)
    return lrs


def polynomial_refined_lr(total_iters, power, *, lr, steps_per_epoch, epochs):
    return [lr * (1.0 - min(i, total_iters) / total_iters) ** power for i in range(steps_per_epoch * epochs)]


def exponential_lr(gamma, *, lr, steps_per_epoch, epochs):
    return [lr * gamma ** math.floor(i / steps_per_epoch) for i in range(steps_per_epoch * epochs)]


def multi_step_lr(milestones, gamma, *, lr, steps_per_epoch, epochs):
    milestones = sorted(milestones)
    return [lr * gamma ** bisect_right(milestones, i // steps_per_epoch) for i in range(steps_per_epoch * epochs)]


def cosine_decay_lr(decay_epochs, eta_min, *, eta_max, steps_per_epoch, epochs, num_cycles=1, cycle_decay=1.0):
    tot_steps = steps_per_epoch * epochs
    lrs = []
    for c in range(num_cycles):
        lr_max = eta_max * (cycle_decay ** c)
        delta = 0.5 * (lr_max - eta_min)
        for i in range(steps_per_epoch * decay_epochs):
            t_cur = min(math.floor(i / steps_per_epoch), decay_epochs)
            lrs.append(eta_min + delta * (1.0 + math.cos(math.pi * t_cur / decay_epochs)))
            if len(lrs) == tot_steps:
                return lrs
    return lrs + [eta_min] * (tot_steps - len(lrs))


def warmup_and_cosine_decay_lr(warmup, lr, end, *, steps_per_epoch, epochs):
    first = linear_refined_lr(0.0, 1.0, warmup, lr=lr, steps_per_epoch=steps_per_epoch, epochs=epochs)[:warmup]
    rest = steps_per_epoch * epochs - warmup
    return first + [end + 0.5 * (lr - end) * (1 + math.cos(math.pi * i / rest)) for i in range(rest)]


def cyclic_lr(base_lr, max_lr, step_size_up, mode="triangular", gamma=0.9, *, steps):
    def scale(x):
        return {"triangular": 1.0, "triangular2": 1 / (2.0 ** (x - 1)), "exp_range": gamma ** x}[mode]

    lrs = []
    for i in range(steps):
        cycle = math.floor(1 + i / (2 * step_size_up))
        x = abs(i / step_size_up - 2 * cycle + 1)
        at = i if mode == "exp_range" else cycle
        lrs.append(base_lr + (max_lr - base_lr) * max(0, 1 - x) * scale(at))
    return lrs


def one_cycle_lr(max_lr, pct_start=0.3, div_factor=25.0, final_div_factor=1e4, *, steps):
    def annealing(start, end, pct):
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    initial = max_lr / div_factor
    top = float(pct_start * steps) - 1
    lrs = []
    for i in range(steps):
        if i <= top:
            lrs.append(annealing(initial, max_lr, i / max(top, 1e-9)))
        else:
            lrs.append(annealing(max_lr, initial / final_div_factor, (i - top) / (steps - 1 - top)))
    return lrs
