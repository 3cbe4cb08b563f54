"""`msconvert runs`: tables, pages, JSON, where two runs part; damaged folders and files."""

from __future__ import annotations

import json
import re
import struct
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.errors import MsconvertError
from msconvert.formats.records import events
from msconvert.observation.runs.as_text import to_text as runs_text
from msconvert.observation.runs.parting import first_apart, parting
from msconvert.observation.runs.run import Run, read_runs


def written(
    folder: Path, losses: Any, settings: dict[str, Any] | None = None, **results: Any
) -> Path:
    """An event file of losses, with what a run was beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "events.out.tfevents.1.host_MS"
    parts = [events.first_event(1.0)]
    parts += [
        events.event(1.0 + k, k, [events.scalar("loss/auto", float(loss))])
        for k, loss in enumerate(losses, 1)
    ]
    path.write_bytes(b"".join(map(events.framed, parts)))
    whole = {"format": 1, "status": "ended", "seconds": 3.5,
             "settings": settings or {}, "results": results}  # fmt: skip
    path.with_name(path.name + ".run.json").write_text(json.dumps(whole))
    return path


def falling(count: int = 50, seed: int = 0, noise: float = 0.01) -> np.ndarray:
    random = np.random.default_rng(seed)
    return 2 * np.exp(-np.arange(count) / 20) + random.normal(0, noise, count)


def test_a_table_shows_results_and_the_settings_that_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, rate in (("slow", 0.01), ("fast", 0.1)):
        settings = {"learning rate": rate, "optimizer": "SGD"}
        written(tmp_path / name, falling(), settings, accuracy=rate * 5)
    assert main(["runs", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^slow +ended +50 .*0\.01", text, re.MULTILINE)
    assert re.search(r"^fast +ended +50 .*0\.1", text, re.MULTILINE)
    assert "learning rate" in " ".join(text.split())
    assert "optimizer" not in text


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    written(tmp_path / "one", falling(), {"rate": 0.1, "note": evil}, accuracy=0.5)
    written(tmp_path / "two", falling(seed=1), {"rate": 0.2, "note": "b"}, accuracy=0.7)
    page = tmp_path / "runs.html"
    assert main(["runs", str(tmp_path), "--html", str(page)]) == 0
    text, tags = page.read_text(), Tags()
    tags.feed(text)
    assert evil not in text
    assert not [a for _, a in tags.found if "src" in a or "href" in a]
    lines = [a for tag, a in tags.found if tag == "polyline"]
    assert {line["data-run"] for line in lines} == {"0", "1"}
    assert len(lines) == 4  # the loss, and settings against results
    (first,) = [a for a in lines if a["data-run"] == "0"][:1]
    assert len(str(first["points"]).split()) == 50
    assert main(["runs", str(tmp_path), "--html", str(page)]) == 1
    assert main(["runs", str(tmp_path), "--html", str(page), "--force"]) == 0


def test_json_holds_the_curves(tmp_path: Path) -> None:
    losses = [3.0, 2.0, float("nan"), float("inf"), 1.0]
    written(tmp_path / "one", losses, {"rate": 0.1})
    assert main(["runs", str(tmp_path), "--json", str(tmp_path / "runs.json")]) == 0
    (run,) = json.loads((tmp_path / "runs.json").read_text())["runs"]
    assert run["curves"]["loss/auto"] == [[1, 3.0], [2, 2.0], [3, "nan"], [4, "inf"], [5, 1.0]]
    assert run["settings"] == {"rate": 0.1}


# parting

BASE = falling(200)


@pytest.mark.parametrize(
    ("x", "y", "least", "most"),
    [
        (BASE, BASE, None, None),
        (BASE, BASE * (1 + 1e-6), None, None),
        (BASE, falling(200, 7), None, None),
        (falling(200, 1, 0.2), falling(200, 2, 0.2), None, None),
        (BASE, np.where(np.arange(200) < 80, BASE, BASE + 0.5), 80, 80),
        (BASE, np.where(np.arange(200) < 80, falling(200, 7), falling(200, 7) + 0.5), 80, 82),
        (BASE, BASE + np.maximum(np.arange(200) - 50, 0) * 0.01, 51, 53),
        (BASE, np.where(np.arange(200) < 30, BASE, np.nan), 30, 30),
        (BASE, BASE + 1, 0, 0),
        (BASE, np.where(np.arange(200) % 2, 1e6, 3e7), 0, 0),
        (BASE, np.exp(np.arange(200) / 5), 2, 8),
        (np.full(50, np.nan), np.full(50, np.nan), None, None),
        (BASE, np.where(np.arange(200) == 60, 9.0, BASE), None, None),
    ],
)
def test_where_curves_part(x: Any, y: Any, least: int | None, most: int | None) -> None:
    place, _ = first_apart(x, y)
    if least is None:
        assert place is None
    else:
        assert place is not None
        assert least <= place <= most


@pytest.mark.parametrize("seed", range(10))
def test_runs_that_differ_by_noise_alone_do_not_part(seed: int) -> None:
    assert first_apart(falling(150, 2 * seed, 0.05), falling(150, 2 * seed + 1, 0.05))[0] is None


def test_the_command_tells_the_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = np.where(np.arange(200) < 80, BASE, BASE + 0.5)
    a, b = written(tmp_path / "a", BASE), written(tmp_path / "b", changed)
    assert main(["runs", str(a.parent), str(b.parent), "--compare"]) == 1
    text = capsys.readouterr().out
    assert "a and b part at step 81" in text
    assert "msconvert compare" in text
    assert main(["runs", str(a.parent), str(a), "--compare"]) == 0
    assert "do not part" in capsys.readouterr().out


def test_how_far_apart_they_are_is_said_where_they_do_not_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Few steps that jump are no proof, nor that both are the same."""
    x = np.array([1.4, 1.3, 1.0, 0.9, 0.94, 0.84, 0.64, 0.7, 0.5])
    y = np.array([1.4, 0.8, 1.04, 2.4, 1.24, 0.66, 0.75, 1.4, 1.1])
    a, b = written(tmp_path / "a", x), written(tmp_path / "b", y)
    assert main(["runs", str(a), str(b), "--compare"]) == 0
    text = capsys.readouterr().out
    assert "nowhere 3 times in a row" in text
    assert "furthest apart at step 4, by 1.5; at the end they are 0.5 and 1.1" in text


def test_the_table_tells_each_figure_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run("a", tmp_path, {"loss/auto": [(1, 2.0), (3, 1.0)]}, {}, {"loss": 1.0, "steps": 3})
    assert runs_text([run], 100).splitlines()[0].split() == ["run", "status", "steps", "loss/auto"]
    other = Run("b", tmp_path, {"loss/auto": [(1, 2.0)]}, {}, {"loss": 0.5, "steps": 3})
    assert runs_text([run, other], 100).split()[:5] == [
        *("run", "status", "steps", "loss/auto", "loss")
    ]


@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_too_few_losses_are_told(count: int, tmp_path: Path) -> None:
    a, b = written(tmp_path / "a", BASE[:count]), written(tmp_path / "b", BASE)
    with pytest.raises(MsconvertError, match=r"^MS406 ") as caught:
        parting(*read_runs([a, b]))
    assert caught.value.got


# what is damaged


def test_a_folder_without_runs_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "nowhere"):
        with pytest.raises(MsconvertError, match=r"^MS406 "):
            read_runs([place])


def test_comparing_takes_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = written(tmp_path / "a", BASE)
    assert main(["runs", str(a), "--compare"]) == 2
    assert main(["runs"]) == 2
    assert "MS105 --compare" in capsys.readouterr().err


@pytest.mark.parametrize(
    "beside",
    [b"", b"{", b"[]", b"null", b'{"settings": 3}', b'{"settings": {"a": [1, {"b": 2}]}}', b"\xff",
     b'{"status": null, "seconds": "long", "results": {"loss": "low", "x": NaN}}',
     b'{"seconds": true}', b"[" * 5000],
)  # fmt: skip
def test_what_stands_beside_may_be_damaged(beside: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "a", BASE)
    path.with_name(path.name + ".run.json").write_bytes(beside)
    assert main(["runs", str(tmp_path), "--html", str(tmp_path / "a.html")]) == 0
    (run,) = read_runs([tmp_path])
    assert len(run.loss) == 200


@pytest.mark.parametrize("length", [0, 1, 11, 12, 20, 40, 60, 100, 1000])
def test_a_file_that_is_cut_is_shown_as_far_as_it_goes(length: int, tmp_path: Path) -> None:
    path = written(tmp_path / "a", BASE)
    path.write_bytes(path.read_bytes()[:length])
    (run,) = read_runs([tmp_path])
    assert isinstance(run, Run)
    assert bool(run.loss) is (length >= 100)
    assert main(["runs", str(tmp_path)]) == (0 if run.loss else 1)


def test_the_command_on_a_file_cut_at_every_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a", [1.0, 0.5, 0.25])
    whole = path.read_bytes()
    ends = [0]  # of the records: a length, its checksum, the body, its checksum
    while ends[-1] < len(whole):
        ends.append(ends[-1] + 16 + struct.unpack("<Q", whole[ends[-1] :][:8])[0])
    assert (ends[-1], len(ends)) == (len(whole), 5)
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        losses = sum(end <= length for end in ends[2:])
        assert main(["runs", str(tmp_path)]) == (0 if losses else 1), length
        text = capsys.readouterr().out
        first = "it is no event file of TensorBoard, or cut in its first record"
        usual = "it has no curves" if not losses else ""
        cut = usual if length in ends else "cut off: a record is cut off"
        told = first if 0 < length < ends[1] else cut
        assert text.partition("\n\na: ")[2].strip() == told, length


@pytest.mark.parametrize(
    "body",
    [b"", b"\x08", b"\xff" * 20, struct.pack("<d", 1.0), b"\x2a\x05abc", b"\x2a\x02\x0a\xff",
     b"\x2a\x07\x0a\x05\x0a\x01a\x15\x00"],
)  # fmt: skip
def test_records_of_other_messages_are_told_or_left_out(body: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(events.framed(events.first_event(1.0)) + events.framed(body))
    (run,) = read_runs([tmp_path])
    assert run.curves == {}


@pytest.mark.parametrize("again", ["a", "a/.", "../a", "a/events.out.tfevents.1.host_MS", "link"])
def test_a_run_that_is_named_twice_is_one(
    again: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = tmp_path / "in"
    file = written(inner / "a", falling())
    (inner / "link").symlink_to(file.parent)
    named = [str(inner / "a"), str(inner / again if again[0] != "." else file.parent / again)]
    assert main(["runs", *named]) == 0
    assert capsys.readouterr().out.count(" 50 ") == 1
    assert main(["runs", *named, "--compare"]) == 0
    assert "a and a do not part" in capsys.readouterr().out


@pytest.mark.parametrize("count", [0, 1, 2, 5, 9])
def test_a_file_without_curves_says_so(count: int, tmp_path: Path) -> None:
    parts = [events.first_event(1.0)][:count]
    parts += [events.event(1.0 + k, k, []) for k in range(count)]
    (tmp_path / "events.out.tfevents.1").write_bytes(b"".join(map(events.framed, parts)))
    assert [run.problem for run in read_runs([tmp_path])] == ["it has no curves"]


@pytest.mark.parametrize("empty", ["none", "none/below", "other", "link", "a/below"])
@pytest.mark.parametrize("is_first", [True, False])
def test_comparing_names_the_folder_without_runs(
    empty: str, is_first: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "a", falling())
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / empty).mkdir(parents=True, exist_ok=True)
    named = [str(tmp_path / "a"), str(tmp_path / empty)]
    assert main(["runs", *(reversed(named) if is_first else named), "--compare"]) == 1
    told = capsys.readouterr().err
    assert "MS406" in told
    assert f"{tmp_path / empty}: there are no event files" in told


def page_of(folder: Path) -> str:
    page = folder / "page.html"
    assert main(["runs", str(folder), "--html", str(page), "--force"]) == 0
    return page.read_text()


def test_a_setting_and_a_result_of_one_name_have_an_axis_each(tmp_path: Path) -> None:
    """MindSpore's users call both "loss": a layer's name and its value."""
    written(tmp_path / "a", falling(), {"loss": "MSELoss", "rate": 0.1}, loss=0.25)
    written(tmp_path / "b", falling(seed=1), {"loss": "MSELoss", "rate": 0.2}, loss=0.5)
    axes = re.findall(r'class="end">(.*?)</text>', page_of(tmp_path))
    assert "MSELoss" not in axes
    assert {"0.25", "0.5", "0.1", "0.2"} <= {*axes}


def test_what_stands_under_axes_has_room(tmp_path: Path) -> None:
    for name in ("first", "other"):
        written(tmp_path / name, falling(), {"command": f"a/long/path/to/train.py {name}"})
    axes = re.findall(r'class="end">(.*?)</text>', page_of(tmp_path))
    assert {"…train.py first", "…train.py other"} <= {*axes}


@pytest.mark.parametrize(("largest", "logarithmic"), [(20.0, False), (5e7, True)])
def test_a_loss_that_was_huge_hides_not_the_rest(
    largest: float, logarithmic: bool, tmp_path: Path
) -> None:
    written(tmp_path / "a", [largest, *falling(30)])
    page = page_of(tmp_path)
    heights = [float(y) for y in re.findall(r",([\d.]+)", page.split('points="')[1].split('"')[0])]
    assert ("(logarithmic)" in page) is logarithmic
    assert heights[0] == 0.0
    assert max(heights[1:]) - min(heights[1:]) > 10


def test_figures_of_many_curves_are_computed_once(tmp_path: Path) -> None:
    """A page asks for them by each of their names: 20,000 took minutes."""
    written(tmp_path, falling())
    (run,) = read_runs([tmp_path])
    assert run.figures is run.figures
    assert run.loss_name is run.loss_name == "loss/auto"
