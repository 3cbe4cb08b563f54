"""`msconvert data`: what is in a file of records."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import harmless, printable
from .outputs import say

if TYPE_CHECKING:
    from ..formats.records.contents import Contents

SHOWN = 70
"""Characters of a value."""
LARGEST_IMAGE = 4 << 20
"""Bytes of an image that a page has in it."""
IMAGES = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
}
"""How files of images begin that every browser shows; none of them can hold a script."""

EPILOG = """\b
Examples:
  msconvert data train.mindrecord
  msconvert data train.mindrecord --show 20 --html rows.html

\b
The page has the first rows with their images in it: it needs no other file, and no network.
"""


@click.command(
    epilog=EPILOG,
    short_help="Tells what is in a MindRecord or TFRecord file.",
    help="Tells what is in a MindRecord or TFRecord file: fields, counts, first rows.",
)
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--show", type=click.IntRange(min=0), default=3, help="How many rows are shown.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE",
              help="Write a page with the rows and their images.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite the file of --html.")
def data(path: Path, show: int, html: Path | None, force: bool) -> None:
    """Prints what is in a file. Raises: MS302"""
    from ..formats.records.contents import contents

    found = contents(path, show)
    if html is None:
        say(text_of(path.name, found))
        return
    from ..formats.storage.atomic import Transaction

    with Transaction(force=force, inputs=[path]) as transaction:
        transaction.write_text(html, harmless(page_of(path.name, found)))
    say(f"Written: {printable(str(html))}")


def text_of(name: str, found: Contents) -> str:
    """What is in a file, as text."""
    lines = [f"{name}: {summary(found)}", *found.notes]
    lines += [f"  {field}: {kind}" for field, kind in found.fields]
    for number, row in enumerate(found.rows):
        lines += ["", f"row {number}"]
        lines += [f"  {field}: {short(value)}" for field, value in sorted(row.items())]
    return "\n".join(printable(line) if line else "" for line in lines)


def summary(found: Contents) -> str:
    from ..formats.records.contents import counted

    return f"{found.kind}, {counted(found.count, 'row')}"


def page_of(name: str, found: Contents) -> str:
    """What is in a file, as a page."""
    from ..reporting.page import Tile, to_page

    facts = {
        "title": printable(name, SHOWN),
        "tiles": [Tile(found.kind, "kind"), Tile(str(found.count), "rows")],
        "notes": [printable(note) for note in found.notes],
        "fields": [tuple(map(printable, field)) for field in found.fields],
        "rows": [
            [(printable(field), short(value), image(value)) for field, value in sorted(row.items())]
            for row in found.rows
        ],
    }
    return to_page("data.html.jinja", ["scan.css", "runs.css"], "", facts)


def image(value: Any) -> str:
    """The bytes of an image as an address that has it in it; nothing for all else."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, bytes) or len(value) > LARGEST_IMAGE:
        return ""
    kinds = [kind for start, kind in IMAGES.items() if value.startswith(start)]
    if value[:4] == b"RIFF" and value[8:12] == b"WEBP":
        kinds = ["image/webp"]
    return f"data:{kinds[0]};base64,{base64.b64encode(value).decode()}" if kinds else ""


def short(value: Any) -> str:
    """A value in one line, harmless to a terminal."""
    from ..formats.records.contents import counted

    if isinstance(value, list):
        return ", ".join(map(short, value[:4])) + (", ..." if len(value) > 4 else "")
    if isinstance(value, bytes):
        return f"{counted(len(value), 'byte')} that begin with {value[:8].hex(' ') or 'nothing'}"
    if hasattr(value, "tolist"):
        flat = value.reshape(-1)[:8].tolist()
        more = ", ..." if value.size > 8 else ""
        return f"{value.dtype} {list(value.shape)}: {', '.join(map(str, flat))}{more}"
    return printable(str(value), SHOWN)
