"""The report of a migration, as a page that lies in the new folder."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import harmless, printable
from . import as_text
from .outcome import Outcome
from .steps import steps

REPORT = "MIGRATION.md"


def to_markdown(outcome: Outcome) -> str:
    """What was done, what is left, and what to do next."""
    return harmless("\n".join(page(outcome)) + "\n")


def page(outcome: Outcome) -> Iterator[str]:
    yield f"# {printable(outcome.wanted.project.absolute().name)}, migrated to MindSpore\n"
    yield (
        "Everything is migrated and was compared equal.\n" if outcome.ok else "Something is left.\n"
    )
    told = list(as_text.summary(outcome))
    for line in told[: next((n for n, t in enumerate(told) if t.startswith("Next 1:")), None)]:
        yield f"- {marked(line)}"
    found = list(as_text.findings(outcome))
    if found:
        yield "\n## What to look at\n"
        yield from (f"- {marked(text)}" for text in found)
    following = steps(outcome)
    if following:
        yield "\n## Next\n"
    for number, step in enumerate(following, 1):
        yield f"{number}. {marked(printable(step.why, limit=400))}"
        if step.command:
            yield f"\n   ```bash\n   {step.command}\n   ```\n"


def marked(text: str) -> str:
    """A text on one line, in which nothing is markup."""
    line = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in line)
