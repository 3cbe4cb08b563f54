"""Names that MindSpore has and the bundled runtime has not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...table.bundled import is_on_mindspore_only
from .facts import Facts
from .rule import Hit, limit


@limit(
    "MS237",
    *(ast.Call, ast.Attribute, ast.Name),
    advice="run this part with MindSpore itself: --target mindspore",
    found=(
        "from torch.utils.dlpack import to_dlpack\ndef f(x):\n    return to_dlpack(x)  # !",
        "def f(x):\n    return torch.utils.dlpack.to_dlpack(x)  # !",
        "import torch.utils.dlpack as d\ndef f(x):\n    return d.to_dlpack(x)  # !",
        "from torch.utils import dlpack\ndef f(x):\n    return dlpack.to_dlpack(x)  # !",
    ),
    clean=(
        "def f(x: torch.Tensor):\n    return torch.relu(x)",
        "from torch.profiler import profile",
        "with torch.profiler.profile():\n    y = 1",
        "import torch.profiler as p\nplan = p.schedule(wait=1, warmup=1, active=2)",
        "handler = torch.profiler.tensorboard_trace_handler('log')",
        "def f(profile):\n    return profile()",
        "layer = nn.Linear(2, 2)",
        "x = torch.sort(torch.ones(2))",
    ),
    about=is_on_mindspore_only,
)
def not_bundled(node: ast.expr, facts: Facts) -> Iterator[Hit]:
    """What converted code can do on MindSpore alone."""
    api = facts.api(node)
    yield Hit(node, "the bundled runtime does not run it, MindSpore does", api)
