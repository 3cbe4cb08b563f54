"""SARIF: valid by the official schema, and what code scanning reads from it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from msconvert.tests.api_mapping.scan.projects import run_scan

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text("utf-8-sig"))
"""The schema that OASIS publishes, as npm's @microsoft/sarif-multitool ships it."""

BAD = "import torch\nx = torch.not_there(1)  # msconvert: ignore\ny = torch.not_there(2)\n"


def sarif(folder: Path, *arguments: str) -> dict:
    """The log of a scan; it is valid."""
    done = run_scan(".", "--sarif", *arguments, cwd=folder)
    log = json.loads(done.stdout)
    validator = jsonschema.Draft202012Validator(
        SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    assert [error.message for error in validator.iter_errors(log)] == []
    return log


def results(log: dict) -> list[dict]:
    return log["runs"][0]["results"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples" / "torch_project", tmp_path / "project"))


def test_the_schema_refuses_what_is_wrong() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert not validator.is_valid({"version": "2.1.0", "runs": [{"results": []}]})
    driver = {"tool": {"driver": {"name": "x"}}}
    assert validator.is_valid({"version": "2.1.0", "runs": [driver]})
    wrong = driver | {"results": [{"message": {"text": "x"}, "level": "grave"}]}
    assert not validator.is_valid({"version": "2.1.0", "runs": [wrong]})


def test_results_are_valid_and_name_their_rules_and_regions(folder: Path) -> None:
    log = sarif(folder)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    found = results(log)
    assert len(found) > 20
    for result in found:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    branch = next(r for r in found if r["ruleId"] == "MS222")
    place = branch["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "network.py", "uriBaseId": "SRCROOT"}
    line = (folder / "network.py").read_text().split("\n")[place["region"]["startLine"] - 1]
    region = slice(place["region"]["startColumn"] - 1, place["region"]["endColumn"] - 1)
    assert line[region] == "x.abs().max() > 100"
    assert branch["level"] == "warning"


def test_every_rule_has_help(folder: Path) -> None:
    rules = sarif(folder)["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules if len(rule["help"]["text"]) < 40] == []
    assert len({rule["name"] for rule in rules}) == len(rules)


def test_ignored_findings_are_suppressed(folder: Path) -> None:
    (folder / "bad.py").write_text(BAD)
    found = [r for r in results(sarif(folder)) if r["ruleId"] == "MS205" and "not_there" in str(r)]
    lines = {
        r["locations"][0]["physicalLocation"]["region"]["startLine"]: r.get("suppressions")
        for r in found
    }
    assert lines == {2: [{"kind": "inSource"}], 3: None}


def test_with_a_baseline_results_are_new_unchanged_or_absent(folder: Path) -> None:
    (folder / "bad.py").write_text(BAD)
    run_scan(".", "--baseline", "known.json", "--write-baseline", cwd=folder)
    text = BAD.replace("y = torch.not_there(2)", "z = torch.not_here(3)")
    (folder / "bad.py").write_text("\n\n" + text)
    log = sarif(folder, "--baseline", "known.json")
    states = {
        r["baselineState"]: r["partialFingerprints"]["msconvert/v1"]
        for r in results(log)
        if "bad.py" in str(r) and "suppressions" not in r
    }
    assert states.keys() == {"new", "absent"}
    assert "not_here" in states["new"]
    assert "not_there" in states["absent"]
    others = [r["baselineState"] for r in results(log) if "network.py" in str(r)]
    assert set(others) == {"unchanged"}


def test_strange_names_and_notebooks_stay_valid(folder: Path) -> None:
    (folder / "a b%&#é\n.py").write_text(BAD)
    (folder / "broken.py").write_text("def (")
    cells = [{"cell_type": "code", "source": "import torch\ntorch.not_there(1)"}]
    (folder / "book.ipynb").write_text(json.dumps({"cells": cells}))
    log = sarif(folder)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results(log)}
    assert {"a%20b%25%26%23%C3%A9%0A.py", "broken.py", "book.ipynb"} <= uris
    assert log["runs"][0]["invocations"] == [{"executionSuccessful": False}]
    cell = next(r for r in results(log) if "book.ipynb" in str(r["locations"]))
    assert cell["locations"][0]["logicalLocations"][0]["name"] == "cell 1, line 2"
    assert cell["message"]["text"].startswith("cell 1: torch.not_there")


def test_an_empty_scan_is_valid(tmp_path: Path) -> None:
    assert results(sarif(tmp_path)) == []
