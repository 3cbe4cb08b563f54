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
