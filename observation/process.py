"""`python -m msconvert.observation.process KIND SETTINGS script.py [args]`: a script, observed."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ..runtime.__main__ import main


def looking_on(kind: str, settings: dict[str, Any]) -> AbstractContextManager[None]:
    """The context in which the script runs."""
    if kind == "profile":
        from .profile.session import profiled

        return profiled(Path(settings["folder"]), settings["steps"], Path(settings["report"]))
    from .watch.session import watched

    return watched(settings["on"], settings["stop"], Path(settings["folder"]),
                   Path(settings["report"]))  # fmt: skip


if __name__ == "__main__":
    with looking_on(sys.argv[1], json.loads(sys.argv[2])):
        STATUS = main(sys.argv[3:])
    sys.exit(STATUS)
