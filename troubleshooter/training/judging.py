"""The first thing in which two trainings differ, batch by batch, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..compare.records import Array
from ..diagnosis.layers.optimizer import flat
from .causes import average, gradients, loss, schedule, step
from .causes.loss import Seen
from .comparison import Reason, Stage, TrainingDifference
from .courses import Course, Step, Tensors
from .handling import handling_of, passes_in, total
from .nearness import Gap, Noise, arrays_apart, gap_of, numbers_apart

RATES = 1e-5
"""So far apart, relative to each other, two rates are one."""
FACTOR = 1e-3
"""Gradients that are one factor apart, but for this, are the same for this judgement."""


MORE = 4
"""So many steps behind the first that differs are looked at for its cause."""


class Judge:
    """Two courses beside each other. `targets`: of each batch what the network is not given."""

    def __init__(
        self, a: Course, b: Course, nudged: Sequence[Course], data: Sequence[tuple[Array, ...]],
        epoch: int,
    ) -> None:  # fmt: skip
        self.a, self.b = a, b
        self.noise = Noise(a, tuple(nudged))
        self.data = data
        self.epoch = epoch
        self.notes: list[str] = []
        self.losses_apart: list[int] = []

    def first(self) -> TrainingDifference | None:
        """What differs first; `notes` has what does not count."""
        number, start = 0, 0
        last = min(len(self.a.batches), len(self.b.batches)) - 1
        while start <= last:
            places = [c.steps[number].batch if number < len(c.steps) else last + 1
                      for c in (self.a, self.b)]  # fmt: skip
            end = min(*places, last)
            found = self.of_outputs(start, end)
            if found is None and places[0] != places[1]:
                found = self.of_places(number, end, places)
            elif found is None and end == places[0]:
                found = self.of_step(number, start, end)
            if found is None:
                found = self.of_losses(start, end, number, is_told=end > max(places))
            if found is None:
                found = self.of_averages(start, end, number)
            if found is not None:
                return found
            start = end if places[0] == end and self.again(number + 1, end) else end + 1
            number += places[0] == end
        return self.of_counts() or self.of_lonely_losses() or self.of_settings()

    def again(self, number: int, batch: int) -> bool:
        """Whether the next step is in the same batch."""
        return any(number < len(c.steps) and c.steps[number].batch == batch
                   for c in (self.a, self.b))  # fmt: skip

    def difference(
        self, stage: Stage, batch: int, step: int, gap: Gap, reasons: Sequence[Reason]
    ) -> TrainingDifference:
        group = None
        if gap.parameters and self.a.steps:
            group = self.a.steps[min(step, len(self.a.steps) - 1)].group_of.get(gap.parameters[0])
        numbers = (gap.a, gap.b, gap.off, gap.allowed)
        return TrainingDifference(
            stage, batch + 1, step + 1, gap.parameters, group, *numbers, tuple(reasons)
        )

    # forward

    def of_outputs(self, start: int, end: int) -> TrainingDifference | None:
        for k in range(start, end + 1):
            one, other = (c.batches[k].record for c in (self.a, self.b))
            gain = self.noise.gain(self.b, k)
            nudged = [n.batches[k].record for n in self.noise.reaching(k + 1)]
            for i, (x, y) in enumerate(zip(one.outputs, other.outputs, strict=False)):
                if x.shape != y.shape:
                    break
                moved = [n.outputs[i] for n in nudged if len(n.outputs) > i]
                gap = arrays_apart(x, y, moved, gain)
                if gap is not None:
                    gap = replace(gap, parameters=())
                    return self.difference("output", k, 0, gap, self.of_modes(k))
        return None

    def of_modes(self, k: int) -> list[Reason]:
        modes = [c.batches[k].record.training for c in (self.a, self.b)]
        if modes[0] != modes[1]:
            words = ("evaluation", "training")
            told = f"agrees if the network is in {words[modes[0]]} (here: in {words[modes[1]]})"
            return [Reason("mode", told)]
        told = "the networks themselves give something else: compare them without --train"
        return [Reason("network", told, sure=False)]

    def of_losses(
        self, start: int, end: int, number: int, *, is_told: bool
    ) -> TrainingDifference | None:
        """Losses that differ where the gradients do not are kept for a note."""
        for k in range(start, end + 1):
            gap = self.loss_gap(k)
            if gap is not None:
                self.losses_apart.append(k)
                if is_told:
                    return self.difference("loss", k, number, gap, self.reasons_of_losses())
        return None

    def loss_gap(self, k: int) -> Gap | None:
        one, other = (c.batches[k].record.loss for c in (self.a, self.b))
        if one is None or other is None:
            return None
        nudged = [n.batches[k].record.loss for n in self.noise.reaching(k + 1)]
        moved = [x for x in nudged if x is not None]
        return numbers_apart(one, other, moved, self.noise.gain(self.b, k))

    def reasons_of_losses(self) -> list[Reason]:
        return loss.of_losses(*(list(self.seen(c)) for c in (self.a, self.b)))

    def seen(self, course: Course) -> Iterator[Seen]:
        """The batches of which output and loss are known."""
        for k, batch in enumerate(course.batches):
            record = batch.record
            if len(record.outputs) == 1 and record.loss is not None:
                yield Seen(record.outputs[0], record.pulls[0], self.data[k], record.loss)

    def of_lonely_losses(self) -> TrainingDifference | None:
        """Where nothing differs but the losses that are returned: a note, if they are one factor
        apart."""
        if not self.losses_apart:
            return None
        pairs = [(self.a.batches[k].record.loss, self.b.batches[k].record.loss)
                 for k in self.losses_apart]  # fmt: skip
        ratios = np.array([y / x if x and y is not None else np.nan for x, y in pairs])
        if np.all(np.isfinite(ratios)) and np.ptp(ratios) <= FACTOR * np.abs(ratios).max():
            self.notes.append(
                f"the loss that B's step gives is {ratios[0]:.6g} times A's; gradients and weights "
                "agree"
            )
            self.notes += [reason.text for reason in self.reasons_of_losses() if reason.sure]
            return None
        k = self.losses_apart[0]
        gap = self.loss_gap(k)
        assert gap is not None
        return self.difference("loss", k, 0, gap, self.reasons_of_losses())

    # the step

    def of_places(self, number: int, end: int, places: list[int]) -> TrainingDifference:
        """One side steps in this batch, and the other does not."""
        every = [[s.batch + 1 for s in c.steps] for c in (self.a, self.b)]
        gap = Gap((), float(places[0] == end), float(places[1] == end), 1.0, 0.0)
        told = [", ".join(map(str, row[:8])) + (", ..." if row[8:] else "") for row in every]
        if not every[1]:
            text = "agrees if the optimiser steps (here: it never does)"
            return self.difference("steps", end, number, gap, [Reason("not-stepped", text)])
        strides = [np.diff([0, *row]) for row in every]
        name = "accumulation-count"
        if all(len(s) for s in strides) and strides[0][0] == strides[1][0] and end % self.epoch:
            name = "accumulation-partial" if (end + 1) % self.epoch == 0 else name
        elif (end + 1) % self.epoch == 0 and strides[0][0] == strides[1][0]:
            name = "accumulation-partial"
        text = f"agrees if the optimiser steps in the batches {told[0]} (here: {told[1]})"
        reasons = [Reason(name, text)]
        return self.difference("steps", end, number, gap, reasons)

    def of_step(self, number: int, start: int, end: int) -> TrainingDifference | None:
        tried = (self.of_members, self.of_used, self.of_rates, self.of_weights)
        for judge in tried:
            found = judge(number, start, end)
            if found is not None:
                return found
        return None

    def of_members(self, number: int, start: int, end: int) -> TrainingDifference | None:
        """Parameters that one of the optimisers has, and the other has not, or does not move."""
        one, other = self.a.steps[number], self.b.steps[number]
        for mine, its, name, text in (
            (one, other, "not-in-optimizer", "agrees if the optimiser has {} (here: it has not)"),
            (other, one, "frozen-trained", "agrees if the optimiser has not {} (here: it has)"),
        ):
            names = [k for k in mine.group_of if moved(mine, k) and not moved(its, k)]
            left = [k for k in names if k not in its.group_of or k not in its.used.values]
            if left and len(left) < len(self.a.names):
                gap = Gap(tuple(left), float(mine is one), float(its is one), 1.0, 0.0)
                frozen = [k for k in left if k not in self.b.trained] if mine is one else []
                if frozen:
                    name, text = "frozen", "agrees if {} need gradients (here: they are frozen)"
                reason = Reason(name, text.format(listed(left)))
                return self.difference("weight", end, number, gap, [reason])
        return None

    def of_used(self, number: int, start: int, end: int) -> TrainingDifference | None:
        """What the optimisers are given; where it differs, whether the gradients did before."""
        start, gain = self.a.begin_of(number), self.noise.gain(self.b, end)
        nudged = self.noise.of(lambda c: c.steps[number].used if number < len(c.steps) else None)
        ours, theirs = (c.steps[number].used for c in (self.a, self.b))
        gap = gap_of(ours, theirs, nudged, gain)
        if gap is None:
            return None
        for k in range(start, end + 1):
            if self.loss_gap(k) is not None:
                reasons = self.reasons_of_losses()
                if not all(r.cause == "loss-factor" for r in reasons) or not reasons:
                    return self.difference("loss", k, number, self.loss_gap(k) or gap, reasons)
        own = tuple(ours.values)
        raw = [total(passes_in(c, start, end)).of(own) for c in (self.a, self.b)]
        factor = factor_between(*raw)
        noises = [total(passes_in(c, start, end)).of(own) for c in self.noise.reaching(end + 1)]
        scaled = times(raw[1], 1 / factor) if factor else raw[1]
        apart = gap_of(raw[0], scaled, noises, gain)
        if apart is not None:
            reasons = self.of_gradients(apart, raw, start)
            return self.difference("gradient", end, number, apart, reasons)
        count = min(len(self.a.steps), len(self.b.steps)) - 1
        one, other = (handling_of(c, number, count) for c in (self.a, self.b))
        reasons = gradients.of_handling(one, other, factor, factor_between(ours, theirs) or 0.0)
        if abs(factor - 1) > FACTOR:
            reasons = [*self.of_no_number(start), *reasons]
        return self.difference("used gradient", end, number, gap, reasons)

    def of_gradients(self, gap: Gap, raw: list[Tensors], batch: int) -> list[Reason]:
        """Gradients that differ by more than a factor, with the same loss."""
        ours, theirs = raw
        without = [k for k in gap.parameters if not theirs.norms.get(k) and ours.norms.get(k)]
        if without:
            frozen = [k for k in without if k not in self.b.trained and k in self.a.trained]
            told = listed(without)
            if frozen:
                return [Reason("frozen", f"agrees if {told} need gradients (here: frozen)")]
            text = f"agrees if a gradient reaches {told} (here: none does)"
            return [Reason("detached", text)]
        return self.by_pulls(batch)

    def by_pulls(self, batch: int) -> list[Reason]:
        """By the gradient of the network's output: whether it is the loss, or the network."""
        one, other = (c.batches[batch].record for c in (self.a, self.b))
        pulls = [record.pulls[0] for record in (one, other) if record.pulls]
        alike = len(pulls) == 2 and pulls[0].size and pulls[0].shape == pulls[1].shape
        without = self.of_no_number(batch)
        if without:
            return without
        cut = [i + 1 for i, (x, y) in enumerate(zip(one.pulls, other.pulls, strict=False))
               if x.any() and not y.any()]  # fmt: skip
        if cut and other.pulls[0].any():
            passes = ", ".join(str(i) for i in cut)
            text = (
                f"agrees if the loss gives what the network gave in pass {passes} of the batch a "
                "gradient (here: none: it is cut off, or the loss has none for that argument, as "
                "MindSpore's kl_div and KLDivLoss for the target)"
            )
            return [Reason("loss-detached", text)]
        if alike and arrays_apart(pulls[0], pulls[1], (), 1.0):
            text = "the gradient that the loss gives the network's output is another"
            return [*self.reasons_of_losses(), Reason("loss", text, sure=False)]
        text = "the networks' own gradients differ: compare them without --train"
        return [Reason("network", text, sure=False)]

    def of_no_number(self, batch: int) -> list[Reason]:
        """Where B's loss is none, as it is many numbers: their gradients are summed."""
        one, other = (c.batches[batch].record for c in (self.a, self.b))
        if one.loss is None or other.loss is not None:
            return []
        text = "agrees if the loss is one number (here: B's step gives none, as of the "
        return [Reason("reduction", f"{text}reduction 'none')", sure=False)]

    def of_rates(self, number: int, start: int, end: int) -> TrainingDifference | None:
        ours, theirs = (c.steps[number].rates for c in (self.a, self.b))
        apart = {k: (x, theirs[k]) for k, x in ours.items() if k in theirs
                 and abs(x - theirs[k]) > RATES * max(abs(x), abs(theirs[k]))}  # fmt: skip
        if not apart:
            return None
        name = next(iter(apart))
        x, y = apart[name]
        away = abs(y - x) / (abs(x) or 1.0)
        gap = Gap(tuple(apart), x, y, away, RATES)
        rows = [
            [c.steps[k].rates.get(name, 0.0) for k in c.places_of(number)] for c in (self.a, self.b)
        ]
        reasons = schedule.of_rates(rows[0], rows[1], self.epoch)
        if len(apart) < len(ours):
            several = listed(list(apart))
            reasons = [replace(r, cause=f"{r.cause}-of-group", text=f"{r.text}, of {several}")
                       for r in reasons]  # fmt: skip
        return self.difference("rate", end, number, gap, reasons)

    def of_weights(self, number: int, start: int, end: int) -> TrainingDifference | None:
        """Each group alone: what A's rule makes of B's gradients; by numbers alone where that is
        not known."""
        wrong: list[tuple[step.Cell, step.Expected]] = []
        unknown: list[str] = []
        every = list(step.cells(self.a, self.b, number))
        for cell in every:
            rule = step.known(cell.ours)
            if rule is None:
                unknown += cell.names
                continue
            found = step.expected(rule, cell.theirs)
            if found.agrees:
                continue
            if step.is_framework(rule, step.known(cell.theirs), cell.theirs):
                self.remark_of_epsilon(found)
            else:
                wrong.append((cell, found))
        if wrong:
            return self.of_cells(number, end, wrong, len(every))
        return self.of_unknown(number, end, tuple(unknown))

    def remark_of_epsilon(self, found: step.Expected) -> None:
        text = (
            "MindSpore's Adam adds epsilon before the bias is corrected, PyTorch's behind it: "
            "updates by small gradients differ, no more than that"
        )
        if text not in self.notes:
            self.notes.append(text)

    def of_cells(
        self, number: int, end: int, wrong: list[tuple[step.Cell, step.Expected]], every: int
    ) -> TrainingDifference:
        cell, found = max(wrong, key=lambda pair: pair[1].off / pair[1].allowed)
        norms = [float(np.linalg.norm(flat([r.after[n] - r.before[n] for n in r.before])))
                 for r in (cell.ours, cell.theirs)]  # fmt: skip
        state = step.states_apart(self.a.steps[number], self.b.steps[number], cell.ours.before)
        gap = Gap(cell.names, norms[0], norms[1], found.off, found.allowed)
        reasons = step.reasons_of(self.longer(cell, number))
        if len(wrong) < every or every > 1:
            reasons = [replace(r, text=f"{r.text}, of {listed(list(cell.names))}") for r in reasons]
        return self.difference("state" if state else "weight", end, number, gap, reasons)

    def longer(self, cell: step.Cell, number: int) -> step.Cell:
        """The same parameters over some more steps, which tell causes from each other."""
        both = [k for k in self.a.places_of(number) if k in self.b.places_of(number)]
        until = both[min(both.index(number) + MORE, len(both) - 1)] if number in both else number
        every = step.cells(self.a, self.b, until)
        return next((one for one in every if one.names == cell.names), cell)

    def of_unknown(
        self, number: int, end: int, names: tuple[str, ...]
    ) -> TrainingDifference | None:
        """Optimisers that are not known here: by the weights, and their rounding."""
        ours, theirs = (c.steps[number].after.of(names) for c in (self.a, self.b))
        nudged = self.noise.of(lambda c: c.steps[number].after if number < len(c.steps) else None)
        gap = gap_of(ours, theirs, [n.of(names) for n in nudged], self.noise.gain(self.b, end))
        if gap is None:
            return None
        cell = next(c for c in step.cells(self.a, self.b, number) if gap.parameters[0] in c.names)
        return self.difference("weight", end, number, gap, step.reasons_of(cell))

    # behind the step

    def of_averages(self, start: int, end: int, number: int) -> TrainingDifference | None:
        for k in range(start, end + 1):
            ours, theirs = (c.batches[k].average for c in (self.a, self.b))
            if ours is None or theirs is None:
                self.remark_of_average(ours, theirs)
                continue
            kept = tuple(n for n in ours.values if n in self.a.trained)
            nudged = [n for c in self.noise.reaching(k + 1) if (n := c.batches[k].average)]
            gap = gap_of(ours.of(kept), theirs.of(kept), [n.of(kept) for n in nudged],
                         self.noise.gain(self.b, k + 1))  # fmt: skip
            if gap is not None:
                reasons = average.of_averages(self.a, self.b)
                return self.difference("average", k, number, gap, reasons)
        return None

    def of_settings(self) -> TrainingDifference | None:
        """What the optimisers are told otherwise, where nothing else differs."""
        for cell, reasons in step.settings_apart(self.a, self.b):
            gap = Gap(cell.names, 0.0, 0.0, 0.0, 0.0)
            return self.difference("settings", 0, 0, gap, reasons)
        return None

    def remark_of_average(self, ours: Tensors | None, theirs: Tensors | None) -> None:
        """Where only one side has an average that is seen."""
        text = "only {} has a moving average of the weights that was seen: none was compared"
        told = text.format("A" if theirs is None else "B")
        if (ours is None) != (theirs is None) and told not in self.notes:
            self.notes.append(told)

    def of_counts(self) -> TrainingDifference | None:
        counts = [len(c.batches) for c in (self.a, self.b)]
        if counts[0] == counts[1]:
            return None
        gap = Gap((), float(counts[0]), float(counts[1]), 1.0, 0.0)
        text = f"agrees if the loop takes {counts[0]} batches (here: {counts[1]})"
        return self.difference("steps", min(counts) - 1, 0, gap, [Reason("batches", text)])


def moved(one: Step, name: str) -> bool:
    return not np.array_equal(one.before.values[name], one.after.values[name])


def times(tensors: Tensors, factor: float) -> Tensors:
    return Tensors(
        {k: x * factor for k, x in tensors.values.items()},
        {k: n * abs(factor) for k, n in tensors.norms.items()},
    )


def factor_between(a: Tensors, b: Tensors) -> float:
    """How many times as large B's tensors are, all together; 0 where A's are zeros."""
    names = [k for k in a.values if k in b.values]
    size = sum(float((a.values[k] ** 2).sum()) for k in names)
    return sum(float((a.values[k] * b.values[k]).sum()) for k in names) / size if size else 0.0


def listed(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
