"""Where the first NaN or infinity arises on each side, also where both have it."""

from __future__ import annotations

from collections.abc import Iterator

from ..sides.child.messages import Call, Value
from .recorded import Run

NAMES = ("A", "B")


def told_not_numbers(a: Run, b: Run, mode: str) -> tuple[str, ...]:
    """What is to be said of both plain runs, of which at least one gives NaN or infinity."""
    found = [next(origins(run), None) if is_reached(run) else None for run in (a, b)]
    if found == [None, None]:
        return ()
    if found[0] is not None and found[0] == found[1]:
        return (f"in {mode}, the first {found[0]}, in both",)
    parts = [
        f"{name}: {'none' if text is None else f'the first {text}'}"
        for name, text in zip(NAMES, found, strict=True)
    ]
    return (f"NaN and infinities in {mode}: {'; '.join(parts)}",)


def is_reached(run: Run) -> bool:
    """Whether what the network gives holds one: masks of infinity are no defect."""
    return bool(run.calls) and any(bad(run, value) for value in run.calls[0].outputs)


def origins(run: Run) -> Iterator[str]:
    """The calls that give one of finite inputs, in the order in which they end; the innermost."""
    for call in sorted(run.calls, key=lambda call: call.ended):
        kinds = [kind for value in call.outputs if (kind := bad(run, value))]
        if not kinds or any(bad(run, value) for value in call.inputs):
            continue
        if any(gives_one(run, child) for child in run.children.get(call.number, ())):
            continue
        place = call.path or "the network's own code"
        again = f" (call {call.index + 1})" if call.index else ""
        yield f"{kinds[0]} arises in {place}{again}"
    yield from among_inputs(run)


def gives_one(run: Run, call: Call) -> bool:
    return any(bad(run, value) for value in call.outputs)


def among_inputs(run: Run) -> Iterator[str]:
    """What is there from the beginning, or arises between layers."""
    root = run.calls[0]
    kinds = [kind for value in root.inputs if (kind := bad(run, value))]
    if kinds:
        yield f"{kinds[0]} is in the inputs"
    for call in run.calls[1:]:
        for value in call.inputs:
            if kind := bad(run, value):
                yield f"{kind} is in what {call.path} is given"


def bad(run: Run, value: Value) -> str:
    """`NaN`, `infinity`, or "" for a tensor of numbers."""
    sketch = run.sketch(value)
    return "NaN" if sketch.nan else "infinity" if sketch.infinite else ""
