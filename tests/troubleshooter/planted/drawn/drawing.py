"""Draws faults by random: `python -m msconvert.tests.troubleshooter.planted.drawn.drawing SEED N`.

With `later`, `third` or `fourth` behind it of the networks that were written later, with `earlier`
of all that were written before the fourth. A network after the other, a kind, then a place of it.
What does not run, or gives nothing else on the runtime by itself, is drawn anew.
`msconvert compare` has no part in it.
"""

from __future__ import annotations

import ast
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..fault import Reference, Target, Weights
from ..networks import Workshop
from . import layers
from .lot import (
    CALLS,
    EARLIER,
    FOURTH,
    LATER,
    LOTS,
    NETWORKS,
    ORIGINALS,
    PORTS,
    THIRD,
    Drawn,
    answering,
    port,
    write,
)
from .slips import Slip, Source, slips
from .trial import Trial

EXPORTED = (
    *("capsules", "denoiser", "drawing", "keeping", "masked_words", "molecules"),
    *("outlines", "tiles"),
)
"""Which the exporter by TorchScript takes."""
EXPORTED_LATER = ("cells", "points", "shop")
EXPORTED_THIRD = ("experts", "motion", "speaker", "states")
EXPORTED_FOURTH = ("board", "captions", "genes", "orbits", "reader")
GROUPS = {"later": LATER, "third": THIRD, "earlier": EARLIER, "fourth": FOURTH}
OFTEN = (EARLIER, FOURTH)
"""Of these every other fault is beside an ONNX file, if there is one; of others every fifth."""

CATEGORIES = ("code",) * 8 + ("option", "structure", "weights", "weights")
"""Two thirds in the networks' own code."""


class Drawer:
    def __init__(self, seed: int, folder: Path, networks: Sequence[str] = NETWORKS) -> None:
        self.networks = networks
        self.random = random.Random(seed)
        self.workshop = Workshop(folder, ORIGINALS, CALLS)
        self.trials: dict[str, Trial] = {}
        self.plain: dict[str, Any] = {}
        self.paths: dict[str, dict[str, list[str]]] = {}
        self.seen: set[str] = set()

    def lot(self, count: int) -> list[Drawn]:
        found: list[Drawn] = []
        while len(found) < count:
            turn, place = divmod(len(found), len(self.networks))
            network = self.networks[place]
            category = CATEGORIES[(len(found) + turn) % len(CATEGORIES)]
            found.append(self.one(network, category, len(found)))
        return found

    def one(self, network: str, category: str, number: int) -> Drawn:
        self.prepare(network)
        sides = self.sides(network, number)
        while True:
            drawn = self.drawn(network, category, sides)
            if drawn is None or drawn.key in self.seen:
                continue
            weights = dict(self.trials[network].weights)
            if drawn.weights:
                weights = layers.spoiled(drawn.weights[0], drawn.weights[1:]).of(weights)
            if self.trials[network].shows(self.plain[network], drawn.text, weights):
                self.seen.add(drawn.key)
                return drawn

    def sides(self, network: str, number: int) -> tuple[Reference, Target]:
        exported = (*EXPORTED, *EXPORTED_LATER, *EXPORTED_THIRD, *EXPORTED_FOURTH)
        is_exported = network in exported
        turn = number // len(self.networks)
        is_due = (number + turn) % 2 == 1 if self.networks in OFTEN else number % 5 == 4
        reference: Reference = "onnx" if is_exported and is_due else "torch"
        return reference, "mindspore" if number % 7 == 3 else "runtime"

    def drawn(self, network: str, category: str, sides: tuple[Reference, Target]) -> Drawn | None:
        source = Source(port(network))
        if category == "weights":
            return self.of_weights(network, sides)
        found = {
            "code": slips,
            "option": layers.of_options,
            "structure": layers.of_structure,
        }[category](source)
        kinds = defaultdict(list)
        for one in found:
            if category != "code" or one.kind != "layer left out":
                kinds[one.kind].append(one)
        if not kinds:
            return self.drawn(network, "structure", sides)
        slip = self.random.choice(kinds[self.random.choice(sorted(kinds))])
        return self.of_slip(network, category, slip, sides)

    def of_slip(
        self, network: str, category: str, slip: Slip, sides: tuple[Reference, Target]
    ) -> Drawn:
        text = port(network)
        uses: tuple[int, ...] = ()
        if category == "code" and slip.uses:
            lines = text.split("\n")
            uses = tuple(i for i, one in enumerate(lines, 1) if f"self.{slip.uses}" in one)
        return Drawn(
            network,
            category,
            slip.kind,
            *sides,
            self.random.random() < 0.5,
            slip.start,
            text[slip.start : slip.end],
            slip.new,
            answering(network, slip.lines[0]) if not uses else (),
            tuple(range(slip.lines[0], slip.lines[1] + 1)),
            uses,
            self.layers_of(network, category, slip),
            slip.causes,
        )

    def of_weights(self, network: str, sides: tuple[Reference, Target]) -> Drawn:
        found = defaultdict(list)
        for kind, names in layers.of_weights(self.trials[network].weights):
            found[kind].append(names)
        kind = self.random.choice(sorted(found))
        names = self.random.choice(found[kind])
        paths = tuple(name.rpartition(".")[0] for name in names)
        owned = tuple(dict.fromkeys(paths[:1] if kind == "copied" else paths))
        planted = (kind, *names)
        more = (owned, ("parameters",), planted)
        return Drawn(network, "weights", kind, *sides, False, 0, "", "", (), (), (), *more)

    def layers_of(self, network: str, category: str, slip: Slip) -> tuple[str, ...]:
        """The paths of all blocks in which the mistake is; with the layers that are named in it."""
        paths = self.paths[network]
        owners = [slip.owner] if slip.owner else callers(port(network), slip)
        blocks = [path for owner in owners for path in paths.get(owner, [])]
        if category == "code" or not slip.uses:
            return tuple(dict.fromkeys(blocks))
        within = [f"{block}.{name}".lstrip(".") for block in blocks for name in slip.uses.split()]
        return tuple(dict.fromkeys(within if category == "option" else [*blocks, *within]))

    def prepare(self, network: str) -> None:
        if network in self.trials:
            return
        made = self.workshop.converted(network, "torch")
        with np.load(made.inputs) as held:
            inputs = tuple(held[name] for name in held.files)
        weights: Weights = made.tensors
        trial = Trial(PORTS, weights, inputs)
        self.trials[network] = trial
        self.plain[network] = trial.results(port(network), weights)
        found = defaultdict(list)
        for path, cell in trial.network(port(network)).cells_and_names():
            found[type(cell).__name__].append(path)
        self.paths[network] = dict(found)


def callers(text: str, slip: Slip) -> Sequence[str]:
    """The classes that call the function around a place, also by way of other functions."""
    tree = ast.parse(text)
    own = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    held = [f for f in own if f.lineno <= slip.lines[0] <= (f.end_lineno or 0)]
    names, found = {one.name for one in held}, []
    for _ in own:
        names |= {f.name for f in own if names & called_in(f)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and names & called_in(node):
            found.append(node.name)
    return found


def called_in(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    networks = GROUPS[sys.argv[3]] if sys.argv[3:] else NETWORKS
    LOTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        write(Drawer(seed, Path(folder), networks).lot(count), LOTS / f"seed_{seed}.json")


if __name__ == "__main__":
    main()
