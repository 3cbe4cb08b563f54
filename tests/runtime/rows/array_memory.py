"""Where a Tensor is."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

rows(
    "x(3, 4).is_pinned()",
    "x(3, 4).is_shared()",
    "x(3, 4).flush_from_cache()",
    "x(3, 4).move_to('CPU')",
    "x(3, 4).set_const_arg(True)",
    "x(3, 4).device",
    "x(3, 4).is_meta",
    "x(3, 4).init",
    "x(3, 4).param_info",
    "x(3, 4).virtual_flag",
    "x(3, 4).symbolic_shape",
    "x(3, 4).data_sync()",
    "x(3, 4).offload_file_path()",
    """\
    a = x(3, 4) * 1
    b = a.set_dtype(ms.int32)
    result = (a, b)""",
    "ms.Tensor([True, False], ms.bool)",
)
rows(
    "x(3, 4).data",
    gradient=False,
    because="MindSpore's CPU build has no gradient of it, or a wrong one",
)
refused(
    "x(3, 4).set_(ms.Tensor([1, 2]))",
)
