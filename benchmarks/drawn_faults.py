"""What `msconvert compare` says of faults drawn by random: `python benchmarks/drawn_faults.py`.

Names of lots with what they are, as `seed_2126_after`, and of pairs, as `pairs_after`, say what is
compared; without any, all that is kept of "after" and the pairs. Each result is kept in a file of
its own, of which docs/drawn-faults.md is written. What is called "blind" was measured before
anything was mended, and is not measured again. Needs PyTorch and the real MindSpore
(`bash tests/make_mindspore_env.sh`).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from msconvert.tests.api_mapping.verification import mindspore_python
from msconvert.tests.troubleshooter.planted.drawn.judging import DrawnPlanter
from msconvert.tests.troubleshooter.planted.drawn.lot import LOTS, Drawn, read
from msconvert.tests.troubleshooter.planted.drawn.page import (
    PAGE,
    Entry,
    entry,
    keep,
    keep_pairs,
    measured,
    page,
)
from msconvert.tests.troubleshooter.planted.drawn.pairs import (
    Twin,
    fourth_twins,
    later_twins,
    third_twins,
    twins,
)
from msconvert.tests.troubleshooter.planted.page import Pair
from msconvert.troubleshooter.compare import NetworkComparer

TWINS = {"after": twins, "later": later_twins, "third": third_twins, "fourth": fourth_twins}


def main() -> None:
    lots = [one for one in measured() if one.endswith("_after")]
    asked = sys.argv[1:] or [*lots, *(f"pairs_{when}" for when in TWINS)]
    with tempfile.TemporaryDirectory() as folder, NetworkComparer() as comparer:
        planter = DrawnPlanter(Path(folder), comparer, mindspore_python())
        for name in asked:
            kind, _, when = name.rpartition("_")
            if kind == "pairs":
                keep_pairs([of_twin(twin, planter) for twin in TWINS[when]()], when)
            else:
                lot = read(LOTS / f"{kind}.json")
                keep(name, [of_fault(drawn, planter) for drawn in lot])
    PAGE.write_text(page(), encoding="utf-8")


def of_fault(drawn: Drawn, planter: DrawnPlanter) -> Entry:
    found = entry(planter.verdict(drawn))
    print(found, flush=True)
    return found


def of_twin(twin: Twin, planter: DrawnPlanter) -> Pair:
    found = twin.pair(planter)
    print(found, flush=True)
    return found


if __name__ == "__main__":
    main()
