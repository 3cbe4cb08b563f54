"""Two networks as files of the same name."""

from __future__ import annotations

from pathlib import Path

from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings


def compared(
    comparer: NetworkComparer,
    folder: Path,
    original: str,
    converted: str,
    settings: NetworkSettings,
) -> NetworkComparison:
    """What is said of the two texts, each written as net.py into a folder of its own."""
    for side, text in (("a", original), ("b", converted)):
        (folder / side).mkdir(exist_ok=True)
        (folder / side / "net.py").write_text(text)
    return comparer.compare(folder / "a" / "net.py", folder / "b" / "net.py", settings)
