"""Each network of a project, run on both sides: equal, other, or run by nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ..errors import MsconvertError
from ..troubleshooter.sides.inputs import shape_of
from ..troubleshooter.verify import CaseResult, Verifier
from ..troubleshooter.verify import Settings as Verify
from ..troubleshooter.weights.settings import NetworkCall
from .first_weight import inputs_of_made
from .networks import Inputs, Network

Verdict = Literal["equal", "part", "differs", "not compared"]


@dataclass(frozen=True)
class Compared:
    """What came of a network: of which call, with which inputs, and why if it is not equal.

    "part": it is within a network that is equal, or a base of it. `classes` are those of the
    modules that ran.
    """

    network: Network
    verdict: Verdict
    call: str = ""
    inputs: Inputs = ()
    reason: str = ""
    classes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.verdict in ("equal", "part")


def compared(
    networks: Sequence[Network],
    project: Path,
    output: Path,
    settings: Verify,
    tell: Callable[[str], None],
) -> list[Compared]:
    """Every network, after those that it is a part of; the code of both folders is run."""
    found: dict[str, Compared] = {}
    with Verifier(tell) as verifier:
        for network in outermost_first(networks):
            if network.key in parts_of_equal(list(found.values()), networks):
                found[network.key] = Compared(network, "part")
                continue
            trial = Trial(verifier, network, project, output, settings)
            found[network.key] = trial.outcome()
    return [found[network.key] for network in networks]


def outermost_first(networks: Sequence[Network]) -> list[Network]:
    """Those that are part of none before those that are; of these, in their order."""
    inner = {part for network in networks for part in network.parts if part != network.key}
    return sorted(networks, key=lambda network: network.key in inner)


def parts_of_equal(found: Sequence[Compared], networks: Sequence[Network]) -> set[str]:
    """The keys of the classes that are within networks that are equal, and of all their bases.

    What a network may be made of counts only if it was there when it ran: `classes`.
    """
    by_key = {network.key: network for network in networks}
    equal = [each for each in found if each.verdict == "equal"]
    seen = {".".join(name.split(".")[-2:]) for each in equal for name in each.classes}
    waiting = [network for network in networks if network.short in seen]
    waiting += [each.network for each in equal]
    reached = {network.key for network in waiting}
    while waiting:
        for base in waiting.pop().bases:
            if base in by_key and base not in reached:
                reached.add(base)
                waiting.append(by_key[base])
    return reached


@dataclass(frozen=True)
class Trial:
    """One network, tried until a call and inputs suit the original."""

    verifier: Verifier
    network: Network
    project: Path
    output: Path
    settings: Verify

    def outcome(self) -> Compared:
        """The first call that the original takes says what both are."""
        network = self.network
        if not network.calls:
            problem = "nothing in the project says with which plain values it is made"
            return Compared(network, "not compared", reason=problem)
        last = Compared(network, "not compared", reason="nothing says what to call it with")
        for call in network.calls:
            for inputs in self.inputs(call):
                result = self.tried(call, inputs)
                if isinstance(result, CaseResult):
                    return judged(network, call, inputs, result)
                last = Compared(network, "not compared", call, inputs, result or last.reason)
        return last

    def inputs(self, call: str) -> Iterator[Inputs]:
        """What was asked for; else what the original says in inputs(), and what fits."""
        yield ()
        if self.settings.shapes:
            return
        known = self.network.inputs
        yield from known
        if self.network.takers:
            place = NetworkCall(self.project / self.network.file, call)
            made = inputs_of_made(place, self.network.takers)
            yield from (inputs for inputs in made if inputs not in known)

    def tried(self, call: str, inputs: Inputs) -> CaseResult | str:
        """What both give; a text if the original cannot be called so."""
        shapes = tuple(map(shape_of, inputs)) or self.settings.shapes
        settings = replace(self.settings, calls=(call,), shapes=shapes)
        files = (self.project / self.network.file, self.output / self.network.file)
        try:
            (case,) = self.verifier.verify(*files, settings).cases
        except MsconvertError as error:
            return error.problem
        last = case.stages[-1]
        is_hopeless = last.stage in ("parses", "imports")
        if is_hopeless or last.status != "skipped" or case.stage("equal").status != "skipped":
            return case
        return last.explanation.problem if last.explanation is not None else "it cannot be run"


def judged(network: Network, call: str, inputs: Inputs, result: CaseResult) -> Compared:
    """What a comparison says that was carried out."""
    if result.is_equal:
        return Compared(network, "equal", call, inputs, classes=result.classes)
    failure = result.first_failure
    why = (failure or result.stages[-1]).explanation
    reason = why.problem if why is not None else "it was not compared to the end"
    return Compared(network, "differs" if failure else "not compared", call, inputs, reason)
