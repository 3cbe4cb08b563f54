"""The network that was built against the live module that it comes from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..converter.conversion_report import ConversionReport
from ..converter.proof.difference import Difference, difference
from ..converter.proof.verify import TOLERANCE, Verification
from ..reporting.report import Finding
from .converted import Converted

Array = np.ndarray[Any, Any]

MODE = "against PyTorch"


def compared(converted: Converted, inputs: list[Array], expected: Path) -> ConversionReport:
    """The report with what the network makes of the module's own inputs, against the module.

    Inputs that the exporter dropped leave nothing to compare, which is said.
    """
    report = converted.report
    with np.load(expected) as arrays:
        wanted = [arrays[name] for name in arrays.files]
    found = _outputs(converted, inputs)
    verification = report.verification
    if verification is None:
        return report
    if len(found) != len(wanted):
        remark = "not compared with PyTorch: the file has other inputs or outputs than the module"
        remarks = (*verification.remarks, remark)
        return replace(report, verification=replace(verification, remarks=remarks))
    names = [d.output for d in verification.differences[: len(found)]]
    pairs = zip(names, found, wanted, strict=True)
    more = [difference(name, MODE, got, want, TOLERANCE) for name, got, want in pairs]
    return _told(report, verification, more)


def _outputs(converted: Converted, inputs: list[Array]) -> list[Array]:
    """What the network makes of them; nothing if it takes another number of inputs."""
    from .. import runtime as ms

    network = converted.build()
    if network.construct.__code__.co_argcount - 1 != len(inputs):
        return []
    results = network(*[ms.Tensor(array) for array in inputs])
    return [x.asnumpy() for x in (results if isinstance(results, tuple) else (results,))]


def _told(
    report: ConversionReport, verification: Verification, more: list[Difference]
) -> ConversionReport:
    """The report with these differences, and an error if one is beyond its tolerance."""
    whole = replace(verification, differences=(*verification.differences, *more))
    report = replace(report, verification=whole)
    worst = next((d for d in more if not d.passed), None)
    if worst is None:
        return report
    message = f"output {worst.output} differs from PyTorch's by {worst.error:.1e} of its maximum"
    advice = "the exporter may have written another network: try the other one"
    finding = Finding("MS108", report.source, message, advice, "error")
    return replace(report, findings=(*report.findings, finding))
