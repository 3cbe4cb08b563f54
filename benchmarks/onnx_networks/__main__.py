"""Networks of three libraries and of our own, exported, converted, compared:

    python -m msconvert.benchmarks.onnx_networks FOLDER --make PYTHON   # has PyTorch
    python -m msconvert.benchmarks.onnx_networks FOLDER --mindspore PYTHON
    python -m msconvert.benchmarks.onnx_networks FOLDER --mindspore PYTHON --list control
    python -m msconvert.benchmarks.onnx_networks FOLDER --mindspore PYTHON --train

The lists are in `listed.py` and `later.py`; results are kept one by one in a file (`--to`), so that
a run may be ended and goes on where it was; docs/onnx-networks.md is made of them. `--only NAME`
does some again.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from pathlib import Path

import msconvert
from msconvert.benchmarks.onnx_networks import judging
from msconvert.benchmarks.onnx_networks.judging import Result
from msconvert.benchmarks.onnx_networks.later import LATER
from msconvert.benchmarks.onnx_networks.listed import (
    CONTROL,
    FINE_TUNED,
    GALLERY,
    NETWORKS,
    Network,
    folder_of,
    in_order,
    networks_of,
)
from msconvert.benchmarks.onnx_networks.page import (
    CONTROL_RESULTS,
    GALLERY_PAGES,
    LATER_RESULTS,
    LATEST,
    PAGE,
    page,
    read,
)
from msconvert.child_process import Bounds, Ended, confined
from msconvert.converter.convert import Options, convert
from msconvert.errors import MsconvertError
from msconvert.tests.warm import stand_in

HERE = Path(__file__).parent
PROOF = Path(msconvert.__file__).parent / "converter" / "proof"
BOUNDS = Bounds(4 << 30, 400, 900)
"""What one file may take: memory, CPU seconds, seconds."""

LISTS = {
    "first": (NETWORKS, LATEST),
    "control": (CONTROL, CONTROL_RESULTS),
    "later": (networks_of(*LATER), LATER_RESULTS),
}
"""The networks of each list, and where their results are kept."""

MINDSPORE_S = 150
DRIVER = """
import resource, sys
from pathlib import Path
seconds, proof, script, folder = sys.argv[1:5]
resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
sys.path.insert(0, proof)
import run_script
run_script.run_script(Path(script), Path(folder), 1, ("pynative",))
"""


def make(python: str, folder: Path, networks: list[Network]) -> None:
    """The files that are not there yet, by the Python that has PyTorch."""
    missing = [n for n in networks if not (folder / folder_of(n)).exists()]
    lines = "".join(f"{network.name}\n" for network in missing)
    command = [python, str(HERE / "making.py"), str(folder)]
    subprocess.run(command, input=lines, text=True, check=True, stdout=subprocess.DEVNULL)


def on_mindspore(python: Path, folder: Path) -> str:
    """Whether the script for MindSpore gives what ONNX Runtime gave on the original."""
    try:
        out = confined(lambda _: judging.for_mindspore(folder), BOUNDS)
    except (Ended, MsconvertError) as error:
        return judging._short(str(error))
    runs = folder / "runs"
    for old in runs.glob("outputs_*"):
        old.unlink()
    errors = runs / "errors.txt"
    arguments = [str(MINDSPORE_S), str(PROOF), str((out / "model.py").resolve()), str(runs)]
    with errors.open("w") as said:
        command = [python, "-c", DRIVER, *arguments]
        done = subprocess.run(command, cwd=out, stdout=subprocess.DEVNULL, stderr=said, check=False)
    if done.returncode != 0:
        lines = [line for line in errors.read_text(errors="replace").splitlines() if line.strip()]
        last = next((line for line in reversed(lines) if "Error" in line), "".join(lines[-1:]))
        return judging._short(f"exit status {done.returncode}: {last}")
    return judging.verdict(runs, ("pynative",))


def result_of(network: Network, folder: Path, mindspore: Callable[[Path], str]) -> Result:
    """One network, in a process of its own."""
    here = folder / folder_of(network)
    if not (here / "model.onnx").exists():
        return Result(refused=judging.refused(here))
    try:
        result = confined(lambda _: judging.judged(here), BOUNDS)
    except (Ended, MsconvertError) as error:
        return Result(command=judging._short(str(error)), runtime="not converted")
    if (here / "runs" / "plain_0.npz").exists() and result.nodes == 1:
        return replace(result, mindspore=mindspore(here))
    return replace(result, mindspore="not converted")


def exhibit(folder: Path) -> None:
    """Writes the scripts of docs/gallery, of the networks whose files are there."""
    GALLERY_PAGES.mkdir(exist_ok=True)
    for network in GALLERY:
        here = folder / folder_of(network)
        if (here / "model.onnx").exists():
            report = convert(Options(here / "model.onnx", output=here / "bundled", force=True))
            print(f"{network.name:40} {'equal' if report.ok else 'not equal'}")
            if report.ok:
                text = (here / "bundled" / "model.py").read_text(encoding="utf-8")
                (GALLERY_PAGES / f"{network.name}.py").write_text(text, encoding="utf-8")


def train(folder: Path, python: str) -> None:
    """Prints how far the losses of twenty steps are from PyTorch's, on both targets."""
    networks = [n for n in in_order() if n.name in FINE_TUNED]
    for network, target in product(networks, ("bundled", "mindspore")):
        here, out = folder / folder_of(network), folder / folder_of(network) / f"train_{target}"
        model = here / "model.onnx"
        convert(Options(model, output=out, force=True, target=target, verify=False))
        command = [sys.executable if target == "bundled" else python, str(HERE / "training.py")]
        command += [str((out / "model.py").resolve()), str(here.resolve())]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wanted, found = (json.loads((x / "losses.json").read_text()) for x in (here, out))
        worst = max(abs(a - b) / abs(b) for a, b in zip(found, wanted, strict=True))
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(
            f"{network.name:30} {target:10} {len(found)} steps, loss {found[0]:.4f} to "
            f"{found[-1]:.4f}, at most {worst:.1e} from PyTorch's, {cpu_s:.0f} s of CPU",
            flush=True,
        )


def write(path: Path, results: dict[str, Result]) -> None:
    text = json.dumps({n: asdict(r) for n, r in sorted(results.items())}, indent=1)
    new = path.with_suffix(".new")
    new.write_text(text + "\n", encoding="utf-8")
    new.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", help="the Python that has PyTorch, timm and transformers")
    parser.add_argument("--mindspore", help="the Python that has MindSpore")
    parser.add_argument("--to", type=Path, help="the file of the results")
    parser.add_argument(
        "--only",
        dest="names",
        nargs="*",
        default=[],
        help="networks to do again; all that are missing",
    )
    parser.add_argument(
        "--list", choices=LISTS, default="first", help="control: the files with loops"
    )
    parser.add_argument("--gallery", action="store_true", help="write docs/gallery instead")
    parser.add_argument("--train", action="store_true", help="fine-tune some of them instead")
    given = parser.parse_args()
    if given.train:
        train(given.folder, given.mindspore)
        return
    if given.gallery:
        exhibit(given.folder)
        PAGE.write_text(page(), encoding="utf-8")
        return
    listed, kept = LISTS[given.list]
    to = given.to or kept
    results = read(to)
    networks = [n for n in in_order(listed) if n.name in given.names or not given.names]
    networks.sort(key=lambda n: given.names.index(n.name) if given.names else 0)
    if given.make:
        make(given.make, given.folder, networks)
    with ExitStack() as stack:
        ask: Callable[[Path], str] = lambda _: ""  # noqa: E731  # no MindSpore: it is not asked
        if given.mindspore:  # which is imported once
            ask = partial(on_mindspore, stack.enter_context(stand_in(given.mindspore, "mindspore")))
        for network in networks:
            if network.name in results and not given.names:
                continue
            results[network.name] = result = result_of(network, given.folder, ask)
            write(to, results)
            print(f"{network.name:40} {result.command} | {result.runtime} | {result.mindspore}")
            sys.stdout.flush()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
