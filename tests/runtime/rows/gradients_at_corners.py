"""Gradients where a function has a corner, elements are equal, or factors are zero.

It is nothing rare: a bias of zero under a dead unit, the area of boxes that do not meet.
"""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, rows

CORNERS = "ms.Tensor([-6., -3., -1., 0., 1., 3., 6., 7.], ms.float32)"
FUNCTIONS = """
    ops.relu(v) ops.relu6(v) nn.ReLU6()(v) nn.ReLU()(v) ops.clamp(v,-1.,1.) v.clamp(0.,6.)
    ops.clip_by_value(v,ms.Tensor(-1.),ms.Tensor(1.)) ops.hardsigmoid(v) ops.elu(v) ops.celu(v)
    ops.abs(v) ops.hardshrink(v,1.0) ops.softshrink(v,1.0) ops.maximum(v,v*0) ops.minimum(v,v*0)
    ops.prelu(v,ms.Tensor([0.25])) ops.smooth_l1_loss(v,ops.zeros_like(v),reduction='none')
    ops.huber_loss(v,ops.zeros_like(v),reduction='none') ops.amax(ops.stack([v,v*0]),0)
    ops.max(ops.cat([v,v]),0)[0] v.max() ops.sign(v) mint.clamp(v,-1.,1.)
""".split()
NONE, ONE, TWO = "[[1., 2.], [3., 4.]]", "[[0., 2.], [3., 4.]]", "[[0., 0.], [3., 0.]]"

rows(*(f"ms.grad(lambda v: {code}.sum())({CORNERS})" for code in FUNCTIONS))
for factors in (NONE, ONE, TWO):
    given = f"ms.Tensor({factors}, ms.float32)"
    rows(
        f"ms.grad(lambda v: ops.prod(v, 1).sum())({given})",
        f"ms.grad(lambda v: ops.prod(v, 0, True).sum())({given})",
        f"ms.grad(lambda v: ops.prod(v))({given})",
        f"ms.grad(lambda v: v.prod(-1).sum())({given})",
    )

AS_DEFINED = "MindSpore takes the derivative of a formula that has another one there"
differs(
    f"ms.grad(lambda v: ops.hardswish(v).sum())({CORNERS})",
    "np.array([0, 0, 1 / 6, 0.5, 5 / 6, 1, 1, 1], np.float32)",
    because=AS_DEFINED,
)
differs(
    f"ms.grad(lambda v: ops.leaky_relu(v, 0.1).sum())({CORNERS})",
    "np.array([0.1, 0.1, 0.1, 0.1, 1, 1, 1, 1], np.float32)",
    because=AS_DEFINED,
)
differs(
    "ms.grad(lambda v: ops.cumprod(v, 1).sum())(ms.Tensor([[0., 2., 3.]], ms.float32))",
    "np.array([[9, 0, 0]], np.float32)",
    because="MindSpore divides by the factor, which is 0",
)
