"""`x.new(...)`: sizes make a tensor of zeros, and what may be data is marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_file import migrated

BEGIN = "import torch\n\n\ndef f(x: torch.Tensor, y: torch.Tensor, n: int, m, shape: tuple):\n"

OF_SIZES = {
    "x.new(3)": "ops.zeros(3, dtype=x.dtype)",
    "x.new(n)": "ops.zeros(n, dtype=x.dtype)",
    "x.new(2, 3)": "ops.zeros((2, 3), dtype=x.dtype)",
    "x.new(m, 4)": "ops.zeros((m, 4), dtype=x.dtype)",
    "x.new(x.size(0), n, 1)": "ops.zeros((x.shape[0], n, 1), dtype=x.dtype)",
    "x.new(n, n, 2, 1)": "ops.zeros((n, n, 2, 1), dtype=x.dtype)",
    "x.new(n, 2).zero_()": "ops.zeros_like(ops.zeros((n, 2), dtype=x.dtype))",
}
OF_DATA = ("x.new(m)", "x.new([1, 2])", "x.new(y)", "x.new()", "x.new(shape)", "x.new((2, 3))")


@pytest.mark.parametrize("code", OF_SIZES)
def test_sizes_make_a_tensor(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"{BEGIN}    return {code}\n")
    assert not found.left
    assert found.text.splitlines()[-1] == f"    return {OF_SIZES[code]}"


@pytest.mark.parametrize("code", OF_DATA)
def test_what_may_be_data_is_marked(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"{BEGIN}    return {code}\n")
    assert [use.api for use in found.left] == ["torch.Tensor.new"]
    assert found.text.endswith(f"    return {code}\n")
    assert "# MS201 line: torch.Tensor.new" in found.text


def test_other_methods_of_that_name_stay(tmp_path: Path) -> None:
    code = "import hashlib\n\nimport torch\n\nx = torch.ones(2)\nh = hashlib.new('md5')\n"
    assert "h = hashlib.new('md5')" in migrated(tmp_path, code).text
