"""A training in PyTorch, looked on through its own hooks."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ..messages import ParameterGroup, Snapshot, Update
from ..options import simple
from ..rounding import RATE
from .parts import called, loss_of, names_for, value_of
from .watch import Watch


class TorchWatch(Watch):
    """Optimisers are seen by the hooks that `torch.optim` has for all of them."""

    def own_parameters(self) -> dict[str, Any]:
        return dict(self.network.named_parameters())

    def hook_output(self, y: Any, note: Callable[[Any], None]) -> None:
        if y.requires_grad:
            y.register_hook(note)

    @contextmanager
    def steps_hooked(self) -> Iterator[None]:
        torch = self.side.torch
        place = importlib.import_module("torch.optim.optimizer")
        before: dict[int, tuple[Snapshot, Snapshot, tuple[ParameterGroup, ...]]] = {}
        backward = torch.autograd.backward

        def told_loss(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            self.loss = self.number(tensors)
            return backward(tensors, *args, **kwargs)

        def begins(optimizer: Any, args: Any, kwargs: Any) -> None:
            used = self.of_parameters((p, p.grad) for p in flat(optimizer))
            before[id(optimizer)] = used, self.weights(), self.groups_of(optimizer)

        def ends(optimizer: Any, args: Any, kwargs: Any) -> None:
            self.note_update(optimizer, *before.pop(id(optimizer)))

        with ExitStack() as hooks:
            hooks.callback(place.register_optimizer_step_pre_hook(begins).remove)
            hooks.callback(place.register_optimizer_step_post_hook(ends).remove)
            hooks.callback(setattr, torch.autograd, "backward", backward)
            torch.autograd.backward = told_loss
            yield

    def groups_of(self, optimizer: Any) -> tuple[ParameterGroup, ...]:
        return tuple(
            ParameterGroup(
                tuple(self.path_of[id(p)] for p in group["params"] if id(p) in self.path_of),
                {
                    key: shown
                    for key, value in group.items()
                    if key != "params"
                    for shown in simple(number_of(value))
                },
            )
            for group in optimizer.param_groups
        )

    def note_update(
        self, optimizer: Any, used: Snapshot, weights: Snapshot, groups: tuple[ParameterGroup, ...]
    ) -> None:
        keys = dict.fromkeys(key for p in flat(optimizer) for key in optimizer.state.get(p, {}))
        states = {
            key: self.of_parameters(
                (p, x)
                for p in flat(optimizer)
                for x in [optimizer.state.get(p, {}).get(key)]
                if self.side.is_tensor(x)
            )
            for key in keys
            if key != "step"
        }
        kinds = tuple(f"{c.__module__}.{c.__qualname__}" for c in type(optimizer).__mro__[:-1])
        now = self.weights()
        self.updates.append(Update(len(self.batches), kinds, groups, used, weights, now, states))

    def own_step(self) -> Callable[..., Any]:
        torch, plan = self.side.torch, self.plan
        names = names_for(self.side, "torch")
        params = names["params"] = [p for p in self.network.parameters() if p.requires_grad]
        early = plan.schedule is not None and "optimizer" not in plan.schedule.text
        names["schedule"] = value_of(self.side, plan.schedule, names) if early else None
        optimizer = names["optimizer"] = (
            torch.optim.SGD(params, lr=RATE)
            if plan.optimizer is None
            else called(value_of(self.side, plan.optimizer, names), params)
        )
        schedule = names["schedule"]
        if plan.schedule is not None and not early:
            schedule = value_of(self.side, plan.schedule, names)
        schedule = called(schedule, optimizer) if schedule is not None else None
        value = loss_of(self.side, plan, names)

        def step(*batch: Any) -> Any:
            optimizer.zero_grad()
            loss = value(*batch)
            loss.backward()
            optimizer.step()
            if schedule is not None:
                schedule.step()
            return loss

        return step


def flat(optimizer: Any) -> list[Any]:
    return [p for group in optimizer.param_groups for p in group["params"]]


def number_of(value: Any) -> Any:
    """A tensor of one element, as an option may be, as a number."""
    return value.item() if hasattr(value, "item") and hasattr(value, "dtype") else value
