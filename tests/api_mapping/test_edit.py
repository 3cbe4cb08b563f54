"""What the rules make of statements that no example of the table can show."""

from __future__ import annotations

import pytest

from msconvert.api_mapping.reference.examples import Example
from msconvert.api_mapping.table import registry
from msconvert.api_mapping.table.argument import Refusal


def converted(code: str) -> str:
    return Example(registry.find("torch.jit.is_scripting")[0], code).converted


def test_a_setting_that_has_no_place_is_not_written() -> None:
    with pytest.raises(Refusal, match="delete the line"):
        converted("torch.backends.cudnn.benchmark = True")


def test_a_class_is_a_base_where_its_calls_stay_the_same() -> None:
    code = "class Words(data.Dataset):\n    pass"
    assert converted(code).splitlines()[0] == "class Words(compat.Dataset):"


@pytest.mark.parametrize(
    ("train", "part"),
    [("", '"train"'), (", False", '"test"'), (", on", '"train" if on else "test"')],
)
def test_a_part_of_a_data_set_has_a_name(train: str, part: str) -> None:
    text = converted(f"torchvision.datasets.USPS(root{train})")
    assert text == f"compat.image_set(ds.USPSDataset(root, {part}, shuffle=False))"


def test_a_mark_of_a_function_is_left_out() -> None:
    assert converted("step = torch.jit.unused(step)") == "step = step"
    assert converted("torch.compiler.disable(step, recursive=False)(1)") == "step(1)"
