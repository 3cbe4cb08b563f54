"""HTML pages that need nothing else: templates, styles and scripts of the project's own."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup


@dataclass(frozen=True)
class Tile:
    """A figure at the top of the page."""

    value: str
    label: str


def to_page(name: str, styles: Sequence[str], script: str, facts: dict[str, Any]) -> str:
    """The page of the template `name`, with its style sheets and the one script that may run, if
    there is one."""
    code = part(script) if script else Markup("")
    digest = hashlib.sha256(code.encode()).digest()
    page = (
        environment()
        .get_template(name)
        .render(
            style=Markup("\n").join(map(part, styles)),
            script=code,
            script_hash=base64.b64encode(digest).decode(),
            **facts,
        )
    )
    return page.encode(errors="backslashreplace").decode()  # a lone surrogate is no text


@cache
def environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("msconvert", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )


def part(name: str) -> Markup:
    """A file of the templates as it is: it is the project's own, not the user's."""
    loader = jinja2.PackageLoader("msconvert", "templates")
    return Markup(loader.get_source(environment(), name)[0])


def embedded(value: object) -> Markup:
    """JSON that ends no script element and begins no comment, whatever text is in it."""
    text = json.dumps(value, separators=(",", ":"))  # ASCII only
    return Markup(re.sub("[<>&]", lambda m: f"\\u{ord(m[0]):04x}", text))


@dataclass(frozen=True)
class Segment:
    """A piece of the bar."""

    name: str
    style: str
    uses: int
    names: int


@dataclass(frozen=True)
class Heading:
    """Of a column."""

    text: str
    is_number: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table of the page that does not change."""

    title: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]


def framed(page: str) -> str:
    """A whole page within another one, whose styles and scripts are its own."""
    return (
        '<iframe style="width:100%;height:600px;border:0" sandbox="allow-scripts" '
        f'srcdoc="{html.escape(page)}"></iframe>'
    )
