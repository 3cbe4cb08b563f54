"""Pipelines of transforms.v2 that begin with ToImage: what of them has a counterpart.

PyTorch's image is a tensor (c, h, w) behind ToImage. MindSpore's transforms take images of PIL, so
it stays one until ToDtype, which only transforms of torchvision may not see.

v2.Compose([v2.ToImage(), v2.Resize(4), v2.ToDtype(torch.float32, scale=True)])
    ->  compat.Compose([compat.ToImage(), ds.vision.Resize(4), compat.ToDtype(ms.float32, True)])
v2.Compose([v2.ToImage(), lambda image: image[:, :4], ...])  ->  refused
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...table.refusal import Refusal
from ..rewriter import Rewriter

V2 = "torchvision.transforms.v2."
BEGIN, ENDS = f"{V2}ToImage", (f"{V2}ToDtype", f"{V2}ConvertImageDtype")
OPEN = f"{V2}Lambda"


def composed(node: ast.Call, to: Rewriter) -> Code | None:
    """Nothing: the row of Compose writes it.

    Raises: Refusal of a pipeline in which something else than torchvision sees the image's axes
    """
    parts = node.args[0].elts if node.args and isinstance(node.args[0], ast.List) else []
    if not parts or to.places.name_of(node.func) != f"{V2}Compose":
        return None
    names = [to.places.name_of(part.func) if isinstance(part, ast.Call) else "" for part in parts]
    if BEGIN not in names:
        return None
    end = next((n for n, name in enumerate(names) if name in ENDS), None)
    if end is None or end < names.index(BEGIN):
        raise Refusal("ToImage without ToDtype behind it: use ds.vision.ToTensor() in its place")
    for part, name in zip(parts[:end], names[:end], strict=True):
        if not name.startswith(V2) or name == OPEN:
            shown = ast.unparse(part)
            raise Refusal(f"{shown} would see an image of PIL: put it behind ToDtype")
    return None
