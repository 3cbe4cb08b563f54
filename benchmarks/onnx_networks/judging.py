"""What becomes of one ONNX file: its conversion, and its script beside ONNX Runtime.

The command itself compares both modes at two sizes, with inputs of its own. What is compared here
are other inputs, also at two sizes of each dynamic axis: the bundled runtime in both modes, and,
where it is asked for, the real MindSpore.
"""

from __future__ import annotations

import ast
import json
import resource
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from msconvert.child_process import Bounds, Ended, confined
from msconvert.converter.convert import Options, convert
from msconvert.converter.proof.difference import difference
from msconvert.converter.proof.run_script import MODES, run_script
from msconvert.errors import MsconvertError, printable
from msconvert.formats import read_weights

Array = np.ndarray[Any, Any]

EQUAL = "equal"
TOLERANCE = 1e-4
"""Of an output's maximum, as in the command's own comparison."""

OWN_ROUNDING = 2
"""Twice what ONNX Runtime differs from itself with and without its optimisations is allowed:
where numbers are quantised, a sum in another order is a step more or less."""

BOUNDS = Bounds(3 << 30, 200, 400)
CHOICES = (0, 1)


@dataclass(frozen=True)
class Result:
    """What became of a network; texts are "equal", or say why not, "" what was not run.

    `found` of `modules` are the paths of the original's modules that hold their weights in the
    checkpoint as well; `floats` is the checkpoint's size by the original's, `own` the file's.
    """

    refused: str = ""
    nodes: float = 0.0
    command: str = ""
    runtime: str = ""
    mindspore: str = ""
    found: int = 0
    modules: int = 0
    lost: tuple[str, ...] = ()
    floats: float = 0.0
    own: float = 0.0
    lines: int = 0
    seconds: float = 0.0

    @property
    def is_equal(self) -> bool:
        """By the command and by other inputs."""
        return self.command == EQUAL and self.runtime == EQUAL


def refused(folder: Path) -> str:
    """Why the exporter made no file of it."""
    said = folder / "refused.txt"
    return said.read_text() if said.exists() else "the exporter took too long"


def judged(folder: Path) -> Result:
    """The file in `folder`, converted and compared on the runtime."""
    model, out = folder / "model.onnx", folder / "bundled"
    shutil.rmtree(out, ignore_errors=True)
    try:
        report = convert(Options(model_file=model, output=out))
    except MsconvertError as error:
        return Result(command=_short(f"{error.code} {error.problem}"), runtime="not converted")
    took = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = Result(
        nodes=report.rate,
        command=EQUAL if report.ok else _short(_why(report.to_json())),
        lines=len((out / "model.py").read_text().splitlines()),
        seconds=round(took.ru_utime + took.ru_stime, 1),
    )
    result = replace(result, **_weights(folder, out))
    if report.left:
        return replace(result, runtime="not converted")
    return replace(result, runtime=_compared(folder, out))


def for_mindspore(folder: Path) -> Path:
    """The script and checkpoint for the real MindSpore."""
    out = folder / "mindspore"
    shutil.rmtree(out, ignore_errors=True)
    convert(Options(model_file=folder / "model.onnx", output=out, target="mindspore", verify=False))
    return out


def _why(report: str) -> str:
    """What the command's report says is left or differs."""
    told = json.loads(report)
    left = [n["note"] for n in told["nodes"] if n["status"] == "left to do"]
    if left:
        return f"{len(left)} nodes left: {left[0]}"
    verification = told["verification"] or {}
    found = verification.get("differences", ())
    far = [d for d in found if not float(d["error"]) <= d["tolerance"]]  # "inf", "nan" are texts
    texts = [verification.get("problem", ""), *(f["message"] for f in told["findings"])]
    worst = f"{far[0]['mode']}: {float(far[0]['error']):.1e} {far[0]['remark']}" if far else ""
    return worst or next((text for text in texts if text), "not equal")


def _compared(folder: Path, out: Path) -> str:
    """The script in both modes beside the original, with the inputs of both sizes."""
    runs = folder / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    runs.mkdir()
    try:
        confined(lambda _: expected(folder, runs), BOUNDS)
    except (Ended, MsconvertError, OSError) as error:
        return _short(f"the original: {error}")
    work = partial(run_script, (out / "model.py").resolve(), runs, 1, MODES)
    try:
        confined(lambda _: work(), BOUNDS, is_users=True)
    except Ended as error:
        return _short(str(error))
    return verdict(runs, MODES)


def expected(folder: Path, runs: Path) -> None:
    """Writes what goes in and what ONNX Runtime gives, optimised and not, for both sizes."""
    import onnxruntime as ort

    level = ort.GraphOptimizationLevel
    for name, optimised in (("plain", level.ORT_DISABLE_ALL), ("fast", level.ORT_ENABLE_ALL)):
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = optimised
        session = ort.InferenceSession(folder / "model.onnx", options)
        taken = [item.name for item in session.get_inputs()]
        for choice in CHOICES:
            with np.load(folder / f"inputs_{choice}.npz") as arrays:
                given = _renamed(taken, {key: arrays[key] for key in arrays.files})
            if choice and any(_is_fixed(session, key, x) for key, x in given.items()):
                continue
            dtypes = np.array([x.dtype.name for x in given.values()], dtype=str)
            np.savez(runs / f"inputs_{choice}.npz", *given.values(), dtypes=dtypes)
            np.savez(runs / f"{name}_{choice}.npz", *session.run(None, given))


def _renamed(taken: Sequence[str], given: dict[str, Array]) -> dict[str, Array]:
    """The inputs in the file's order and names; exporters drop some and keep the order."""
    if set(taken) <= given.keys():
        return {name: given[name] for name in taken}
    return dict(zip(taken, given.values(), strict=True))


def _is_fixed(session: Any, name: str, array: Array) -> bool:
    """Whether the file declares another size than the second one."""
    (declared,) = [item.shape for item in session.get_inputs() if item.name == name]
    pairs = zip(declared, array.shape, strict=True)
    return any(isinstance(size, int) and size != own for size, own in pairs)


def verdict(runs: Path, modes: Sequence[str]) -> str:
    """Whether all outputs that were written are the original's."""
    for choice in CHOICES:
        if not (runs / f"plain_{choice}.npz").exists():
            continue
        plain, fast = (_arrays(runs / f"{name}_{choice}.npz") for name in ("plain", "fast"))
        for mode in modes:
            got = _arrays(runs / f"outputs_{mode}_{choice}.npz")
            if len(got) != len(plain):
                return f"{len(got)} outputs, expected {len(plain)}"
            for i, (a, b, other) in enumerate(zip(got, plain, fast, strict=True)):
                own = difference("", "", other, b, TOLERANCE)
                allowed = max(TOLERANCE, OWN_ROUNDING * own.error)
                found = difference("", "", a, b, allowed)
                rounded = not own.passed and found.error <= allowed
                if not found.passed and not rounded:
                    why = found.remark or f"{found.error:.1e} of its maximum"
                    return f"output {i} in {mode} mode, size {choice}: {why}"
    return EQUAL


def _arrays(path: Path) -> list[Array]:
    with np.load(path) as arrays:
        return [arrays[key] for key in arrays.files if key != "dtypes"]


def _weights(folder: Path, out: Path) -> dict[str, Any]:
    """How many module paths are found again, and how many floats the checkpoint has."""
    facts = json.loads((folder / "facts.json").read_text())
    checkpoint = next(iter(out.glob("*.ckpt")), None)
    held: dict[str, set[str]] = {}
    elements = 0
    for name, tensor in () if checkpoint is None else read_weights(checkpoint).items():
        array = tensor.array()
        held.setdefault(name.rpartition(".")[0], set()).add(fingerprint(array))
        elements += array.size if _counts(array) else 0
    known = {digest for digests in held.values() for digest in digests}
    held = _with_inner(held, {path.replace("-", "_") for path in facts["modules"]})
    graph = onnx.load(folder / "model.onnx").graph
    tensors = list(_tensors(graph))
    stored, named = {fingerprint(x) for x in tensors}, set(_scopes(graph))
    modules = facts["modules"]
    wanted = {p for p, m in modules.items() if _is_wanted(p, m, stored, named)}
    lost = [*_lost(modules, wanted, held, stored & known)]
    size = max(facts["floats"], 1)
    own = sum(x.size for x in tensors if _counts(x))
    return {
        "found": len(wanted) - len(lost),
        "modules": len(wanted),
        "lost": tuple(lost[:3]),
        "floats": round(elements / size, 4),
        "own": round(own / size, 4),
    }


def _with_inner(held: dict[str, set[str]], modules: set[str]) -> dict[str, set[str]]:
    """What each module holds, with what layers in it do that are no modules of the original.

    A weight that a module holds itself, and multiplies with, is one of a layer in it.
    """
    whole = {path: set(digests) for path, digests in held.items()}
    for path, digests in held.items():
        around = path
        while around and around not in modules:
            around = around.rpartition(".")[0]
        whole.setdefault(around, set()).update(digests)
    return whole


def _counts(array: Array) -> bool:
    """Whether it holds numbers of the network, quantised ones too; no positions, no yes and no."""
    return array.dtype.kind != "b" and array.dtype.name not in ("int64", "uint64")


def _is_wanted(path: str, module: dict[str, Any], stored: set[str], named: set[str]) -> bool:
    """Whether the file has weights of the module: as they are, or folded or quantised ones."""
    in_file = not stored.isdisjoint(module["tensors"])
    is_told = path != "" and path in named  # each file has names without a path
    return in_file or (module["called"] and "BatchNorm" not in module["kind"] and is_told)


def _lost(
    modules: dict[str, Any], wanted: set[str], held: dict[str, set[str]], kept: set[str]
) -> Iterator[str]:
    """The wanted modules whose path the checkpoint does not have, or has with other weights.

    `kept` are the weights that both file and checkpoint have; tied ones have one of their paths.
    """
    twins: dict[str, set[str]] = {}
    for path, module in modules.items():
        for digest in module["tensors"]:
            twins.setdefault(digest, set()).add(path.replace("-", "_"))  # as an attribute has it
    for path in [path for path in modules if path in wanted]:
        digests = modules[path]["tensors"]
        same = {twin for d in digests for twin in twins[d]} & held.keys()
        there = kept.intersection(digests)
        if not same or (there and not any(there & held[twin] for twin in same)):
            yield path


def _scopes(graph: onnx.GraphProto) -> Iterator[str]:
    """The module paths that names of weights tell, metadata of nodes, and names of nodes."""
    yield from (item.name.rpartition(".")[0] for item in graph.initializer)
    for node in graph.node:
        told = {item.key: item.value for item in node.metadata_props}
        if "pkg.torch.onnx.name_scopes" in told:
            yield from ast.literal_eval(told["pkg.torch.onnx.name_scopes"])
        path: list[str] = []
        for part in node.name.split("/")[1:-1]:
            if path and part.startswith(f"{path[-1]}."):
                path.pop()  # an element of a list that is called: "layer1", then "layer1.0"
            path.append(part)
            yield ".".join(path)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _scopes(inner)


def _tensors(graph: onnx.GraphProto) -> Iterator[Array]:
    """All constants of a graph and those inside of it."""
    for item in graph.initializer:
        yield onnx.numpy_helper.to_array(item)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield onnx.numpy_helper.to_array(attribute.t)
            for inner in (attribute.g, *attribute.graphs):
                yield from _tensors(inner)


def fingerprint(array: Array) -> str:
    """As `making.fingerprint`."""
    if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
        return ""
    numbers = np.sort(array.astype(np.float32), axis=None)
    return blake2b(numbers.tobytes(), digest_size=12).hexdigest()


def _short(text: str) -> str:
    return printable(" ".join(text.split()), limit=240)
