"""The findings as SARIF 2.1.0, for code scanning and for editors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import quote

from ...errors import CODES, printable
from ..findings.guide import HELP
from ..findings.model import LEVELS, FileScan, Finding, Place, ScannedUse
from ..findings.workers import shown_path
from .baseline import key, parts_of
from .outcome import Outcome, Told

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
RULES = tuple(code for code in HELP)
"""The codes that a finding can have, in order; a result names its rule by its place here."""

Node = dict[str, object]


def to_sarif(outcome: Outcome, version: str, root: Path) -> str:
    """The log: one run, a result for each finding; paths are relative to `root`."""
    run = {
        "tool": {"driver": driver(version)},
        "invocations": [{"executionSuccessful": outcome.scan.is_read}],
        "originalUriBaseIds": {"SRCROOT": {"uri": root.absolute().as_uri() + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": results(outcome),
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def driver(version: str) -> Node:
    return {
        "name": "msconvert",
        "fullName": "msconvert scan: PyTorch source on its way to MindSpore",
        "semanticVersion": version,
        "rules": [rule(code) for code in RULES],
    }


def rule(code: str) -> Node:
    """A kind of finding: what it means, and what to do about it."""
    name, text = HELP[code]
    return {
        "id": code,
        "name": name,
        "shortDescription": {"text": sentence(CODES[code])},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": f"**{code}**: {sentence(CODES[code])}\n\n{text}"},
        "defaultConfiguration": {"level": LEVELS.get(code, "warning")},
        "properties": {"tags": ["mindspore", "migration"]},
    }


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def results(outcome: Outcome) -> list[Node]:
    """Told findings; those that a comment hides, as suppressed; those that are gone, as absent."""
    compared = outcome.baseline is not None
    found = [result(told, compared) for told in outcome.told]
    for file in outcome.scan.files:
        hidden = (finding for finding in file.findings if finding.ignored)
        for finding in hidden:
            suppressed = result(Told(file, finding), compared)
            found.append(suppressed | {"suppressions": [{"kind": "inSource"}]})
    if outcome.baseline is not None:
        for name, count in sorted(outcome.baseline.absent(outcome.scan).items()):
            found += [absent(name)] * count
    return found


def result(told: Told, compared: bool) -> Node:
    file, finding = told.file, told.finding
    node: Node = {
        "ruleId": finding.code,
        "ruleIndex": RULES.index(finding.code),
        "level": finding.level,
        "message": {"text": message(finding)},
        "locations": [location(file, finding.place)],
        "partialFingerprints": {"msconvert/v1": key(file.path, finding)},
    }
    if compared:
        node["baselineState"] = "unchanged" if told.known else "new"
    if isinstance(finding, ScannedUse):
        facts = {"api": finding.api, "verdict": finding.standing.value, "suggestion": finding.edit}
        node["properties"] = {name: value for name, value in facts.items() if value}
    return node


def message(finding: Finding) -> str:
    """What is found, what to do, and the code that is suggested."""
    parts = [finding.message, finding.advice]
    if isinstance(finding, ScannedUse) and finding.edit:
        parts.append(f"write: {finding.edit}")
    where = f"cell {finding.place.cell}: " if finding.place.cell else ""
    return printable(where + "; ".join(part for part in parts if part), limit=2000)


def location(file: FileScan, place: Place) -> Node:
    """The place; in a notebook the cell is named, as its lines are not those of the file."""
    physical: Node = {"artifactLocation": artifact(file.path)}
    if place.cell:
        named = f"cell {place.cell}, line {place.line}"
        return {
            "physicalLocation": physical | {"region": {"startLine": 1}},
            "logicalLocations": [{"name": named, "kind": "cell"}],
        }
    region: Node = {"startLine": max(1, place.line)}
    if place.line and place.column:
        region["startColumn"] = place.column
    if place.end_line >= place.line > 0 and place.end_column:
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    return {"physicalLocation": physical | {"region": region}}


def artifact(path: str) -> Node:
    quoted = quote(os.fsencode(path), safe="/~")  # names need not be UTF-8
    if path.startswith("/"):
        return {"uri": f"file://{quoted}"}
    return {"uri": quoted, "uriBaseId": "SRCROOT"}


def absent(name: str) -> Node:
    """A result of the baseline's that is no longer found."""
    file, rest = parts_of(name)
    path, code = shown_path(Path(file)), rest.partition("::")[0]
    return {
        "ruleId": code,
        "message": {"text": f"{code} is no longer found"},
        "locations": [{"physicalLocation": {"artifactLocation": artifact(path)}}],
        "partialFingerprints": {"msconvert/v1": f"{path}::{rest}"},
        "baselineState": "absent",
    }
