"""The observer of a training: asks its conditions of every call, loss and step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...runtime.engine.observation import Arrays, Called, Place, Predicted, observed
from ...runtime.profiler.layers import LOSS, Paths, is_optimizer, is_wrapper, layer_of
from . import conditions
from .errors import Errors
from .finding import CONDITIONS, Finding, statistics
from .history import History, Streaks
from .magnitudes import Magnitudes
from .repro import write_repro
from .updates import Updates

MOST = 100
"""Findings that are kept."""
SCALE_PATIENCE = 25
"""Steps in a row that a loss scale may halve itself for: from 2 ** 24 to a half."""
SHIFT = "labels are numbers from 0 on: shift them, or give the network more outputs"
NOT_FINITE = ("nan", "overflow")
TRAINED = "look whether the optimizer has them, at its rate, and whether a gradient comes"
OTHERS = "two optimizers have the same weights: look whether one of them is to have these"
PATIENCE = 5
"""Steps in a row after which what holds is no accident."""
MOST_ADDED = 64
"""Gradients that may be added up before an optimizer is first called."""


class Stopped(SystemExit):
    """The run ends here because a condition holds and it was asked to stop."""


class Watcher:
    """Finds where conditions hold. `found` has the findings, the first of each place."""

    def __init__(
        self,
        on: Sequence[str] = (),
        stop: bool = False,
        folder: Path | None = None,
        say: Callable[[Finding], None] | None = None,
    ) -> None:
        self.on = frozenset(on) if on else frozenset(CONDITIONS)
        self.stop, self.folder, self.say = stop, folder, say
        self.found: list[Finding] = []
        self.told: set[tuple[str, str]] = set()
        self.history, self.streaks, self.paths = History(), Streaks(), Paths()
        self.updates = Updates()
        self.pending: dict[str, Callable[[], Finding]] = {}
        self.bad_steps = 0
        """Steps in a row with gradients that are not finite."""
        self.origins: set[str] = set()
        """Kinds of values that are not finite which this step has seen appear."""
        self.labels, self.sigmoids = conditions.Labels(), conditions.Sigmoids()
        self.errors, self.magnitudes = Errors(), Magnitudes()
        self.broken = False
        """Whether values that are not finite were told of."""
        self.fresh = True
        """Whether no network was called in this step yet."""

    # what the observation calls

    def called(self, call: Called) -> None:
        floats = [a for a in call.outputs if a is not None and a.dtype.kind in "fV"]
        if "nan" in self.on or "overflow" in self.on:
            for kind in conditions.appearing(call, floats):
                self.appears(kind, call)
            self.magnitudes.saw(call, floats)
        if "data" in self.on and not call.place.backward:
            self.sigmoids.saw(call)
        if "dead-activations" in self.on and not call.place.backward:
            self.look_at_activation(call)

    def entered(self, cell: Any, place: Place, arrays: Arrays, held: Arrays) -> None:
        if is_optimizer(cell):
            if len(place.cells) == 1 or not is_optimizer(place.cells[-2]):
                self.updates.saw(cell)
                self.look_at_gradients(cell, arrays)
            return
        path = self.paths.of(place.cells)
        if place.backward:
            return
        if len(place.cells) == 1:
            self.history.roots[id(cell)] = cell
        self.history.inputs[path] = arrays
        if is_wrapper(cell):
            return
        self.history.members.called(path, place.cells, place.line)
        self.look_at_dropout(path, cell, place)
        if self.fresh and arrays:
            self.fresh = False
            self.look_at_inputs(path, arrays)
        if "data" in self.on and conditions.is_loss(cell, path):
            problem = self.labels.saw(arrays, conditions.ignored_by(cell))
            if problem:
                self.find(Finding("data", self.history.step + 1, path, problem, SHIFT,
                                  before=statistics("input", arrays)))  # fmt: skip

    def predicted(self, given: Predicted) -> None:
        """Looks at what a loss gets, also at one that is no cell."""
        if given.place.backward:
            return
        path = self.paths.of(given.place.cells)
        if "loss-stuck" in self.on:
            self.errors.saw(path, given)
        if "data" not in self.on:
            return
        arrays = (given.predictions, given.labels)
        if given.axis == 1 and not path.startswith(LOSS) and given.kind != "binary logits":
            problem = self.labels.saw(arrays, given.ignored)
            if problem:
                self.tell_of_labels(path, given.place.line, problem, SHIFT, arrays)
        problem = conditions.not_a_probability(given)
        if problem:
            advice = "divide masks of 0 to 255 by 255; shift labels so that they are 0 and 1"
            self.tell_of_labels(path, given.place.line, problem, advice, arrays)
        problem = conditions.not_for_the_loss(given) or self.sigmoids.before(given)
        if self.streaks.saw(f"loss {path} {given.place.line}", bool(problem)) == PATIENCE:
            advice = "give the loss what it takes: logits, or ops.log_softmax over the classes"
            self.tell_of_labels(path, given.place.line, problem, advice, arrays)

    def tell_of_labels(
        self, path: str, line: str, problem: str, advice: str, arrays: Arrays
    ) -> None:
        layer = path if path.startswith(LOSS) else f"{LOSS} in {path}" if path else LOSS
        self.find(Finding("data", self.history.step + 1, layer, problem, advice, line=line,
                          before=statistics("input", arrays)))  # fmt: skip

    def lost(self, loss: np.ndarray, place: Place) -> None:
        self.settle_pending()
        self.compare_weights()
        self.history.add_loss(float(np.asarray(loss, np.float64).reshape(-1)[0]))
        self.fresh = True
        self.origins.clear()
        self.magnitudes.large.clear()
        if self.history.step % 100 == 0:
            self.look_at_losses()

    def finish(self) -> None:
        """What can only be said at the end."""
        with observed(None):
            self.settle_pending(at_end=True)
            self.compare_weights(at_end=True)
            self.look_at_losses()

    # conditions

    def appears(self, kind: str, call: Called) -> None:
        """A value that is not finite appears at a call: told at once in the network itself.

        On the way back it may be a loss scale that finds its size; then the weights stay finite.
        """
        if kind in self.origins or kind not in self.on:
            return
        self.origins.add(kind)
        path = self.paths.of(call.place.cells)
        step = self.history.step + (0 if call.place.backward else 1)
        before = statistics("input", call.inputs) + statistics("output", call.outputs)
        found = Finding(
            kind, max(step, 1), path, conditions.APPEARS[kind].format(op=call.op),
            conditions.advice_for(call.op, kind), op=call.op, line=call.place.line,
            backward=call.place.backward, before=before, grown=self.grown(kind, call),
        )  # fmt: skip
        inputs = self.history.inputs.get(path, ())
        own = [cell for cell in call.place.cells if not is_wrapper(cell)]
        if call.place.cells and (call.place.backward or not own or is_optimizer(own[0])):
            self.pending.setdefault(kind, lambda: self.with_repro(found, call, inputs))
        else:
            self.find(found, lambda f: self.with_repro(f, call, inputs))

    def grown(self, kind: str, call: Called) -> tuple[str, str, str] | None:
        """Where what a call takes has become large, if it makes infinity of it."""
        large = self.magnitudes.origin(call) if kind == "overflow" else None
        if large is None:
            return None
        place = large.call.place
        return large.call.op, self.paths.of(place.cells), place.line

    def settle_pending(self, at_end: bool = False) -> None:
        """Tells what appeared on the way back, once it has reached the weights or stays."""
        self.bad_steps = self.bad_steps + 1 if self.pending else 0
        if not self.pending:
            return
        weights = self.history.weights().values()
        reached = any(not conditions.is_finite(p.asnumpy()) for p in weights)
        if reached or self.bad_steps >= SCALE_PATIENCE or (at_end and self.bad_steps >= PATIENCE):
            dropped = f"; the loss scale drops {self.bad_steps} steps in a row"
            for make in [*self.pending.values()]:
                found = make()
                if not reached:
                    problem, advice = found.problem + dropped, "take a smaller or a dynamic scale"
                    found = replace(found, problem=problem, advice=advice)
                    found = replace(found, layer=f"{found.layer}, under the loss scale")
                self.find(found)
            self.pending.clear()
        elif not self.origins or at_end:
            self.pending.clear()

    def compare_weights(self, at_end: bool = False) -> None:
        """What the step before has changed; one that was dropped changes nothing."""
        weights = self.history.weights()
        arrays = {n: p.asnumpy() for n, p in weights.items() if p.size}
        arrays = {n: x for n, x in arrays.items() if x.dtype.kind in "fV"}
        before, self.history.before = self.history.before, {n: x.copy() for n, x in arrays.items()}
        same = {n for n, x in arrays.items() if n in before and before[n].shape == x.shape}
        moved = {n for n in same if not np.array_equal(before[n], arrays[n])}
        if not self.bad_steps:
            self.look_at_changes({n: (before[n], arrays[n]) for n in sorted(moved)})
            self.look_at_unchanged({n: weights[n] for n in arrays if n in same}, moved, at_end)
            self.look_at_modes({id(weights[n]) for n in moved})
        self.updates.end()

    def look_at_unchanged(self, weights: dict[str, Any], moved: set[str], at_end: bool) -> None:
        """Counts the steps that were to change a weight and did not."""
        updates = self.updates
        updates.moved = updates.moved or any(
            weights[n].requires_grad for n in moved & weights.keys()
        )
        changed = {id(weights[name]) for name in moved}
        company = self.history.company()
        stuck, idle = [], []
        for name, p in weights.items():
            same = name not in moved
            if updates.due(p, company.get(id(p), ()), changed):
                self.streaks.counts[f"idle {name}"] = 0
                if self.streaks.saw(f"weight {name}", same) == PATIENCE:
                    stuck.append((name, p))
            else:
                steps = self.streaks.saw(f"idle {name}", same)
                if steps == MOST_ADDED or (at_end and PATIENCE <= steps < MOST_ADDED):
                    idle.append((name, p))
        if "unchanged-weights" in self.on:
            ended = updates.moved and all(
                self.streaks.counts.get(f"weight {n}", 0)
                for n in weights
                if weights[n].requires_grad
            )
            self.tell_unchanged(stuck, PATIENCE, ended)
            helps = updates.moved and not updates.shared
            self.tell_unchanged(idle, min(MOST_ADDED, self.history.step), helps)

    def look_at_modes(self, changed: set[int]) -> None:
        """Layers that are called as in an evaluation, in a network that is trained."""
        for path, cells in self.history.members.rested().items():
            trained = any(id(p) in changed for p in cells[0].get_parameters())
            if self.streaks.saw(f"mode {path}", trained) == PATIENCE:
                kind = type(cells[-1]).__name__
                self.find(Finding(
                    "unchanged-weights", self.history.step, path,
                    f"{kind} works as in an evaluation while its network is trained: "
                    "it drops nothing, and its statistics stay as they are",
                    "net.set_train() before the training",
                ))  # fmt: skip

    def tell_unchanged(self, stuck: list[tuple[str, Any]], steps: int, meant: bool) -> None:
        """Tells which layers stay; `meant`: a schedule may have come to 0, or it only helps."""
        if not stuck:
            return
        now = self.history.weights()
        still = {name for name, _ in stuck}
        moves = {layer_of(n) for n, p in now.items() if p.requires_grad and n not in still}
        trained = [n for n, p in stuck if p.requires_grad and layer_of(n) not in moves]
        moving = {layer_of(n) for n, p in now.items() if p.requires_grad}
        frozen = [n for n, p in stuck if not p.requires_grad and layer_of(n) not in moving]
        for layer, names in by_layer(trained).items():
            self.find(Finding(
                "unchanged-weights", self.history.step, layer,
                f"weights stay as they are for {steps} steps: {', '.join(names)}",
                OTHERS if self.updates.shared else TRAINED,
                others=tuple(names), note=meant, line=self.history.members.lines.get(layer, ""),
            ))  # fmt: skip
        for layer, names in by_layer(frozen).items():
            self.find(Finding(
                "unchanged-weights", self.history.step, layer,
                "it is not trained: requires_grad is False",
                "set requires_grad where that is not meant", others=tuple(names), note=True,
            ))  # fmt: skip

    def look_at_changes(self, changes: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
        for name, (before, array) in changes.items():
            if array.ndim > 1 and "exploding" in self.on:
                self.look_at_change(name, before, array)

    def look_at_change(self, name: str, before: np.ndarray, array: np.ndarray) -> None:
        found = conditions.exploding_weight(self.history, name, before, array)
        if found:
            self.find(Finding(
                "exploding", self.history.step, layer_of(name), f"{name}: {found}",
                "take a rate 10 to 100 times smaller, or clip gradients (ops.clip_by_global_norm)",
                before=statistics("weight", (before, array)),
            ))  # fmt: skip

    def look_at_gradients(self, optimizer: Any, arrays: Arrays) -> None:
        """The gradients that an optimizer gets, in the order of its parameters."""
        parameters = getattr(optimizer, "parameters", ())
        zero, moving = [], set()
        if self.history.is_learnt():
            return
        for parameter, g in zip(parameters, arrays, strict=False):
            if g is None or not g.size or g.dtype.kind not in "fV":
                continue
            if np.any(g):
                moving.add(layer_of(parameter.name))
            if self.streaks.saw(f"gradient {parameter.name}", not np.any(g)) == PATIENCE:
                zero.append(parameter.name)
        for layer, names in by_layer(zero).items() if "zero-gradients" in self.on else ():
            self.find(Finding(
                "zero-gradients", self.history.step, layer,
                f"gradients are exactly 0 for {PATIENCE} steps: {', '.join(names)}",
                "look between this layer and the loss for stop_gradient, asnumpy, rounding, argmax "
                "or units that are all off",
                others=tuple(names), note=layer in moving,  # as of a bias that cancels out
            ))  # fmt: skip
        problem = conditions.exploding_gradients(self.history, arrays)
        if problem and "exploding" in self.on:
            norms = [0.0 if g is None else float(np.linalg.norm(g.astype(np.float64).reshape(-1)))
                     for g in arrays]  # fmt: skip
            name = parameters[int(np.argmax(norms))].name
            step, advice = self.history.step, "take a smaller rate, or clip gradients"
            self.find(Finding("exploding", step, layer_of(name), problem, advice, others=(name,)))

    def look_at_activation(self, call: Called) -> None:
        problem = conditions.dead(call)
        if problem is None:
            return
        if self.history.is_learnt():
            problem = ""  # a hinge is off for all rows once they are learnt
        path = self.paths.of(call.place.cells)
        key = f"unit {path} {call.op} {call.place.line}"
        if self.streaks.saw(key, bool(problem)) == PATIENCE:
            found = Finding(
                "dead-activations", self.history.step + 1, path,
                f"{problem}, for {PATIENCE} steps",
                "look at what comes in: start from smaller weights and biases of 0, normalise "
                "inputs, take a smaller rate",
                op=call.op, line=call.place.line,
                before=statistics("input", call.inputs) + statistics("output", call.outputs),
            )  # fmt: skip
            inputs = self.history.inputs.get(path, ())
            self.find(found, lambda f: self.with_repro(f, call, inputs))

    def look_at_dropout(self, path: str, cell: Any, place: Place) -> None:
        problem, meant = conditions.dropped(cell)
        if problem:
            self.find(Finding(
                "dead-activations", self.history.step + 1, path, problem,
                "p is the part that is dropped, keep_prob (the first argument) the one that stays: "
                "PyTorch's nn.Dropout(0.1) is nn.Dropout(p=0.1)",
                line=place.line, note=meant,
            ))  # fmt: skip

    def look_at_inputs(self, path: str, arrays: Arrays) -> None:
        first = arrays[0]
        if first is None:
            return
        step, before = self.history.step + 1, statistics("input", arrays)
        if "nan" in self.on and not conditions.is_finite(first):
            bad = Finding("nan", step, f"input of {path}", "a row of the data is not finite",
                          "look at the rows of this batch, in the .npz", before=before)  # fmt: skip
            self.find(bad, lambda f: self.with_repro(f, None, arrays))
        if "data" not in self.on:
            return
        self.history.add_batch(first)
        problem = conditions.not_normalised(first)
        if problem and self.streaks.saw("inputs", True) == 3:
            self.find(Finding("data", step, f"input of {path}", problem,
                              "subtract the mean and divide by the spread of the training data",
                              before=before))  # fmt: skip
        period = self.history.period()
        if period:
            few = "each step gets the same batch, which is meant where it has all rows"
            many = f"the same batches come in the same order every {period} steps"
            self.find(Finding(
                "data", step, "order of the rows", few if period == 1 else many,
                "read on in one iterator, and shuffle: GeneratorDataset(..., shuffle=True)",
                note=period < 3,
            ))  # fmt: skip

    def look_at_losses(self) -> None:
        few = 0 < self.updates.steps < conditions.FEWEST_LOSSES
        if "loss-stuck" not in self.on or few:
            return  # 40 losses may be of 5 steps, where gradients are added up
        problem = (
            conditions.stuck(self.history.losses)
            or conditions.worse(self.labels.hits)
            or self.errors.rising()
        )
        if problem:
            self.find(Finding(
                "loss-stuck", self.history.step, "loss", problem,
                "train on one batch alone until its loss is 0; if it does not fall, look at "
                "labels, rate and the sign of the loss",
                note=self.updates.take_turns or conditions.about_zero(self.history.losses),
            ))  # fmt: skip

    # findings

    def find(self, found: Finding, finished: Callable[[Finding], Finding] | None = None) -> None:
        """Keeps a finding, the first of its place. Raises: Stopped if it is to"""
        key = (found.condition, found.layer)
        if found.condition not in self.on or key in self.told or len(self.found) >= MOST:
            return
        if self.broken and found.condition not in NOT_FINITE:
            return  # it follows from what was told
        self.broken = self.broken or found.condition in NOT_FINITE
        self.told.add(key)
        whole = found if finished is None else finished(found)
        self.found.append(whole)
        if self.say is not None:
            self.say(whole)
        if self.stop and not found.note:
            raise Stopped(0)

    def with_repro(self, found: Finding, call: Called | None, inputs: Arrays) -> Finding:
        if self.folder is None:
            return found
        try:
            return replace(found, repro=write_repro(self.folder, found, call, inputs))
        except OSError as error:
            return replace(found, repro=f"cannot be written: {error}")


def by_layer(names: Sequence[str]) -> dict[str, list[str]]:
    """Names of parameters by the layers that they are of."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(layer_of(name), []).append(name)
    return found
