"""`msconvert data`: what is in MindRecord and TFRecord files, and what is said of others."""

from __future__ import annotations

import base64
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from msconvert.commands.data import LARGEST_IMAGE
from msconvert.commands.main import main
from msconvert.runtime import mindrecord
from msconvert.tests.runtime.dataset.row_runner import tfrecord


@pytest.fixture
def file(tmp_path: Path) -> Path:
    writer = mindrecord.FileWriter(str(tmp_path / "rows"), overwrite=True)
    schema = {"name": {"type": "string"}, "image": {"type": "bytes"}}
    writer.add_schema(schema | {"ids": {"type": "int64", "shape": [-1]}}, "of a test")
    rows = [
        {"name": f"\x1b[31m{n}\u202e", "image": bytes([n] * 9), "ids": np.arange(20) * n}
        for n in range(5)
    ]
    writer.write_raw_data(rows)
    writer.commit()
    return tmp_path / "rows"


def test_what_a_mindrecord_file_holds(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", str(file), "--show", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "rows: MindRecord, 5 rows",
        "described as: of a test",
        "  ids: int64 [-1]",
        "  image: bytes",
        "  name: string",
        "",
        "row 0",
        "  ids: int64 [20]: 0, 0, 0, 0, 0, 0, 0, 0, ...",
        "  image: 9 bytes that begin with 00 00 00 00 00 00 00 00",
        "  name: \\x1b[31m0\\u202e",
        "",
        "row 1",
        "  ids: int64 [20]: 0, 1, 2, 3, 4, 5, 6, 7, ...",
        "  image: 9 bytes that begin with 01 01 01 01 01 01 01 01",
        "  name: \\x1b[31m1\\u202e",
    ]


@pytest.mark.parametrize("show", [0, 1, 3, 5, 100])
def test_so_many_rows_are_shown(show: int, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", str(file), "--show", str(show)]) == 0
    assert capsys.readouterr().out.count("\nrow ") == min(show, 5)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_what_a_tfrecord_file_holds(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_bytes(b"".join(map(tfrecord, range(count))))
    assert main(["data", str(tmp_path / "x"), "--show", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"x: TFRecord, {count} row{'s' * (count > 1)}"
    assert lines[1:4] == [
        "  ids: int64, 3 values in the first row",
        "  size: float32, 2 values in the first row",
        "  word: bytes, 1 value in the first row",
    ]
    assert lines[6] == "  ids: int64 [3]: 0, 1, 2"


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"\0" * 12,
        b"\0" * 8 + b"{" + b"\0" * 40000,
        b"text that is no record",
        tfrecord(1)[:30],
        tfrecord(1)[:12] + b"\xff" * 200,
        b"\xff" * 8 + b"{}" * 20000,
    ],
)
def test_other_files_are_refused(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_bytes(content)
    assert main(["data", str(tmp_path / "x")]) == 1
    assert "MS302" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["nothing", ".", "no/where"])
def test_files_that_are_not_there_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", str(tmp_path / name)]) == 1
    assert "MS302" in capsys.readouterr().err


PIXEL = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc"
    b"\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82"
)


class Page(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    values = [PIXEL, b"\xff\xd8\xff\xe0", b"RIFF....WEBP", b"<svg onload='x()'/>", b""]
    values.append(PIXEL + bytes(LARGEST_IMAGE))
    writer = mindrecord.FileWriter(str(tmp_path / "rows"))
    writer.add_schema({"image": {"type": "bytes"}, "name": {"type": "string"}})
    rows = [{"image": value, "name": f"<b onclick='x()'>{n}"} for n, value in enumerate(values)]
    writer.write_raw_data(rows)
    writer.commit()
    return tmp_path / "rows"


def test_the_page_has_the_images_in_it_and_nothing_from_elsewhere(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "rows.html"
    assert main(["data", str(pictures), "--show", "9", "--html", str(target)]) == 0
    assert str(target) in capsys.readouterr().out
    page = Page(target.read_text())
    sources = [attributes["src"] or "" for tag, attributes in page.elements if tag == "img"]
    kinds = ("image/png", "image/jpeg", "image/webp")
    assert [source.split(";")[0] for source in sources] == [f"data:{kind}" for kind in kinds]
    assert base64.b64decode(sources[0].split(",")[1]) == PIXEL
    assert not {"script", "svg", "link", "iframe"} & {tag for tag, _ in page.elements}
    assert all(not {"href", "onclick"} & set(attributes) for _, attributes in page.elements)
    policy = [attributes.get("content") or "" for tag, attributes in page.elements if tag == "meta"]
    assert any("default-src 'none'; img-src data:;" in content for content in policy)
    assert page.text.count("\n  row ") == 6
    assert "<b onclick='x()'>5" in page.text


def test_a_page_of_tfrecord_rows(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"".join(map(tfrecord, range(4))))
    target = tmp_path / "x.html"
    assert main(["data", str(tmp_path / "x"), "--html", str(target)]) == 0
    text = Page(target.read_text()).text
    assert "int64, 3 values in the first row" in text
    assert text.count("\n  row ") == 3


def test_a_page_that_is_there_stays(pictures: Path, tmp_path: Path) -> None:
    target = tmp_path / "rows.html"
    target.write_text("mine")
    assert main(["data", str(pictures), "--html", str(target)]) == 1
    assert target.read_text() == "mine"
    assert main(["data", str(pictures), "--html", str(target), "--force"]) == 0
    assert target.read_text() != "mine"
