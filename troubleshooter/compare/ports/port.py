"""Weights of networks whose layers have other names: found by structure, and copied so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...sides.child.messages import Inputs, Keeping, Recording
from ..matching.wholes import SameWeights
from ..recorded import Run
from ..session import Session
from ..weights import Weights, misfits_of, of_graph
from .graph import as_layers
from .owners import Owner
from .search import Match, Search, is_single
from .shares import Share, Step, mapping_with, pairs_of, values_of

FOUND = "names differ, so weights were matched by structure: {names}{verdict}"
AGREES = "; with them both networks give the same"
SHOWN = 4
"""So many pairs are listed."""


def is_port(session: Session, weights: Weights) -> bool:
    """Whether names leave weights of both networks without a counterpart."""
    mapping = weights.mapping
    is_graph = session.side(0) == "onnx"
    return bool((mapping.missing or is_graph) and mapping.unexpected) or bool(mapping.wrong)


def ported(
    session: Session, weights: Weights, inputs: Inputs, seed: int, folder: Path
) -> tuple[Weights, tuple[str, ...]]:
    """The weights as structure pairs them, given to B, and what is to be told of it.

    Those that names pair stay if structure explains no more tensors than they do.
    """
    if not is_port(session, weights) or not weights.is_copied:
        return weights, ()

    def run(index: int) -> Run:
        keeping = Keeping(str(folder / f"port_{index}"), 0)
        found: Recording = session.ask(index, "record", inputs, seed, "eval", keeping, ())
        made = Run(session.side(index), found, weights.states[index])
        return as_layers(made, weights.held[0]) if made.side == "onnx" else made

    def filled(shares: tuple[Share, ...]) -> Run:
        session.ask(1, "fill", values_of(shares, weights.states[0]))
        return run(1)

    a = run(0)
    session.checked(0, "record", a.recording.failure)
    match = Search(a, weights.held, filled, weights.said).found(run(1))
    if len(match.shares) <= len(weights.names) and not match.agrees:
        session.ask(1, "fill", weights.states[1])
        return weights, ()
    return taken(session, weights, match)


def taken(session: Session, weights: Weights, match: Match) -> tuple[Weights, tuple[str, ...]]:
    """B with the weights of the match."""
    values = values_of(match.shares, weights.states[0])
    states = weights.states[0], {**weights.states[1], **values}
    session.ask(1, "fill", states[1])
    pairs = tuple((share.ours[0], share.theirs) for share in match.shares if share.is_plain)
    ours = {item.name for share in match.shares for item in share.ours}
    theirs = {share.theirs.name for share in match.shares}
    mapping = replace(mapping_with(pairs, ours, theirs, weights.held), wrong=())
    is_graph = session.side(0) == "onnx"
    steps = () if is_graph else match.steps  # its nodes are layers for the search only
    found = replace(
        weights,
        states=states,
        names=dict(pairs_of(match.shares)),
        misfits=misfits_of(of_graph(mapping) if is_graph else mapping),
        mapping=mapping,
        same=same_weights(steps),
    )
    names = [share.told() for share in match.shares]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    verdict = AGREES if match.agrees else ""
    remark = FOUND.format(names=", ".join(names[:SHOWN]) + more, verdict=verdict)
    return found, (remark,)


def same_weights(steps: Iterable[Step]) -> SameWeights:
    """Which layers hold the same: one and one, or one and several."""
    steps = tuple(steps)
    return SameWeights(
        {s.ours[0].path: s.theirs[0].path for s in steps if is_single(s)},
        tuple((paths(s.ours), paths(s.theirs)) for s in steps if not is_single(s)),
    )


def paths(owners: Iterable[Owner]) -> frozenset[str]:
    return frozenset(owner.path for owner in owners)
