"""Both networks made, with the weights that they are to have, and what they are called with."""

from __future__ import annotations

from ...errors import UsageError
from ..sides.child.messages import WEIGHTS, Inputs, Loaded
from ..sides.halves import Half
from ..sides.inputs import from_file, made
from ..sides.naming import Mapping
from .matching.wholes import SameWeights
from .ports.given import given_shares
from .ports.shares import layer_of, layers_of, values_of, with_given
from .session import Session
from .settings import NetworkSettings
from .weights import Weights, copied, left, load, mapped, misfits_of

LOAD = "load("


def networks(session: Session, wanted: NetworkSettings) -> Weights:
    """Makes both networks, with the weights that they are to have; these.

    Raises: MS401 if nothing says which networks, MS402, MS405 if they cannot be made, MS403 if
    the weights of a file are others
    """
    calls = [call_of(session, index, wanted.call) for index in (0, 1)]
    is_copy = is_copied(session, calls, wanted)
    calls[0] = WEIGHTS if is_copy and session.side(0) == "onnx" else calls[0]
    session.ask(0, "compare_with", session.halves[1].worker.kind)
    is_new = wanted.weights_a is None and session.subjects[0].network is None
    stirred = is_copy and is_new, False
    arguments = [(call, wanted.seed, stir) for call, stir in zip(calls, stirred, strict=True)]
    held = session.both("construct", *arguments)
    unplaced: list[str] = []
    for index, file in enumerate((wanted.weights_a, wanted.weights_b)):
        if file is not None and (more := load(session, index, file, held[index])):
            unplaced.append(left(session.subjects[index], file, more))
    mapping = mapped(session, *held) if all(held) else Mapping((), (), (), ())
    given = given_shares(wanted.naming, wanted.renames, *held) if all(held) else ()
    mapping = with_given(mapping, given, held)
    states = session.both("state", (), ())
    if is_copy:
        values = {**copied(mapping, states[0]), **values_of(given, states[0])}
        session.ask(1, "fill", values)
        states = states[0], {**states[1], **values}
    names = {one.name: other.name for one, other in mapping.pairs}
    said = layers_of(given)
    by_name = {layer_of(one): layer_of(other) for one, other in mapping.pairs} if given else {}
    misfits = *unplaced, *misfits_of(mapping)
    facts = misfits, mapping, held, is_copy, SameWeights({**by_name, **said}), said
    return Weights(states, names, *facts)


def inputs_of(session: Session, wanted: NetworkSettings) -> Inputs:
    """What both are called with. Raises: MS401 if nothing says it"""
    if wanted.inputs is not None:
        return in_order(from_file(wanted.inputs), session)
    if wanted.shapes:
        return made(wanted.shapes, wanted.seed)
    for index in (0, 1):
        if loaded_by(session.halves[index]).has_inputs:
            found: Inputs = session.ask(index, "own_inputs", wanted.seed)
            return found
    problem = "nothing says what to call the network with"
    raise UsageError(
        "MS401", "the inputs", problem, advice="--shape SIZES for each input; in Python, inputs="
    )


def in_order(inputs: Inputs, session: Session) -> Inputs:
    """Named as a graph's inputs: in their order, as the other side may have other names."""
    names = [name for half in session.halves for name in loaded_by(half).inputs]
    known = {name: inputs.kwargs[name] for name in names if name in inputs.kwargs}
    return Inputs(inputs.args, {**known, **inputs.kwargs})


def loaded_by(half: Half) -> Loaded:
    found = half.loaded()
    assert isinstance(found, Loaded)  # else it would not have come so far
    return found


def call_of(session: Session, index: int, otherwise: str | None) -> str:
    """What makes the network of one side. Raises: MS401 if nothing says it"""
    subject = session.subjects[index]
    if subject.side == "onnx" or subject.network is not None:
        return ""
    if subject.call is not None:
        return subject.call
    loaded = loaded_by(session.halves[index])
    name = (otherwise or "").partition("(")[0]
    if otherwise is not None and (name in loaded.classes or not loaded.has_load):
        return otherwise if otherwise.endswith(")") else f"{otherwise}()"
    for has, call in ((loaded.has_build, "build()"), (loaded.has_load, "load()")):
        if has:
            return call
    if len(loaded.classes) == 1:
        return f"{loaded.classes[0]}()"
    raise UsageError(
        "MS401",
        str(subject.file),
        "nothing says which network to compare",
        got=f"the classes {', '.join(loaded.classes)}" if loaded.classes else "no class",
        advice=f'--call "Net(10)", or {subject.file}:"Net(10)"',
    )


def is_copied(session: Session, calls: list[str], settings: NetworkSettings) -> bool:
    """Whether B is given A's weights."""
    if session.side(1) == "onnx" or settings.weights_b is not None:
        return False
    if settings.copy_weights is not None:
        return settings.copy_weights
    return session.subjects[1].network is None and not calls[1].startswith(LOAD)
