"""Pairs of networks that do the same, which nothing may be said of: 100 of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msconvert.errors import MsconvertError
from msconvert.troubleshooter.compare import NetworkComparison

from ..fault import Mode, Reference, Target
from ..page import Pair, sides
from ..unfaulted import said
from .drawing import EXPORTED, EXPORTED_FOURTH, EXPORTED_LATER, EXPORTED_THIRD
from .judging import DrawnPlanter
from .lot import FOURTH, LATER, NETWORKS, PORTS, THIRD, port
from .otherwise import RENAMED, REWRITINGS, renamed, rewritten

ON_MINDSPORE = tuple(name for name in NETWORKS if name not in ("denoiser", "capsules"))


@dataclass(frozen=True)
class Twin:
    """A port, how it is written, and where it is compared."""

    network: str
    manner: str
    text: str
    reference: Reference = "torch"
    target: Target = "runtime"
    mode: Mode = "eval"

    def pair(self, planter: DrawnPlanter) -> Pair:
        with tempfile.TemporaryDirectory(prefix="twin-") as folder:
            try:
                told = said(self.compared(planter, Path(folder)))
            except MsconvertError as error:
                told = str(error)
        return Pair(
            f"{self.network}: {self.manner}", sides(self.reference, self.target), self.mode, told
        )

    def compared(self, planter: DrawnPlanter, folder: Path) -> NetworkComparison:
        made = planter.workshop.converted(self.network, self.reference)
        script = folder / made.script.name
        script.write_text(self.text, encoding="utf-8")
        compat = PORTS / "_ms_compat.py"
        (folder / compat.name).write_bytes(compat.read_bytes())
        settings = planter.settings(made, None, self.target, self.mode)
        return planter.comparer.compare(made.a, script, settings)


def twins() -> Iterator[Twin]:
    for number, (name, own, new) in enumerate(REWRITINGS, 1):
        yield Twin(name, f"rewriting {number}", port(name).replace(own, new))
    for name in RENAMED:
        yield Twin(name, "other names", renamed(port(name)))
    for name in ON_MINDSPORE:
        yield Twin(name, "as converted", port(name), target="mindspore")
    for name in NETWORKS:
        yield Twin(name, "as converted", port(name), mode="both")
        yield Twin(name, "all rewritings", rewritten(port(name), name, ""))
    for name in EXPORTED:
        yield Twin(name, "as converted", port(name), reference="onnx")
        yield Twin(name, "all rewritings", rewritten(port(name), name, ""), reference="onnx")


def later_twins() -> Iterator[Twin]:
    """Of the networks that were written later, 27."""
    yield from twins_of(LATER, EXPORTED_LATER)


def third_twins() -> Iterator[Twin]:
    """Of those that were written third, 28."""
    yield from twins_of(THIRD, EXPORTED_THIRD)


def fourth_twins() -> Iterator[Twin]:
    """Of those that came behind these, 29."""
    yield from twins_of(FOURTH, EXPORTED_FOURTH)


def twins_of(networks: tuple[str, ...], exported: tuple[str, ...]) -> Iterator[Twin]:
    for name in networks:
        yield Twin(name, "as converted", port(name), mode="both")
        yield Twin(name, "all rewritings", rewritten(port(name), name, ""))
        yield Twin(name, "other names", renamed(port(name)))
        yield Twin(name, "as converted", port(name), target="mindspore")
    for name in exported:
        yield Twin(name, "as converted", port(name), reference="onnx")
