"""Snippets as whole files: converted by the converter, executed on both sides, and compared.

python -m msconvert.tests.api_mapping.migrate.snippets rows|variants|written [-sSHARE] [-v] [NAME]
    prints what is not equal, and the shares; -v prints the code, NAME chooses by the API's name
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.findings.model import Standing
from msconvert.api_mapping.reference.examples import Example, examples
from msconvert.api_mapping.source.compat_module import compat_module
from msconvert.api_mapping.source.file import Migrated, migrate_file
from msconvert.api_mapping.source.marks import MARK
from msconvert.api_mapping.table.rule import Check
from msconvert.api_mapping.table.target import Settings, Target
from msconvert.tests.api_mapping.inputs import INPUTS
from msconvert.tests.api_mapping.migrate import snippet_sides
from msconvert.tests.api_mapping.two_sides import read
from msconvert.tests.api_mapping.variants import variants
from msconvert.tests.api_mapping.verification import NOT_THERE, mindspore_python, unequal

WRITTEN = Path(__file__).parent / "written_snippets"

IMPORTS = {
    "torch": "import torch",
    "th": "import torch as th",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "functional": "from torch.nn import functional",
    "layers": "from torch import nn as layers",
    "init": "from torch.nn import init",
    "optim": "from torch import optim",
    "lr_scheduler": "from torch.optim import lr_scheduler",
    "data": "from torch.utils import data",
    "torchvision": "import torchvision",
    "transforms": "from torchvision import transforms",
    "v2": "from torchvision.transforms import v2",
    "Image": "from PIL import Image",
    "math": "import math",
    "np": "import numpy as np",
}
"""How people import what the examples name."""

FORMS_OF_INPUTS = {
    "pixels": 'arrays["pixels"].copy()',
    "picture": 'Image.fromarray(arrays["picture"])',
    "weight": 'nn.Parameter(torch.from_numpy(arrays["weight"].copy()))',
    "kernel": 'nn.Parameter(torch.from_numpy(arrays["kernel"].copy()))',
}
NO_DATASETS = "ModuleNotFoundError: No module named 'msconvert.runtime.dataset'"
"""What the bundled runtime lacks as a whole."""


@dataclass(frozen=True)
class Snippet:
    """A file as others write it; `api` is what it is about."""

    id: str
    api: str
    code: str
    state: Mapping[str, str] = field(default_factory=dict)
    check: Check = "value"


def of_example(example: Example, form: str) -> Snippet:
    """An example of a row as a file: with its imports, its inputs, and a name for its result."""
    tree = ast.parse(example.code)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("result", ast.Store())], last.value, lineno=1)
    code = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and is_bound(n)}
    inputs = "".join(f"{name} = {given(name)}\n" for name in INPUTS if name in named)
    head = 'arrays = np.load("inputs.npz")\n' if inputs else ""
    named |= {n.id for n in ast.walk(ast.parse(head + inputs)) if isinstance(n, ast.Name)}
    imports = [line for name, line in IMPORTS.items() if name in named - bound]
    text = "\n".join(imports) + "\n" + head + inputs + code
    state = {} if example.mint else dict(example.rule.state)
    return Snippet(f"{form} | {example.id}", example.rule.name, text, state, example.rule.check)


def is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def given(name: str) -> str:
    """The code of an input."""
    usual = f'torch.from_numpy(arrays["{name}"].copy())'
    return FORMS_OF_INPUTS.get(name, usual)


def of_rows() -> Iterator[Snippet]:
    """The examples of all rows."""
    for example in examples():
        if not example.mint and example.rule.check != "alone":
            yield of_example(example, "row")


def of_variants(share: float) -> Iterator[Snippet]:
    """The examples in other forms: a share of them, the same ones each time."""
    for number, variant in enumerate(variants(share=share)):
        yield of_example(variant, f"{number} {variant.form}")


def written() -> Iterator[Snippet]:
    """The snippets that were written by hand."""
    for file in sorted(WRITTEN.glob("*.txt")):
        yield from snippets_in(file)


def snippets_in(file: Path) -> Iterator[Snippet]:
    """The snippets of a text.

    `== torch.add` begins those about an API, with what all of them begin with; each follows a
    line `--`.
    """
    _, *blocks = file.read_text(encoding="utf-8").split("\n== ")
    for place, block in enumerate(blocks):
        api, _, rest = block.partition("\n")
        head, *cases = rest.split("--\n")
        for number, case in enumerate(cases, 1):
            code = f"import torch\n{head}{case.rstrip()}\n"
            yield Snippet(f"{file.stem} {place} {api} #{number}", api.strip(), code)


class Fate(StrEnum):
    """What became of a snippet on one side, from best to worst."""

    EQUAL = "equal"
    REFUSED = "refused"  # marked in the file
    RAISES = "raises"
    TOLD = "differs as the report says"
    SILENT = "silently different"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Judged:
    """A snippet that PyTorch accepts: the file that became of it, and what each side made of it."""

    snippet: Snippet
    migrated: Migrated
    runtime: str
    mindspore: str

    @cached_property
    def refusals(self) -> str:
        """Why lines of it stay PyTorch's."""
        return "; ".join(dict.fromkeys(f"{use.api}: {use.message}" for use in self.migrated.left))

    @property
    def is_told(self) -> bool:
        """Whether the report says that a row which it uses differs, or what is not known."""
        scan = self.migrated.scan
        told = any(
            u.standing in (Standing.UNKNOWN, Standing.LIMITED) or (u.rule and u.rule.note)
            for u in scan.uses
        )
        return told or bool(getattr(scan, "remarks", ()))

    def fate(self, said: str) -> Fate:
        if self.migrated.left or MARK.search(self.migrated.text):
            return Fate.REFUSED
        if not said:
            return Fate.EQUAL
        if said.startswith("error "):
            return Fate.RAISES
        if said == Fate.NOT_RUN:
            return Fate.NOT_RUN
        return Fate.TOLD if self.is_told else Fate.SILENT

    @property
    def fates(self) -> tuple[Fate, Fate]:
        return self.fate(self.runtime), self.fate(self.mindspore)


def judged(snippets: Sequence[Snippet], mindspore: Path | None) -> list[Judged]:
    """What became of the snippets, without those that PyTorch refuses."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "inputs.npz", **INPUTS)
        own = Path(sys.executable)
        left = executed(folder, Run("torch", own, snippets))
        accepted = [s for s in snippets if left[s.id][0] != "error"]
        files = converted(folder, accepted)
        runs = [s for s in accepted if not files[s.id].left]
        wanted = [Run("again", own, accepted), Run("msconvert.runtime", own, runs, files)]
        wanted += [Run("mindspore", mindspore, runs, files)] if mindspore else []
        with ThreadPoolExecutor() as pool:
            again, *sides = pool.map(partial(executed, folder), wanted)
        sides += [{}] if mindspore is None else []
    return [Judged(s, files[s.id], *(compared(s, left, again, r) for r in sides)) for s in accepted]


def converted(folder: Path, snippets: Sequence[Snippet]) -> dict[str, Migrated]:
    """The files of the snippets, each converted for the runtime."""
    paths = {}
    (folder / "files").mkdir()
    for number, snippet in enumerate(snippets):
        paths[snippet.id] = folder / "files" / f"snippet_{number}.py"
        paths[snippet.id].write_text(snippet.code, encoding="utf-8")
    project = Project(paths.values(), [folder / "files"])
    return {i: migrate_file(project, p, p.name, Settings()) for i, p in paths.items()}


@dataclass(frozen=True)
class Run:
    """What a side executes: PyTorch's files, or those converted from them."""

    side: str
    python: Path
    snippets: Sequence[Snippet]
    files: Mapping[str, Migrated] = field(default_factory=dict)

    def row(self, snippet: Snippet) -> dict[str, Any]:
        row = {"id": snippet.id, "code": snippet.code, "state": dict(snippet.state), "compat": ""}
        if snippet.id in self.files:
            file = self.files[snippet.id]
            is_real = self.side == "mindspore"
            code = file.text.replace("msconvert.runtime", "mindspore") if is_real else file.text
            target = Target.MINDSPORE if is_real else Target.BUNDLED
            row |= {"code": code, "compat": compat_module(file.needed, target)}
        return row


def executed(folder: Path, run: Run) -> dict[str, Any]:
    """What each snippet leaves behind; one that ends its process is an error, the rest goes on."""
    own = folder / run.side
    own.mkdir()
    np.savez(own / "inputs.npz", **INPUTS)
    rows = [run.row(snippet) for snippet in run.snippets]
    (own / "rows.json").write_text(json.dumps(rows))
    files = [own / "rows.json", folder / "states.pickle", own / "results.pickle"]
    results = str(files[-1])
    command = [str(run.python), snippet_sides.__file__, run.side, *map(str, files)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    environment["TORCH_COMPILE_DISABLE"] = "1"
    done = subprocess.run(command, env=environment, cwd=own, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return dict(read(results))


def compared(
    snippet: Snippet, left: Mapping[str, Any], again: Mapping[str, Any], right: Mapping[str, Any]
) -> str:
    """How a side differs from PyTorch, "" if it does not; random values by type and shape."""
    if snippet.id not in right:
        return Fate.NOT_RUN
    (_, values), (found, others) = left[snippet.id], right[snippet.id]
    if found == "error":
        is_absent = others.startswith((*NOT_THERE, NO_DATASETS))
        return Fate.NOT_RUN if is_absent else f"error {others}"
    if snippet.check == "runs":
        return ""
    texts = []
    second = again[snippet.id][1] if again[snippet.id][0] == "value" else {}
    for name, value in values.items():
        is_steady = name in second and not unequal(value, second[name], exactly=True)
        text = "is not set" if name not in others else ""
        if name in others:
            text = unequal(value, others[name], exactly=is_steady)
        if snippet.check == "dtype" and name in others:
            text = unequal(value, others[name], exactly=False)
        if text and (is_steady or value[0] == "tensor"):
            texts.append(f"{name}: {text}")
    return "; ".join(texts)


def table(results: Sequence[Judged]) -> str:
    """The counts and shares of what became of the snippets, on each side."""
    lines = []
    for side, name in enumerate(("runtime", "MindSpore")):
        fates = [r.fates[side] for r in results]
        shares = (
            f"{fate} {fates.count(fate)} ({fates.count(fate) / len(fates):.1%})" for fate in Fate
        )
        lines.append(f"{name:10} {len(fates):6}  " + "  ".join(shares))
    apis = {r.snippet.api for r in results}
    return "\n".join([*lines, f"{len(apis)} APIs"])


def main(arguments: Sequence[str]) -> None:
    share = next((float(a[2:]) for a in arguments if a.startswith("-s")), 1.0)
    kinds = {"rows": of_rows, "variants": lambda: of_variants(share), "written": written}
    chosen = [s for kind, make in kinds.items() if kind in arguments for s in make()]
    names = [a for a in arguments if a not in kinds and not a.startswith("-")]
    chosen = [s for s in chosen if not names or any(n in s.id for n in names)]
    results = judged(chosen, None if "-r" in arguments else mindspore_python())
    for found in results:
        if set(found.fates) - {Fate.EQUAL, Fate.NOT_RUN}:
            show(found, with_code="-v" in arguments)
    print(f"{len(chosen) - len(results)} snippets that PyTorch refuses")
    if "-t" in arguments:
        print([s.id for s in chosen if s.id not in {r.snippet.id for r in results}])
    print(table(results))


def show(found: Judged, *, with_code: bool) -> None:
    fates = found.fates
    print(f"{fates[0].upper()} / {fates[1].upper()}  {found.snippet.id}")
    print(f"    {found.refusals or found.runtime or 'equal'}")
    if not found.refusals and found.mindspore != found.runtime:
        print(f"    MindSpore: {found.mindspore or 'equal'}")
    if with_code:
        print("    < " + found.snippet.code.replace("\n", "\n    < "))
        print("    > " + found.migrated.text.replace("\n", "\n    > "))


if __name__ == "__main__":
    main(sys.argv[1:])
