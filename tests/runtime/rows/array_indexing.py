"""`x[index]` and `x[index] = value`."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

rows(
    """\
    a = x(3, 4) * 1
    a[ms.ops.cast(x(2, dtype='int32') * 0, ms.int64)] = 2.0
    result = a""",
    """\
    a = x(3, 4) * 1
    a[x(3, 4) > 0] = 2.0
    result = a""",
    """\
    a = x(2, 3) * 1
    a[ms.Tensor([[True, False, True], [False, False, True]])] = x(3, seed=2) * 2
    result = a""",
    """\
    a = x(3, 4) * 1
    a[x(3) > 0] = 2.0
    result = a""",
    """\
    a = x(3, 4) * 1
    a[:, x(4) > 0] = x(3, 1)
    result = a""",
    """\
    a = x(3, 4) * 1
    a[x(2, dtype='int32') % 3, x(2, dtype='int32', seed=4) % 4] = x(2)
    result = a""",
    """\
    a = x(3, 4) * 1
    a[1, x(2, dtype='int32') % 4] += x(2)
    result = a""",
    """\
    a = x(3, 4) * 1
    a[0] = a[1] * 2
    a[:, 1] = a[:, 2]
    result = a""",
    "x(2, 3, 4)[0]",
    "x(2, 3, 4)[-1]",
    "x(2, 3, 4)[(0, 1)]",
    "x(2, 3, 4)[(0, -1)]",
    "x(2, 3, 4)[(0, 1, 2)]",
    "x(2, 3, 4)[True]",
    "x(2, 3, 4)[None]",
    "x(2, 3, 4)[...]",
    "x(2, 3, 4)[(..., 0)]",
    "x(2, 3, 4)[(0, ...)]",
    "x(2, 3, 4)[(..., None)]",
    "x(2, 3, 4)[(None, 0, None)]",
    "x(2, 3, 4)[(None, None)]",
    "x(2, 3, 4)[(0, None, ..., 1)]",
    "x(2, 3, 4)[slice(1, 3)]",
    "x(2, 3, 4)[slice(None, None, 2)]",
    "x(2, 3, 4)[slice(-2, None)]",
    "x(2, 3, 4)[slice(2, 1)]",
    "x(2, 3, 4)[slice(0, 100)]",
    "x(2, 3, 4)[(slice(None), 1)]",
    "x(2, 3, 4)[(slice(None), slice(0, 2))]",
    "x(2, 3, 4)[(slice(1, 2), slice(None, None, 2), slice(1, 3))]",
    "x(2, 3, 4)[(slice(None), slice(None), -1)]",
    "x(2, 3, 4)[(..., slice(1, 3))]",
    "x(2, 3, 4)[(slice(None), None, 0)]",
    "x(2, 3, 4)[[0, 1]]",
    "x(2, 3, 4)[[True, False]]",
    "x(2, 3, 4)[[[0, 1], [1, 0]]]",
    "x(2, 3, 4)[([0, 1], [1, 2])]",
    "x(2, 3, 4)[([0, 1], slice(None), [1, 2])]",
    "x(2, 3, 4)[(slice(None), [0, 2])]",
    "x(2, 3, 4)[(slice(None), [0, 2], 1)]",
    "x(2, 3, 4)[(0, [0, 2])]",
    "x(2, 3, 4)[(0, slice(None), [1, 2])]",
    "x(2, 3, 4)[(0, [0, 2], slice(None))]",
    "x(2, 3, 4)[(1, [0, 1], [1, 2])]",
    "x(2, 3, 4)[(None, [0, 1])]",
    "x(2, 3, 4)[([0, 1], None)]",
    "x(2, 3, 4)[([0, 1], None, [1, 2])]",
    "x(2, 3, 4)[(slice(None), [True, False, True])]",
    "x(2, 3, 4)[(slice(None), [0, 1], slice(1, 3))]",
    "x(2, 3, 4)[(..., [0, 1])]",
    "x(2, 3, 4)[ms.Tensor(0)]",
    "x(2, 3, 4)[ms.Tensor([0, 1])]",
    "x(2, 3, 4)[ms.Tensor([0, 1], ms.int32)]",
    "x(2, 3, 4)[ms.Tensor([[0, 1], [1, 0]])]",
    "x(2, 3, 4)[(ms.Tensor([0, 1]), ms.Tensor([1, 2]))]",
    "x(2, 3, 4)[(ms.Tensor([0, 1]), 1)]",
    "x(2, 3, 4)[(ms.Tensor([[0], [1]]), ms.Tensor([[0, 1]]))]",
    "x(2, 3, 4)[(slice(None), ms.Tensor([0, 1]))]",
    "x(2, 3, 4)[(slice(None), slice(None), ms.Tensor([[0, 1], [2, 3]]))]",
    "x(2, 3, 4)[(ms.Tensor([0, 1]), slice(None), ms.Tensor([1, 3]))]",
    "x(2, 3, 4)[(ms.Tensor([0, 1]), ..., 0)]",
    "x(2, 3, 4)[(ms.Tensor(1), slice(None))]",
    "x(2, 3, 4)[(None, ms.Tensor([0, 1]))]",
    "x(2, 3, 4)[ms.Tensor([True, False])]",
    "x(2, 3, 4)[ms.Tensor([[True, False, True], [False, True, False]])]",
    "x(2, 3, 4)[x(2, 3, 4) > 0]",
    "x(2, 3, 4)[(ms.Tensor([True, False]), 1)]",
    "x(2, 3, 4)[(slice(None), ms.Tensor([True, False, True]))]",
    "x(2, 3, 4)[(0, ms.Tensor([True, False, True]))]",
    "x(2, 3, 4)[()]",
    "x(2, 3, 4)[(True, 0)]",
    "x(2, 3, 4)[(0, True)]",
    "x(2, 3, 4)[(slice(None), True)]",
    "x(2, 3, 4)[slice(ms.Tensor(0), ms.Tensor(2))]",
    "x()[None]",
    "x()[...]",
    "x()[()]",
    "x()[True]",
    "x(0)[None]",
    "x(0)[...]",
    "x(0)[()]",
    "x(0)[True]",
    "x(3)[0]",
    "x(3)[None]",
    "x(3)[...]",
    "x(3)[slice(None)]",
    "x(3)[()]",
    "x(3)[[0]]",
    "x(3)[ms.Tensor([0])]",
    "x(3)[True]",
    "x(0, 3)[None]",
    "x(0, 3)[...]",
    "x(0, 3)[()]",
    "x(0, 3)[True]",
    "x(3, 4)[x(3) > 0]",
    "x(3, 4)[:, x(4) > 0]",
    "x(3, 4)[1, x(4) > 0]",
    "x(3, 4)[x(3, 4) > 0]",
    """\
    a = x(2, 3, 4) * 1
    a[0] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[0] = [1, 2, 3, 4]
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, 1)] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, 1)] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, -1)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[True] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[False] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[None] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[None] = x(2, 3, 4, seed=3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[...] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, ...)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, ...)] = [1, 2, 3, 4]
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(None, 0, None)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(None, None)] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(None, None)] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, None, ..., 1)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(1, 3)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(None, None, 2)] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(None, None, 2)] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(-2, None)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(-2, None)] = x(2, 3, 4, seed=3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(2, 1)] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), 1)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), 1)] = [1, 2, 3, 4]
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(1, 2), slice(None, None, 2), slice(1, 3))] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), slice(None), -1)] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(..., slice(1, 3))] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), None, 0)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[0, 1]] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[0, 1]] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[True, False]] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[[0, 1], [1, 0]]] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[([0, 1], [1, 2])] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), [0, 2])] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), [0, 2])] = [1, 2, 3, 4]
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, [0, 2])] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, slice(None), [1, 2])] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, [0, 2], slice(None))] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(1, [0, 1], [1, 2])] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(None, [0, 1])] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(None, [0, 1])] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[([0, 1], None)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[([0, 1], None, [1, 2])] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), [True, False, True])] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor(0)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([0, 1], ms.int32)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([[0, 1], [1, 0]])] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([[0, 1], [1, 0]])] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([-1, 0])] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor([0, 1]), ms.Tensor([1, 2]))] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor([0, 1]), 1)] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor([0, 1]), 1)] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor([[0], [1]]), ms.Tensor([[0, 1]]))] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), ms.Tensor([0, 1]))] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), slice(None), ms.Tensor([[0, 1], [2, 3]]))] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor(1), slice(None))] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor(1), slice(None))] = [1, 2, 3, 4]
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([True, False])] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([[True, False, True], [False, True, False]])] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([[True, False, True], [False, True, False]])] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[x(2, 3, 4) > 0] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor([True, False]), 1)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), ms.Tensor([True, False, True]))] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), ms.Tensor([True, False, True]))] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, ms.Tensor([True, False, True]))] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[]] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[]] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[()] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(True, 0)] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, True)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, False)] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([], ms.int64)] = [1, 2, 3, 4]
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(ms.Tensor(0), ms.Tensor(2))] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(ms.Tensor(0), ms.Tensor(2))] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, dtype='int32') + x(2, 3, dtype='int32')
    a[0] = 2.5
    result = a""",
    """\
    a = x(2, 3, dtype='int32') + x(2, 3, dtype='int32')
    a[0] = ms.Tensor(7.5)
    result = a""",
    """\
    a = x(2, 3, dtype='int32') + x(2, 3, dtype='int32')
    a[0] = x(3, dtype="int32")
    result = a""",
    """\
    a = x(2, 3, dtype='bool_') | x(2, 3, dtype='bool_')
    a[0] = 2.5
    result = a""",
    """\
    a = x(2, 3, dtype='bool_') | x(2, 3, dtype='bool_')
    a[0] = ms.Tensor(7.5)
    result = a""",
    """\
    a = x(2, 3, dtype='bool_') | x(2, 3, dtype='bool_')
    a[0] = x(3, dtype="int32")
    result = a""",
    """\
    a = x(2, 3, dtype='float16') + x(2, 3, dtype='float16')
    a[0] = 2.5
    result = a""",
    """\
    a = x(2, 3, dtype='float16') + x(2, 3, dtype='float16')
    a[0] = ms.Tensor(7.5)
    result = a""",
    """\
    a = x(2, 3, dtype='float16') + x(2, 3, dtype='float16')
    a[0] = x(3, dtype="int32")
    result = a""",
    """\
    a = x(2, 3, dtype='int64') + x(2, 3, dtype='int64')
    a[0] = 2.5
    result = a""",
    """\
    a = x(2, 3, dtype='int64') + x(2, 3, dtype='int64')
    a[0] = ms.Tensor(7.5)
    result = a""",
    """\
    a = x(2, 3, dtype='int64') + x(2, 3, dtype='int64')
    a[0] = x(3, dtype="int32")
    result = a""",
    """\
    a = x(2, 3, dtype='uint8') + x(2, 3, dtype='uint8')
    a[0] = 2.5
    result = a""",
    """\
    a = x(2, 3, dtype='uint8') + x(2, 3, dtype='uint8')
    a[0] = ms.Tensor(7.5)
    result = a""",
    """\
    a = x(2, 3, dtype='uint8') + x(2, 3, dtype='uint8')
    a[0] = x(3, dtype="int32")
    result = a""",
)
rows(
    """\
    a = x(3, 4) * 1
    a[0, 1] = x(1)
    result = a * a""",
    """\
    a = x(2, 3, 4) * 1
    a[..., 1:3] = x(2, 3, 2)
    result = a[0] * x(3, 4)""",
    "x(2, 3, 4)[slice(None, None, -1)]",
    "x(2, 3, 4)[ms.Tensor([-1, 0])]",
    "x(2, 3, 4)[ms.Tensor([], ms.int64)]",
    "x(0)[slice(None)]",
    "x(0, 3)[slice(None)]",
    """\
    a = x(2, 3, 4) * 1
    a[(0, 1, 2)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x() * 1
    a[()] = 3.0
    result = a""",
    gradient=False,
    because="MindSpore's CPU build has no gradient of it, or a wrong one",
)
refused(
    "x(2, 3, 4)[7]",
    "x(2, 3, 4)[(0, 1, 2, 3)]",
    "x(2, 3, 4)[False]",
    "x(2, 3, 4)[[0, 2, 1]]",
    "x(2, 3, 4)[ms.Tensor([True, False, True])]",
    "x(2, 3, 4)[1.0]",
    "x(2, 3, 4)['a']",
    "x(2, 3, 4)[(0, 'a')]",
    "x(2, 3, 4)[ms.Tensor([0.5])]",
    "x(2, 3, 4)[[0.5]]",
    "x(2, 3, 4)[[]]",
    "x(2, 3, 4)[(0, False)]",
    "x(2, 3, 4)[(1, 2, 3, 4, 5)]",
    "x(2, 3, 4)[(..., ...)]",
    "x(2, 3, 4)[slice(0, 4, 0)]",
    "x(2, 3, 4)[(slice(None), 5)]",
    "x(2, 3, 4)[(0, [7])]",
    "x(2, 3, 4)[(ms.Tensor([0, 1]), ms.Tensor([0, 1, 2]))]",
    "x()[0]",
    "x()[ms.Tensor(True)]",
    "x(0)[0]",
    "x(0)[[0]]",
    "x(0, 3)[0]",
    "x(0, 3)[[0]]",
    """\
    a = x(2, 3, 4) * 1
    a[0] = x(3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[7] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, 1, 2, 3)] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, 1, 2, 3)] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, ...)] = x(3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), 1)] = x(3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), slice(None), -1)] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[0, 2, 1]] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[[[0, 1], [1, 0]]] = x(2, 3, 4, seed=3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), [0, 2])] = x(3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, slice(None), [1, 2])] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), [True, False, True])] = x(2, 3, 4, seed=3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), [0, 1], slice(1, 3))] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor(0)] = x(3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), slice(None), ms.Tensor([[0, 1], [2, 3]]))] = x(2, 3, 4, seed=3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor([0, 1]), slice(None), ms.Tensor([1, 3]))] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(ms.Tensor(1), slice(None))] = x(3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a['a'] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, 'a')] = 2.5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, 'a')] = ms.Tensor([1.0, 2.0, 3.0, 4.0])
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([0.5])] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, True)] = x(2, 3, 4, seed=3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[ms.Tensor([], ms.int64)] = x(3)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(..., ...)] = 5
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[slice(0, 4, 0)] = ms.Tensor(7.0)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), 5)] = True
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(slice(None), 5)] = x(1, 4)
    result = a""",
    """\
    a = x(2, 3, 4) * 1
    a[(0, [7])] = ms.Tensor(7.0)
    result = a""",
)
