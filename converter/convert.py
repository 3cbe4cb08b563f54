"""The whole conversion: ONNX file -> script, weights, weight map, report."""

from __future__ import annotations

import gc
import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..child_process import Bounds, Ended, TooLargeError, TooLongError, bounds_left, confined
from ..errors import MsconvertError
from ..formats import write_weights
from ..formats.storage.atomic import Transaction, standing
from ..formats.storage.recovery import settle_now
from ..reporting.report import Finding
from .allowance import bounds_of, extend_for, gigabytes, largest_step
from .code.control import asks
from .code.numbering import Names
from .code.statement import Left
from .conversion_report import ConversionReport
from .graph.cut import LEFT_DYNAMIC
from .graph.graph import Graph, Node, reads
from .graph.random_numbers import drawn, drawn_from, draws_inside
from .guard import MALFORMED, reason_of
from .model import Model, model_of
from .modules.classes import ModuleClass
from .modules.modules import Structured, structured
from .modules.naming import name_classes
from .nested import Nested
from .outputs import Outputs
from .proof.given import given_inputs
from .proof.run_script import MODES
from .proof.verify import Verification, VerifySpec, first_difference, intermediates, verify
from .remarks import remarks, written_otherwise
from .source.load import load
from .source.tensors import let_go_of
from .status import report_of
from .text.control import names_inside, texts_inside
from .text.header import class_doc, header, safe_text, title_of, value_text
from .text.script import Missing, Wording, script_text
from .ties import Tie, remarks_on, tie_lines, tied
from .weights import Parameter, check_kept, check_size, copies, parameters, weight_map

Progress = Callable[[str], None]
"""Told the name of each step as it begins."""


@dataclass(frozen=True)
class Options:
    """What to convert and how; the command line's flags, typed.

    `target` is "bundled" or "mindspore", `weights_format` "ckpt" or "safetensors". `memory` in
    bytes and `timeout_s` of CPU time bound what it may take; None: by the size of the weights.
    `inputs` is an .npz file with the arrays that script and original are compared with, `html` a
    page to write beside the rest.
    """

    model_file: Path = Path()
    shapes: Sequence[Sequence[int]] | None = None
    input_nodes: Sequence[str] | None = None
    output_nodes: Sequence[str] | None = None
    output: Path = Path("output")
    report: Path | None = None
    target: str = "bundled"
    weights_format: str = "ckpt"
    verify: bool = True
    force: bool = False
    memory: int | None = None
    timeout_s: int | None = None
    inputs: Path | None = None
    html: Path | None = None

    @property
    def bounds(self) -> Bounds:
        """What the conversion may take, but for what its weights allow."""
        return bounds_of(self.memory, self.timeout_s)


@dataclass(frozen=True)
class Conversion:
    """A model understood, before anything of it is written."""

    options: Options
    model: Model
    written: Structured
    found: list[Parameter]
    findings: tuple[Finding, ...]
    files: Outputs
    ties: tuple[Tie, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every node has its place in the script."""
        return not self.written.traced.left


def convert(options: Options, progress: Progress = lambda step: None) -> ConversionReport:
    """Converts one ONNX file and writes script, weights, weight map and report.

    In a process of its own: a file may make onnx or ONNX Runtime abort, or take all memory.
    Raises: MsconvertError, MS101 to MS110; then nothing is written.
    """
    reached = ["starting"]

    def tell(step: str) -> None:
        reached.append(step)
        progress(step)

    page = options.output if options.html is None else options.html.parent
    written = options.output, options.report or options.output, page
    folders = {standing(os.path.realpath(folder)) for folder in written}
    try:
        return confined(partial(_converted_alone, options), options.bounds, tell)
    except Ended as end:
        raise _killed(options, end, reached[-1]) from end
    finally:  # Ctrl-C, too, may end a process that cannot clean up
        for folder in folders:
            settle_now(folder)


def _converted_alone(options: Options, progress: Progress) -> ConversionReport:
    """As `converted`, in a process that lives no longer: it does not look for cycles.

    A graph of many nodes has hardly any, and each look goes through millions of parts.
    """
    gc.disable()
    return converted(options, progress)


def _killed(options: Options, end: Ended, step: str) -> MsconvertError:
    """MS110: what ended the conversion, and what lets it go on if the file is trusted."""
    advice = "--no-verify, or check the model with onnx.checker"
    if isinstance(end, TooLargeError):
        advice = f"--memory {gigabytes(2 * end.bounds.memory)} allows more, if you trust the file"
    if isinstance(end, TooLongError):
        advice = f"--timeout {10 * end.bounds.cpu_s} allows more, if you trust the file"
    where = options.model_file.name
    return MsconvertError(
        "MS110", where, f"the conversion {end.how}, while {step}", got=end.words, advice=advice
    )


def converted(options: Options, progress: Progress) -> ConversionReport:
    """As `convert`, in this process."""
    progress("reading the model")
    conversion = understood(options)
    files, found = conversion.files, conversion.found
    given = [] if options.inputs is None else [str(options.inputs)]
    kept = [*conversion.model.original.files, *given]
    with Transaction(force=options.force, inputs=kept) as transaction:
        progress("writing the script")
        text = script_of(conversion, options.target)
        transaction.write_text(files.script, text)
        reports = [transaction.open(path) for path in (files.report_text, files.report_json)]
        page = None if options.html is None else transaction.open(options.html)
        transaction.write_text(files.weight_map, weight_map(found, conversion.model.graph))
        if found:
            progress("writing the weights")
            stream = transaction.open(files.weights)
            write_weights(stream, ((p.name, p.weight.array) for p in found), options.weights_format)
        verification = None
        if options.verify and conversion.is_complete:
            progress("comparing with ONNX Runtime")
            with transaction.preview() as folder:
                bundled = text if options.target == "bundled" else script_of(conversion, "bundled")
                verification = _verified(conversion, bundled, Path(folder, files.script.name))
        report = _report(conversion, verification, progress)
        for stream, text in zip(reports, (report.to_text(), report.to_json()), strict=True):
            stream.write(text.encode())
        if page is not None:
            page.write(_page(conversion, report).encode())
    return report


def _page(conversion: Conversion, report: ConversionReport) -> str:
    """The page of --html."""
    from .as_html import to_html  # jinja's pages, which few ask for

    written, original = conversion.written, conversion.model.original
    classes = class_names(conversion, Names(names_inside(written)))
    names = {block.path: name for module, name in classes.items() for block in module.blocks}
    script = script_of(conversion, conversion.options.target)
    return to_html(report, original, written.root, names, script)


def class_names(conversion: Conversion, taken: Names) -> dict[ModuleClass, str]:
    """What the classes of the script are called."""
    title = title_of(conversion.options.model_file.stem)
    return name_classes(conversion.written.classes, title, taken)


@np.errstate(all="ignore")
def understood(options: Options) -> Conversion:
    """The model as classes and parameters. Raises: MS102 to MS106

    Handlers and rules compute with constants of the file, which may be NaN or infinite: that is for
    the comparison to judge, and NumPy's warning would name a line of ours to the user.
    """
    name = options.model_file.name
    original = load(options.model_file)
    extend_for(original, options.memory, options.timeout_s)
    limits = options.shapes, options.input_nodes, options.output_nodes
    model = model_of(original, str(options.model_file), *limits)
    written = structured(model.graph, name, Nested(name))
    told = [
        *model.prepared.findings,
        *remarks(model.original, model.prepared.graph, options.target),
        *written_otherwise(written.traced.remarks),
    ]
    report = options.output if options.report is None else options.report
    files = Outputs.of(options.model_file, options.output, report, options.weights_format)
    found = parameters(written.root, written.homes)
    check_kept(written.traced.statements, found)
    check_size(found, options.model_file, original.stored)
    found, ties = tied(found)
    told += [*remarks_on(ties), *copies(found, model.original)]
    return Conversion(options, model, written, found, tuple(told), files, tuple(ties))


def _report(
    conversion: Conversion, verification: Verification | None, progress: Progress
) -> ConversionReport:
    """The report, with the place of the first difference if there is one."""
    name, traced = conversion.options.model_file.name, conversion.written.traced
    findings = conversion.findings
    if verification is not None and not verification.passed:
        progress("looking for the first difference")
        findings = (*findings, _difference_finding(conversion, verification))
    report = report_of(name, conversion.model, traced, findings, verification)
    found = conversion.found
    page = conversion.options.html
    files = (*conversion.files.written(bool(found)), *([] if page is None else [str(page)]))
    return replace(report, files=files, parameters=len(found))


def _verified(conversion: Conversion, text: str, script: Path, *, own: bool = True) -> Verification:
    """What the script, whose text for the bundled runtime is `text`, computes.

    Random numbers that the graph draws are inputs of a script that is otherwise the same, and what
    they are drawn from is an output of it. `own`: the original's own rounding is measured where the
    script is farther away than usual.
    """
    graph = conversion.model.graph
    if draws_inside(graph):
        return Verification((), problem=DRAWN_INSIDE)
    draws = drawn(graph)
    if not draws:
        return _compared(conversion, text, script, (), own)
    theirs = conversion.model.original.producers()
    also = [name for name in drawn_from(graph) if name in theirs]
    outputs = [name for name in (*graph.outputs, *also) if name not in draws]
    if not outputs:
        return Verification((), problem=ALL_DRAWN)
    with tempfile.TemporaryDirectory() as folder:
        given = _with_draws_given(conversion, draws, outputs, Path(folder))
        return _compared(given, script_of(given, "bundled"), given.files.script, draws, own)


def _with_draws_given(
    conversion: Conversion, draws: Sequence[str], outputs: Sequence[str], folder: Path
) -> Conversion:
    """The same, but that what is drawn is an input, and its weights in a folder of its own."""
    options, graph = conversion.options, conversion.model.graph
    shapes = None
    if options.shapes is not None:
        known = (graph.type_of(name).shape for name in draws)
        more = [[n if isinstance(n, int) else LEFT_DYNAMIC for n in shape or ()] for shape in known]
        shapes = (*options.shapes, *more)
    other = replace(
        options,
        input_nodes=[*graph.inputs, *draws],
        output_nodes=outputs,
        shapes=shapes,
        output=folder,
        report=None,
    )
    return _with_weights(understood(other))


def _with_weights(conversion: Conversion) -> Conversion:
    """Itself, when its weights are written."""
    if conversion.found:
        weights = ((p.name, p.weight.array) for p in conversion.found)
        write_weights(conversion.files.weights, weights, conversion.options.weights_format)
    return conversion


def _compared(
    conversion: Conversion, text: str, script: Path, draws: Sequence[str], own: bool
) -> Verification:
    """A script whose last inputs are `draws`, against the original, which draws them."""
    needed, node = largest_step(conversion.model.graph)
    allowed = bounds_left(conversion.options.bounds).memory
    if node is not None and needed > allowed:
        takes = f"the comparison needs {needed / 1e9:.1f} GB of memory and more at {node.label}"
        more = f"allowed are {allowed / 1e9:.1f} GB; --memory SIZE allows more, --no-verify leaves"
        return Verification((), problem=f"{takes}; {more} it out")
    script.unlink(missing_ok=True)  # it is a second name of the file that the user gets
    script.write_text(text, encoding="utf-8")
    try:
        graph, file = conversion.model.graph, conversion.options.inputs
        spec = VerifySpec.of(graph, draws=draws)
        eager = any(asks(item.expr) for item in conversion.written.traced.statements)
        spec = replace(
            spec,
            unread=_unread(conversion.model.original),
            modes=MODES[:1] if eager else MODES,
            trains=any(map(is_training, graph.nodes)),
            given=None if file is None else given_inputs(file, spec.trial),
            own=own,
        )
    except MALFORMED as error:
        return Verification((), problem=f"the graph has no inputs to try: {reason_of(error)}")
    let_go_of(conversion.model.original.constants.values())
    return verify(conversion.options.model_file, script, spec)


OF_SEARCH = 0.8
"""The share of the time that is left for finding where a script goes wrong; the rest writes it."""

DRAWN_INSIDE = "a branch or a loop of the graph draws random numbers: nothing can be compared"

ALL_DRAWN = "all that the graph gives is drawn at random: nothing can be compared"


def is_training(node: Node) -> bool:
    """Whether the node does in training what it does not do in inference."""
    if node.op == "BatchNormalization" and not node.domain:
        return bool(node.attrs.get("training_mode", 0))
    return node.op == "Dropout" and not node.domain


def _unread(graph: Graph) -> int:
    """How many of the weights nothing reads."""
    needed = {*graph.outputs, *(name for node in graph.nodes for name in reads(node))}
    return len(graph.constants.keys() - needed)


def _difference_finding(conversion: Conversion, verification: Verification) -> Finding:
    """What differs, and the first intermediate value that does."""
    name = conversion.options.model_file.name
    worst = next((d for d in verification.differences if not d.passed), None)
    if worst is None:
        return Finding("MS108", name, verification.problem, "see the report", "error")
    message = f"output {worst.output} differs by {worst.error:.1e} of its maximum"
    left = bounds_left(conversion.options.bounds)
    bounds = replace(left, cpu_s=max(1, int(left.cpu_s * OF_SEARCH)))
    try:
        place = confined(lambda tell: _first_place(conversion), bounds)
    except Ended:
        place = "where that begins was not found within the time and the memory that it may take"
    return Finding("MS108", name, f"{message}; {place}", "see the report", "error")


def _first_place(conversion: Conversion) -> str:
    """Where a script goes wrong: the same model, every intermediate value an output, compared."""
    options, graph = conversion.options, conversion.model.graph
    draws = set(drawn(graph))
    names = [name for name in intermediates(options.model_file, graph) if name not in draws]
    with tempfile.TemporaryDirectory() as folder:
        every = replace(options, output_nodes=names, output=Path(folder), report=None)
        inner = understood(every)
        text, script = script_of(_with_weights(inner), "bundled"), inner.files.script
        first = first_difference(_verified(inner, text, script, own=False))
    if first is None:
        return "no intermediate value differs when it is computed by itself"
    maker = graph.producers().get(first.output)
    made = f", made by {maker.label}" if maker is not None else ""
    return f"the first intermediate that differs is {first.output}{made}"


def script_of(conversion: Conversion, target: str) -> str:
    """The text of the script for "bundled" or "mindspore"."""
    written, graph = conversion.written, conversion.model.graph
    files, file = conversion.files, conversion.options.model_file
    taken = Names(names_inside(written))
    names = class_names(conversion, taken)
    named = (files.weights.name if conversion.found else "", files.weight_map.name)
    head = header(graph, file.name, names[written.classes[-1]], named, conversion.findings)
    inputs = _input_names(graph) | {n: home.attribute for n, home in written.homes.items()}
    missing = [_missing(left, graph) for left in written.traced.left]
    doc = partial(class_doc, graph=graph)
    inside = texts_inside(written, taken)
    wording = Wording(names, doc, inputs, tie_lines(conversion.ties))
    return script_text(head, written.classes, wording, missing, target, inside)


def _input_names(graph: Graph) -> dict[str, str]:
    """The graph's inputs by the names that the script gives them, where those are plain."""
    words = {n: re.sub(r"\W", "_", n.rsplit("/", 1)[-1], flags=re.ASCII)[:30] for n in graph.inputs}
    return {n: w for n, w in words.items() if w.isidentifier() and not w.startswith("_")}


def _missing(left: Left, graph: Graph) -> Missing:
    error, node = left.error, left.node
    kept = {k: v for k, v in node.attrs.items() if isinstance(v, int | float | str | bytes | list)}
    facts = {
        "Gets: ": ", ".join(value_text(name, graph) for name in node.inputs if name),
        "Gives:": ", ".join(value_text(name, graph) for name in node.outputs),
        "With: ": ", ".join(f"{key}={value!r}" for key, value in kept.items()),
    }
    return Missing(
        left.placeholder,
        safe_text(node.label, 100),
        tuple(f"{label} {safe_text(text, 300)}" for label, text in facts.items() if text),
        json.dumps(safe_text(f"{error.code} {error.where}: {error.problem}", 200)),
        json.dumps("try: write this function, or replace the operator in the model"),
    )
