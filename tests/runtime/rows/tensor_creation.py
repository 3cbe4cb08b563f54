"""What Tensors are made of and converted to, operators on other values, and their refusals."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

refused("ms.Tensor('abc')", "ms.Tensor(['a'])", "ms.Tensor([[1, 2], [3]])", "ms.Tensor({1: 2})")
refused("ms.Tensor()", "ms.Tensor(None)", "ms.Tensor(object())", "ms.Tensor(range(3))")
refused("ms.Tensor(shape=(2, 3))", "ms.Tensor(shape=(2, 3), init=nn.ReLU())")
refused("ms.Tensor([1], 'float32')", "ms.Tensor([1], np.float32)", "ms.Tensor([1], float)")
refused("ms.Tensor(1, ms.float32, (2,))", "ms.Tensor([1], device='cpu')", "ms.tensor('a')")
refused("ms.Tensor([1], const_arg=1)", "x(2).astype(None)", "x(2).astype(3)", "x(2).type('abc')")
refused("x(2).to('float16')", "x(2).to(3)", "[1, 2][x(2, dtype='int32')]", "[1, 2][ms.Tensor(1.0)]")
refused("round(x(2), 1)", "1 | x(2, dtype='int32')", "True ^ x(2, dtype='bool_')")
refused("x(2) < None", "x(2) > [0, 3]", "x(2) * [1, 2]", "x(2) + np.ones(2, np.float32)")
refused("x(1, 1).itemset(5)", "x(2, 3).itemset(1, 2, 5)", "x(2, 3).itemset((1,), 5)")
refused("x(2, 3).itemset('a', 5)", "x(2, 3).itemset(0, 'a')", "x(2, 3).itemset()")
refused("x(3, 4)[ms.Tensor([0, 2], ms.uint8)]")
refused("y = x(3, 4)\ny[0] = 'a'\nresult = y")
rows(
    "ms.tensor(shape=(2,), dtype=ms.float32, init=ms.common.initializer.One())",
    "ms.Tensor(shape=None, dtype=ms.float32).shape",
    "ms.Tensor([1, 2], const_arg=True).const_arg",
    "x(2).device",
    "x(2).type('int32')",
    "x(2).astype('Float16')",
    "x(2).astype('int')",
    "x(2).astype(complex)",
    "x(2).to(x(1, dtype='int8'))",
    "x(2).to('CPU', ms.int8)",
    "[1, 2, 3][ms.Tensor([[1]])]",
    "~x(3, dtype='int32')",
    "~x(3)",
    "x(2, dtype='int32') == [1, 2]",
    "x(2, dtype='int32') != np.array([1, 2])",
    "x(2) + [1, 2]",
    "(1, 2) - x(2, dtype='int8')",
    "x(2, dtype='int32') // [1, 2]",
    "x(2, dtype='int8') + 300",
    "x(2, dtype='uint8') * -1",
    "ms.Tensor([1, 2], ms.int8) & 300",
    "ms.Tensor([5, -5, 0], ms.int32) // 0",
    "ms.Tensor([5, -5, 0], ms.int8) // 0",
    "ms.Tensor([5, -5, 0], ms.int64) % 0",
    "ms.Tensor([5, -5, 0], ms.int8) % 0",
    "ops.floor_div(ms.Tensor([5, -5], ms.int32), ms.Tensor([0, 2], ms.int32))",
    "x(3, 4)[(0, 2), 1]",
    "y = x(3, 4)\ny[0] = (1, 2, 3, 4)\nresult = y",
)
# parts of a Tensor share its memory
rows(
    "y = x(3, 4)\ny[0][1] = 100\nresult = y",
    "y = x(3, 4)\ny[0][1:] = x(3)\nresult = y",
    "y = x(2, 3, 4)\ny[1][0, 2] = 100\nresult = y",
    "y = x(3, 4)\nz = y.copy()\nz[0] = 100\nresult = y",
)
refused("ops.gather(x(3, 4), ms.Tensor([0, 9]), 0)")
refused("ops.gather_elements(x(3, 4), 1, ms.Tensor([[0], [1], [9]]))")
refused("nn.Embedding(3, 2)(ms.Tensor([0, 7]))", "nn.AdaptiveAvgPool2d((1, 2, 3))")
refused("nn.Conv1d(1, 2, 3, padding=(1, 2), pad_mode='pad')", "nn.AvgPool2d(2, 2, ceil_mode=3)")
refused(
    "nn.Conv2dTranspose(1, 2, 3, 2, 'pad', 1, output_padding=3)(x(1, 1, 4, 4))",
)
rows("ms.bool == ms.bool_", "len(ms.dtype.int_type)", "ms.dtype.half is ms.float16")
