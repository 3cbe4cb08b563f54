"""The whole conversion: ONNX file -> script, weights, weight map, report."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ..errors import MsconvertError
from ..formats import write_weights
from ..formats.atomic import Transaction
from ..report import Finding
from .blocks import Block, build_tree
from .classes import ModuleClass, build_classes
from .conversion_report import CONVERTED, LEFT, SIMPLIFIED, VERIFIED, ConversionReport, NodeStatus
from .graph import Derivation, Graph
from .header import class_doc, header, safe_text, title_of, value_text
from .homes import Home, find_homes
from .load import load
from .naming import name_classes, name_homes, name_layers
from .outputs import Outputs
from .place import place
from .prepare import Prepared, prepare
from .recompose import Recomposed, recompose
from .remarks import remarks, written_otherwise
from .repeats import place_repeats
from .scopes import ModulePath, node_classes
from .script import Missing, script_text
from .trace import Left, Traced, trace
from .verify import Verification, VerifySpec, verify
from .weights import parameters, weight_map

Progress = Callable[[str], None]
"""Told the name of each step as it begins."""


@dataclass(frozen=True)
class Options:
    """What to convert and how; the command line's flags, typed.

    `target` is "bundled" or "mindspore", `weights_format` "ckpt" or "safetensors".
    """

    model_file: Path
    shapes: Sequence[Sequence[int]] | None = None
    input_nodes: Sequence[str] | None = None
    output_nodes: Sequence[str] | None = None
    output: Path = Path("output")
    report: Path | None = None
    target: str = "bundled"
    weights_format: str = "ckpt"
    verify: bool = True
    force: bool = False


@dataclass(frozen=True)
class Structured:
    """A graph as classes: the tree of module calls, the constants' homes, the classes."""

    traced: Traced
    root: Block
    homes: Mapping[str, Home]
    classes: list[ModuleClass]


def convert(options: Options, progress: Progress = lambda step: None) -> ConversionReport:
    """Converts one ONNX file and writes script, weights, weight map and report.

    Raises: MsconvertError, MS101 to MS109; then nothing is written.
    """
    progress("reading the model")
    original = load(options.model_file)
    progress("simplifying the graph")
    prepared = prepare(original, options.shapes, options.input_nodes, options.output_nodes)
    recomposed = recompose(prepared.graph)
    graph = recomposed.graph
    for name, made in recomposed.derived.items():
        before = graph.derived.get(made.source, Derivation((made.source,), ()))
        graph.derived[name] = Derivation(before.weights, (*before.ops, made.how))
    progress("writing the script")
    files = Outputs.of(
        options.model_file,
        options.output,
        options.output if options.report is None else options.report,
        options.weights_format,
    )
    written = structured(graph, options.model_file.name)
    told = [*remarks(original, prepared.graph), *written_otherwise(written.traced.remarks)]
    prepared = replace(prepared, findings=(*prepared.findings, *told))
    found = parameters(written.root, written.homes)
    with Transaction(force=options.force) as transaction:
        text = _script(options, graph, written, files, prepared.findings, bool(found))
        transaction.write_text(files.script, text)
        reports = [transaction.open(path) for path in (files.report_text, files.report_json)]
        transaction.write_text(files.weight_map, weight_map(found, graph))
        if found:
            progress("writing the weights")
            stream = transaction.open(files.weights)
            write_weights(stream, ((p.name, p.weight.array) for p in found), options.weights_format)
        verification = None
        if options.verify and not written.traced.left:
            progress("comparing with ONNX Runtime")
            bundled = replace(options, target="bundled")
            text = _script(bundled, graph, written, files, prepared.findings, bool(found))
            with transaction.preview() as folder:
                verification = _verified(
                    options.model_file, Path(folder, files.script.name), text, graph
                )
        report = _report(original, options, (prepared, recomposed), written.traced, verification)
        report = replace(report, files=files.written(bool(found)), parameters=len(found))
        for stream, text in zip(reports, (report.to_text(), report.to_json()), strict=True):
            stream.write(text.encode())
    return report


def _verified(model_file: Path, script: Path, text: str, graph: Graph) -> Verification:
    """What the script with this text, written for the bundled runtime, computes."""
    script.unlink()  # it is a second name of the file that the user gets
    script.write_text(text, encoding="utf-8")
    try:
        spec = VerifySpec.of(graph)
    except ValueError as error:
        return Verification((), problem=str(error))
    return verify(model_file, script, spec)


def structured(graph: Graph, place_name: str) -> Structured:
    """The graph as statements, module calls and classes."""
    traced = trace(graph, place_name)
    if not place(traced.statements, graph):
        place_repeats(traced.statements, graph.inputs, graph.outputs)
    found = find_homes(traced.statements)
    paths = {name: home.path for name, home in found.items()}
    root = build_tree(traced.statements, graph.inputs, graph.outputs, paths)
    name_layers(root)
    homes = name_homes({n: replace(h, path=paths[n]) for n, h in found.items()}, root)
    hints: dict[ModulePath, str] = {}
    for node in graph.nodes:
        hints.update(node_classes(node))
    return Structured(traced, root, homes, build_classes(root, homes, hints))


def _script(
    options: Options,
    graph: Graph,
    written: Structured,
    files: Outputs,
    findings: Iterable[Finding],
    has_weights: bool,
) -> str:
    names = name_classes(written.classes, title_of(options.model_file.stem))
    title = names[written.classes[-1]]
    named = (files.weights.name if has_weights else "", files.weight_map.name)
    head = header(graph, options.model_file.name, title, named, findings)
    given = {n: re.sub(r"\W", "_", n.rsplit("/", 1)[-1], flags=re.ASCII)[:30] for n in graph.inputs}
    inputs = {n: v for n, v in given.items() if v.isidentifier() and not v.startswith("_")}
    inputs |= {name: home.attribute for name, home in written.homes.items()}
    missing = [_missing(left, graph) for left in written.traced.left]
    return script_text(
        head,
        written.classes,
        names,
        partial(class_doc, graph=graph),
        inputs,
        missing,
        options.target,
    )


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


def _report(
    original: Graph,
    options: Options,
    steps: tuple[Prepared, Recomposed],
    traced: Traced,
    verification: Verification | None,
) -> ConversionReport:
    prepared, recomposed = steps
    gone = dict(prepared.simplified)
    became = {name: c.became for c in recomposed.changes for name in c.origin}
    left = {name: item.error for item in traced.left for name in item.node.origin}
    done = VERIFIED if verification is not None and verification.passed else CONVERTED
    nodes = []
    for node in original.nodes:
        (name,) = node.origin
        if name in left:
            nodes.append(NodeStatus(node.label, LEFT, _reason(left[name])))
        elif node.label in gone:
            nodes.append(NodeStatus(node.label, SIMPLIFIED, gone[node.label]))
        else:
            note = f"as {became[name]}" if name in became else ""
            nodes.append(NodeStatus(node.label, done, note))
    file = options.model_file.name
    findings = [
        f if f.where == file else replace(f, where=file, message=f"{f.where}: {f.message}")
        for f in prepared.findings
    ]
    findings += [_left_finding(item.error) for item in traced.left]
    if verification is not None and not verification.passed:
        findings.append(_difference_finding(options, verification))
    return ConversionReport(
        name=options.model_file.stem,
        source=options.model_file.name,
        opset=original.opsets.get("", 0),
        files=(),
        nodes=tuple(nodes),
        operators=tuple(sorted(Counter(n.op for n in original.nodes).items())),
        findings=tuple(findings),
        parameters=0,
        verification=verification,
    )


def _reason(error: MsconvertError) -> str:
    facts = (("got", error.got), ("expected", error.expected))
    return error.problem + "".join(f"; {label} {fact}" for label, fact in facts if fact)


def _left_finding(error: MsconvertError) -> Finding:
    file, _, node = error.where.partition(": ")
    return Finding(error.code, file, f"{node}: {_reason(error)}", error.advice, "error")


def _difference_finding(options: Options, verification: Verification) -> Finding:
    worst = next((d for d in verification.differences if not d.passed), None)
    problem = verification.problem or f"output {worst.output if worst else ''} differs"
    return Finding("MS108", options.model_file.name, problem, "see the report", "error")
