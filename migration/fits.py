"""Whether the converted networks take the converted checkpoints: they are made, and load them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import MsconvertError
from ..formats.ckpt import write_ckpt
from ..formats.names.weight_map import ClassMap
from ..formats.pytorch.pth import load_pth
from ..troubleshooter.weights.fit import fit_of
from ..troubleshooter.weights.network import NetworkSide
from ..troubleshooter.weights.settings import NetworkCall
from .checkpoints import Group, Saved, groups_of
from .comparison import Compared
from .outcome import Fit


@dataclass(frozen=True)
class Places:
    """The project, where its new code is now, where it will be, and the Python of the target.

    `python`: one that has MindSpore; None for the bundled runtime.
    """

    project: Path
    staged: Path
    output: Path
    python: str | None = None


def fits_of(
    saved: Saved, networks: Sequence[Compared], maps: Sequence[ClassMap], places: Places
) -> Iterator[Fit]:
    """For each network whose weights are in the file, what of them it takes."""
    for group in groups_of(load_pth(places.project / saved.path), maps):
        if group.roots:
            yield fit_of_group(saved, group, networks, places)


def fit_of_group(saved: Saved, group: Group, networks: Sequence[Compared], places: Places) -> Fit:
    """The first call of a class of the weights that gives a network which takes just these."""
    names = {root.rpartition(".")[2] for root in group.roots}
    suited = [c for c in networks if c.network.name in names]
    suited.sort(key=lambda compared: compared.verdict != "equal")
    calls = [(c.network.file, call) for c in suited for call in c.network.calls]
    problem = "no network of its class could be made, so nothing has loaded it"
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "weights.ckpt")
        write_ckpt(
            file, ((part.name, group.conversion.content(part)) for part in group.conversion.parts())
        )
        for source, call in calls:
            problem = unfit(NetworkCall(places.staged / source, call, places.python), file)
            if not problem:
                return Fit(saved.path, call)
    return (
        Fit(saved.path, calls[0][1], problem, calls[0][0])
        if calls
        else Fit(saved.path, "", problem)
    )


def unfit(network: NetworkCall, file: str) -> str:
    """What keeps a network from taking the weights; "" if nothing does."""
    try:
        with NetworkSide(network, in_pytorch=False) as side:
            found = fit_of(side, (file,), ())
    except MsconvertError as error:
        return error.problem
    lists = {
        "missing": found.missing,
        "unexpected": found.unexpected,
        "of another shape": [other.name for other in found.shapes],
        "with other values": found.differing,
    }
    told = [f"{len(names)} {what} ({names[0]})" for what, names in lists.items() if names]
    return f"{network.call} has {', '.join(told)}" if told else ""
