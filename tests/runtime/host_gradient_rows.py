"""One row for each host primitive with a vjp; as `gradient_rows.py`."""

from __future__ import annotations

import numpy as np

from msconvert.tests.runtime.gradient_rows import S

X = (3, 4)

SPECIAL = [
    *[S(f"Bessel{kind}", X, low=low) for kind, low in (
        ("I0", -1), ("I0e", 0.2), ("I1", 0.2), ("I1e", 0.2), ("J0", 0.2), ("J1", 0.2),
        ("K0", 0.2), ("K0e", 0.2), ("K1", 0.2), ("K1e", 0.2), ("Y0", 0.2), ("Y1", 0.2))],
    S("BesselJ1", X, low=0.3, twice=True),
    S("Betainc", np.array([1.5, 2.7]), np.array([2.5, 1.6]), (1,), low=-0.5),
    S("Digamma", X, low=0.5, twice=True), S("Erfc", X, twice=True), S("Erfinv", X, low=-0.95),
    S("Igamma", X, X, low=0.5), S("Igammac", X, X, low=0.5),
    S("Lgamma", X, low=0.5, twice=True),
    S("Polygamma", np.array(1), X, low=0.5),
    S("Zeta", np.array([2.5, 3.0, 1.4]), (4, 3), low=0.5),
]  # fmt: skip

HOST_SAMPLES = [*SPECIAL]
