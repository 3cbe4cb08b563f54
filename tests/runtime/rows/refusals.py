"""What both refuse, with errors of the same class."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused

refused("ops.softmax(x())", "ops.broadcast_to(x(3, 2), (3, 4))", "x(2, 3, 4)[7]")
refused("filled(nn.Dense(5, 3))(x(3, 4))", "ops.add(x(3), x(4))")
refused("ops.concat((x(2, 3), x(3, 2)), 1)", "ops.reshape(x(2, 3), (4, 2))", "ops.sum(x(2), 2)")
refused("nn.Conv2d(3, 4, 3, padding=1)", "nn.Conv2d(3, 4, 3, group=2)", "nn.LayerNorm(4)")
refused("nn.SequentialCell(3)", "nn.CellList((nn.ReLU(),))", "nn.Dense(3, 4).forward(x(3))")
refused("ops.transpose(x(2, 3), (0, 0))", "ops.expand_dims(x(2), 4)", "x(2, 3)[0, 0, 0]")
refused("bool(x(2) > 0)", "ops.split(x(5), [2, 2])", "len(x())")
refused("x(3).item(1)", "x(3).item()")
# arguments of a wrong type
refused("ops.softmax(3)", "ops.flatten(x(2, 3), start_dim=1.5)", "ops.cumsum(x(3), 0.5)")
refused(
    "ops.mean(x(3), 0, 'a')", "ops.topk(x(3), 1.5)", "ops.tril(x(3, 3), 0.5)", "ops.triu([1, 2])"
)
refused("ops.swapaxes(x(2, 3), 0.0, 1)", "ops.unsqueeze(x(2), 'a')", "ops.chunk(x(4), 1.5)")
refused("ops.gather_elements(x(2, 3), 1.0, ms.Tensor([[0]]))", "ops.std(x(3), 0, 0, 'a')")
refused("ops.one_hot(x(3, dtype='int32'), 2.5)", "ops.pixel_shuffle(x(1, 4, 2, 2), 2.0)")
# what would be wrong without a word
refused("ops.max(x(0))", "ops.min(x(0))", "ops.argmax(x(0))", "ops.argmax(x(0, 2), 0)")
refused("x(0).max()", "x(0).min()")
refused("ops.clip_by_global_norm([x(3)], 0.0)", "ops.clip_by_global_norm([x(3)], -1.0)")
refused("ops.clip_by_global_norm([], 1.0)", "ops.clip_by_global_norm([x(3), 3], 1.0)")
for own, value in [
    ("float32", "float64"),
    ("float32", "complex64"),
    ("float16", "float32"),
    ("int32", "int64"),
    ("int32", "complex64"),
]:
    refused(f"ops.assign(ms.Parameter(x(3, dtype='{own}'), name='p'), x(3, dtype='{value}'))")
