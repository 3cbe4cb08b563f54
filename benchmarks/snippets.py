"""What becomes of snippets: `python benchmarks/snippets.py [SHARE]`, of the variants' forms.

Every example of the table, its variants, and the snippets written by hand are converted as whole
files; PyTorch executes the originals, the runtime and the real MindSpore the converted ones. The
table tells how many are equal, refused, raise, or give something else.
"""

from __future__ import annotations

import sys

from msconvert.tests.api_mapping.migrate.snippets import (
    judged,
    of_rows,
    of_variants,
    table,
    written,
)
from msconvert.tests.api_mapping.verification import mindspore_python


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    sets = {"rows": of_rows(), "variants": of_variants(share), "written": written()}
    for name, snippets in sets.items():
        print(f"{name}\n{table(judged(list(snippets), mindspore_python()))}\n")


if __name__ == "__main__":
    main()
