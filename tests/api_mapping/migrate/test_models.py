"""Models as people write them: converted, and then equal to PyTorch on both targets, or known.

Equal means: constructed with the original's weights, run, outputs equal in evaluation, gradients
equal, and equal after one training step.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.api_mapping.source.output import write_tree
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings as Conversion
from msconvert.api_mapping.table.target import Target
from msconvert.troubleshooter.verify import CaseResult, Settings, Verifier

MODELS = Path(__file__).with_name("models")
NAMES = sorted(path.stem for path in MODELS.glob("*.py"))

KNOWN_GAPS = {
    "lora": "F.embedding(max_norm=...), and nn.Embedding.forward(self, x)",
    "yolo": "FloatTensor(x.shape), a variable that is one of two classes: a shape or values",
}
"""Models that are not equal on either target, and why: one that becomes equal leaves the list."""

ON_MINDSPORE = (
    *("char_rnn", "deepfm", "dueling_dqn", "espcn", "gat", "gcn", "lstm_from_scratch"),
    *("lstm_tagger", "fcn8s", "dcgan", "edsr"),
)
"""Those that MindSpore's CPU runs and trains within seconds; the others need up to a minute."""


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    with Verifier() as found:
        yield found


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> dict[Target, Path]:
    """The folder of converted models for each target."""
    pytest.importorskip("torch")
    folders = {target: tmp_path_factory.mktemp("models") / target.value for target in Target}
    for target, folder in folders.items():
        assert not write_tree(convert_paths((MODELS,), Conversion(target), ()), folder)
    return folders


def result_of(name: str, verifier: Verifier, folder: Path, settings: Settings) -> CaseResult:
    (found,) = verifier.verify(MODELS / f"{name}.py", folder / f"{name}.py", settings).cases
    return found


def check(found: CaseResult, gap: str) -> None:
    """A model is equal, or its gap is known: then it is not."""
    failure = found.first_failure
    why = failure.explanation.text if failure is not None and failure.explanation else ""
    assert found.is_equal or gap, why
    assert not (found.is_equal and gap), f"{found.original} is equal: take it from the list"


def test_there_are_models_of_many_kinds() -> None:
    assert len(NAMES) >= 50
    assert not (KNOWN_GAPS.keys() | set(ON_MINDSPORE)) - set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_equal_on_the_runtime(
    name: str, verifier: Verifier, converted: dict[Target, Path]
) -> None:
    folder = converted[Target.BUNDLED]
    found = result_of(name, verifier, folder, Settings(target="bundled"))
    check(found, KNOWN_GAPS.get(name, ""))


@pytest.mark.parametrize("name", ON_MINDSPORE)
def test_a_model_is_equal_on_mindspore(
    name: str, verifier: Verifier, converted: dict[Target, Path], mindspore_python: Path
) -> None:
    settings = Settings(target="mindspore", python_mindspore=str(mindspore_python))
    found = result_of(name, verifier, converted[Target.MINDSPORE], settings)
    check(found, KNOWN_GAPS.get(name, ""))
