"""The profile's page in Chromium, and its trace against the schema of Chrome's and Perfetto's."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import msconvert.runtime as ms
from msconvert.observation.profile.session import written
from msconvert.runtime.profiler.recorder import Record
from msconvert.tests.api_mapping.scan.browser import Page, browser, chromium
from msconvert.tests.runtime.profiler.test_pipeline import by_hand
from msconvert.tests.runtime.profiler.test_profiler import recorded

NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
COMMON = {"name": {"type": "string", "minLength": 1}, "pid": WHOLE, "tid": WHOLE}


def event(phase: str, needed: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["name", "ph", "pid", "tid", *needed],
        "properties": {**COMMON, "ph": {"const": phase}, **properties},
    }


SCHEMA = {
    "type": "object",
    "required": ["traceEvents"],
    "additionalProperties": False,
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "otherData": {"type": "object", "additionalProperties": {"type": "string"}},
        "traceEvents": {
            "type": "array",
            "items": {
                "oneOf": [
                    event("X", ["ts", "dur"], ts={**NUMBER}, dur={**NUMBER, "minimum": 0},
                          cat={"type": "string"}, args={"type": "object"}),
                    event("C", ["ts", "args"], ts={**NUMBER},
                          args={"type": "object", "minProperties": 1,
                                "additionalProperties": NUMBER}),
                    event("M", ["args"], name={"enum": ["thread_name", "process_name"]},
                          args={"type": "object", "required": ["name"],
                                "properties": {"name": {"type": "string"}}}),
                ]
            },
        },
    },
}  # fmt: skip
"""Source: Trace Event Format, and Perfetto's importer of JSON, which skips what is otherwise."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile of a real training in graph mode, and others that are made by hand."""
    folder = tmp_path_factory.mktemp("profiles")
    try:
        record = recorded(ms.GRAPH_MODE, 6)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    records = {
        "real": record,
        "pynative": recorded(ms.PYNATIVE_MODE, 3),
        "data": by_hand("map (Resize)", 0.25),
        "hostile": by_hand("map (Resize)", None),
        "empty": Record(),
    }
    hostile = records["hostile"]
    hostile.stages = [type(hostile.stages[0])("</script><b>", 0, 1, 5.0)]
    for name, one in records.items():
        assert written(one, folder / name) == ""
    return folder


NAMES = ("real", "pynative", "data", "hostile", "empty")


@pytest.mark.parametrize("name", NAMES)
def test_the_trace_fits_the_schema(name: str, folder: Path) -> None:
    trace = json.loads((folder / name / "trace.json").read_text())
    jsonschema.validate(trace, SCHEMA)
    lanes = {e["tid"] for e in trace["traceEvents"] if e["ph"] == "M"}
    assert {e["tid"] for e in trace["traceEvents"] if e["ph"] == "X"} <= lanes


BROKEN: dict[str, dict[str, Any]] = {
    "no time": {"name": "a", "ph": "X", "dur": 1, "pid": 1, "tid": 1},
    "a negative length": {"name": "a", "ph": "X", "ts": 0, "dur": -1, "pid": 1, "tid": 1},
    "a phase that there is not": {"name": "a", "ph": "?", "ts": 0, "pid": 1, "tid": 1},
    "a counter of text": {"name": "a", "ph": "C", "ts": 0, "pid": 1, "tid": 0, "args": {"x": "1"}},
    "no process": {"name": "a", "ph": "X", "ts": 0, "dur": 1, "tid": 1},
    "a time as text": {"name": "a", "ph": "X", "ts": "0", "dur": 1, "pid": 1, "tid": 1},
}


@pytest.mark.parametrize("problem", BROKEN)
def test_the_schema_refuses_what_is_no_trace(problem: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"traceEvents": [BROKEN[problem]]}, SCHEMA)


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[Page]:
    if chromium() is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with browser(folder / "browser") as page:
        yield page


def screen(page: Page) -> Any:
    """What is seen without scrolling, as an image."""
    from PIL import Image

    shot = page.ask("Page.captureScreenshot", format="png")["data"]
    return Image.open(io.BytesIO(base64.b64decode(str(shot)))).convert("RGB")


@pytest.mark.parametrize("name", NAMES)
def test_the_first_screen_says_where_the_time_goes(name: str, opened: Page, folder: Path) -> None:
    opened.go((folder / name / "profile.html").as_uri())
    for label in ("What to do", "Parts of a step"):
        place = f"document.querySelector('section[aria-label=\"{label}\"]').getBoundingClientRect()"
        assert opened.value(f"{place}.top >= 0 && {place}.bottom <= innerHeight"), label
    assert opened.value("document.querySelector('h1').textContent")
    wide = "document.documentElement.scrollWidth <= innerWidth"
    assert opened.value(wide)
    assert opened.value("document.querySelectorAll('b').length") == 3  # the tiles alone
    image = screen(opened)
    colours = image.getcolors(image.width * image.height)
    assert image.width > 1000
    assert len(colours) > 50, "the page is blank"
    assert max(count for count, _ in colours) < 0.97 * image.width * image.height


def test_the_slowest_stage_is_on_the_first_screen(opened: Page, folder: Path) -> None:
    opened.go((folder / "data" / "profile.html").as_uri())
    text = opened.value("document.querySelector('section[aria-label=\"What to do\"]').innerText")
    assert "the slowest stage is map (Resize)" in str(text)
    table = opened.value("[...document.querySelectorAll('h2')].pop().textContent")
    assert table == "Data: the queue behind it is 25% full"
