"""What `msconvert compare` says of planted faults: `python benchmarks/planted.py [PART ...]`.

Every fault of tests/troubleshooter/planted/table.py is planted in a converted network, which is
compared with its original; then come pairs without a fault. One process runs each framework. Needs
PyTorch and the real MindSpore (`bash tests/make_mindspore_env.sh`); the whole takes three minutes.
With PARTs only faults that have one in their key are compared, and docs/planted-faults.md stays as
it is; without, it is written.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from msconvert.errors import MsconvertError
from msconvert.tests.api_mapping.verification import mindspore_python
from msconvert.tests.troubleshooter.planted.networks import Workshop
from msconvert.tests.troubleshooter.planted.page import PAGE, Entry, Pair, entry, page
from msconvert.tests.troubleshooter.planted.planting import Outcome, Planter
from msconvert.tests.troubleshooter.planted.table import FAULTS
from msconvert.tests.troubleshooter.planted.unfaulted import UNFAULTED, of_models, with_graphs
from msconvert.troubleshooter.compare import NetworkComparer


def main() -> None:
    parts = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, NetworkComparer() as comparer:
        planter = Planter(Workshop(Path(folder)), comparer, mindspore_python())
        entries = list(of_faults(planter, parts))
        pairs = list(of_pairs(planter, Path(folder))) if not parts else []
    if not parts:
        PAGE.write_text(page(entries, pairs), encoding="utf-8")


def of_faults(planter: Planter, parts: list[str]) -> Iterator[Entry]:
    for fault in FAULTS:
        if parts and not any(part in fault.key for part in parts):
            continue
        begun = time.perf_counter()
        try:
            outcome = planter.outcome(fault)
        except MsconvertError as error:
            outcome = Outcome(fault, None, "", str(error), 0.0)
        found = entry(outcome)
        seconds = time.perf_counter() - begun
        named = f"{found.layer_named} {found.cause_named} ({found.told})"
        print(f"{found.right:9} {fault.key} -> {named} {found.off_by} {seconds:.1f} s", flush=True)
        yield found


def of_pairs(planter: Planter, folder: Path) -> Iterator[Pair]:
    for one in UNFAULTED:
        yield shown(one.pair(planter))
    for pair in with_graphs(planter):
        yield shown(pair)
    for pair in of_models(planter.comparer, folder / "models"):
        yield shown(pair)


def shown(pair: Pair) -> Pair:
    print(pair, flush=True)
    return pair


if __name__ == "__main__":
    main()
