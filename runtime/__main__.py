"""`python -m msconvert.runtime script.py [args]`: runs a MindSpore script."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from .alias import answer_mindspore, missing_name


def main(arguments: list[str]) -> int:
    """Runs the script named first, with the rest as its arguments; 2 if there is none.

    Raises: what the script raises; MS301 for a name that MindSpore may have and the runtime not
    """
    if not arguments or not Path(arguments[0]).is_file():
        told = f"no file {arguments[0]!r}\n" if arguments else ""
        sys.stderr.write(f"{told}usage: python -m msconvert.runtime script.py [arguments]\n")
        return 2
    answer_mindspore()
    sys.argv = arguments
    sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
    try:
        runpy.run_path(arguments[0], run_name="__main__")
    except ImportError as error:
        missing = missing_name(error)
        if missing is None:
            raise
        raise missing.with_traceback(error.__traceback__) from None
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
