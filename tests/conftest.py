"""What every test may use: the flag `--renew-golden` and the fixture `golden`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--renew-golden",
        action="store_true",
        help="write golden files and generated pages anew instead of comparing them",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """`golden(path, text)`: the file at `path` holds `text`; with --renew-golden it is written."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--renew-golden"):
            path.write_text(text, encoding="utf-8")
        held = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text == held, f"{path.name} is not what is made now: pytest --renew-golden"

    return compare
