"""The processes of both frameworks, once for all tests of the folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from msconvert.troubleshooter.compare import NetworkComparer


@pytest.fixture(scope="session")
def comparer() -> Iterator[NetworkComparer]:
    with pytest.MonkeyPatch.context() as patch, NetworkComparer() as found:
        patch.setenv("OMP_NUM_THREADS", "1")  # the networks are tiny
        yield found
