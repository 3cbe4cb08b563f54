"""Primitive classes of optimisers' steps: what they leave in the parameters."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, refused, rows

START = """
def slot(seed, *shape):
    array = np.random.RandomState(seed).rand(*shape).astype(np.float32)
    return ms.Parameter(ms.Tensor(array), name=f"p{seed}")

def number(value):
    return ms.Tensor(value, ms.float32)

grad = ms.Tensor(np.random.RandomState(9).rand(3, 2).astype(np.float32) - 0.5)
var, one, two, three = (slot(seed, 3, 2) for seed in (1, 2, 3, 4))
"""
"""Four parameters (3, 2) and a gradient."""

SMALL = "number(0.1), number(0.01), number(0.02)"
POWERS = "number(0.9), number(0.999)"
RATES = "number(0.9), number(0.999), number(0.1), number(0.9), number(0.999), number(1e-8)"
STEPS = {
    "P.ApplyMomentum()": "var, one, 0.1, grad, 0.9",
    "P.ApplyMomentum(False, True)": "var, one, number(0.1), grad, number(0.9)",
    "P.Adam()": "var, one, two, 0.9, 0.999, 0.1, 0.9, 0.999, 1e-8, grad",
    "P.Adam(False, True)": f"var, one, two, {RATES}, grad",
    "P.AdamNoUpdateParam()": f"one, two, {RATES}, grad",
    "P.AdamWeightDecay()": "var, one, two, 0.1, 0.9, 0.999, 1e-8, 0.01, grad",
    "P.ApplyAdaMax()": "var, one, two, number(0.9), 0.1, 0.9, 0.999, 1e-8, grad",
    "P.ApplyAdadelta()": "var, one, two, 0.1, 0.9, 1e-6, grad",
    "P.ApplyAdagrad()": "var, one, 0.1, grad",
    "P.ApplyAdagradV2(1e-2)": "var, one, 0.1, grad",
    "P.ApplyAdagradDA()": "var, one, two, grad, 0.1, 0.0, 0.02, ms.Tensor(2, ms.int32)",
    "P.ApplyAdamWithAmsgrad()": f"var, one, two, three, {POWERS}, number(0.1), grad",
    "P.ApplyAdamWithAmsgradV2()": f"var, one, two, three, {RATES}, grad",
    "P.ApplyAddSign()": "var, one, 0.1, 1.0, 0.5, 0.9, grad",
    "P.ApplyPowerSign()": "var, one, 0.1, 2.7, 0.5, 0.9, grad",
    "P.ApplyCenteredRMSProp()": "var, one * 0.1, two + 1, three, grad, 0.1, 0.9, 0.8, 1e-3",
    "P.ApplyRMSProp()": "var, one, two, 0.1, grad, 0.9, 0.8, 1e-3",
    "P.ApplyFtrl()": "var, one, two, grad, 0.1, 0.0, 0.02, -0.5",
    "P.ApplyGradientDescent()": "var, 0.1, grad",
    "P.ApplyProximalAdagrad()": "var, one, 0.1, 0.01, 0.02, grad",
    "P.ApplyProximalGradientDescent()": "var, 0.1, 0.01, 0.02, grad",
    "P.SGD(0.1, 0.01, False)": "var, grad, number(0.1), one, number(0.9), two",
    "P.SGD(0.0, 0.01, True)": "var, grad, number(0.1), one, number(0.9), two * 0",
}
SPARSE_STEPS = {
    "P.FusedSparseAdam()": f"var, one, two, {RATES}, few, places",
    "P.FusedSparseLazyAdam()": f"var, one, two, {RATES}, few, places",
    "P.FusedSparseFtrl(0.1, 0.01, 0.02, -0.5)": "var, one, two, few, places",
    "P.FusedSparseProximalAdagrad()": f"var, one, {SMALL}, few, places",
    "P.SparseApplyAdagradV2(0.1, 1e-6)": "var, one, few, places",
    "P.SparseApplyFtrl(0.1, 0.01, 0.02, -0.5)": "var, one, two, few, places",
    "P.SparseApplyRMSProp(0.9, 0.8, 1e-3)": "var, one, two, 0.1, grad, ms.Tensor([0, 2, 1])",
}
WHY = {"gradient": False, "because": "steps of optimisers have no gradient"}
for made, given in STEPS.items():
    end = f"step = {made}\nstep({given})\nresult = (var + 0, one + 0, two + 0, three + 0)"
    rows(START + end, **WHY)
for made, given in SPARSE_STEPS.items():
    few = "few, places = grad[:2] * 1, ms.Tensor([2, 0], ms.int32)\n"
    end = f"step = {made}\nstep({given})\nresult = (var + 0, one + 0, two + 0)"
    rows(START + few + end, **WHY)
for made in ("FusedSparseAdam", "FusedSparseLazyAdam"):
    few = "few, places = grad[:2] * 1, ms.Tensor([2, 2], ms.int32)\n"
    end = f"P.{made}()(var, one, two, {RATES}, few, places)\nresult = (var + 0, one + 0, two + 0)"
    rows(START + few + end, **WHY)
rows(START + f"result = P.AdamNoUpdateParam()(one, two, {RATES}, grad)", **WHY)
rows(START + "result = P.ApplyMomentum()(var, one, 0.1, grad, 0.9)", **WHY)
rows(START + "result = P.ApplyAdagrad()(var, one, 0.1, grad)", **WHY)
rows(START + "result = P.ApplyAdaMax()(var, one, two, 0.9, 0.1, 0.9, 0.999, 1e-8, grad)", **WHY)

for made in ("Adam", "ApplyMomentum", "ApplyRMSProp", "FusedSparseAdam", "ApplyAdaMax"):
    refused(f"P.{made}(1)")
refused("P.ApplyAdagradV2(1)", "P.ApplyAdamWithAmsgrad(1)", "P.SGD(0.0, 0.0, 1)")
refused("P.FusedSparseFtrl(-0.1, 0.01, 0.02, -0.5)", "P.FusedSparseFtrl(0.1, 0.01, 0.02, 0.5)")
refused("P.FusedSparseFtrl(0.1, -0.01, 0.02, -0.5)", "P.SparseApplyAdagradV2(1, 1e-6)")
refused("P.SparseApplyRMSProp(1, 0.8, 1e-3)", "P.SparseApplyRMSProp(1.5, 0.8, 1e-3)")
refused("P.SparseApplyRMSProp(0.9, -0.8, 1e-3)", "P.SparseApplyRMSProp(0.9, 0.8, 0.0)")
for made, given in STEPS.items():
    if "one, two, three" not in given:
        refused(START + f"grad = grad[:2] * 1\nresult = {made}({given})")
refused(START + "result = P.ApplyAdagrad()(var, one, 'x', grad)")
refused(START + "result = P.ApplyGradientDescent()(var, 'x', grad)")

ONE = """
var = ms.Parameter(ms.Tensor([1.0]), name="var")
one = ms.Parameter(ms.Tensor([0.25]), name="one")
"""
differs(
    ONE + "result = P.ApplyMomentum(True, False, 2.0)(var, one, 0.1, ms.Tensor([0.3]), 0.9)",
    "np.array([1 - 0.1 * (0.6 + 0.9 * (0.6 + 0.9 * 0.25))], np.float32)",
    because="MindSpore's CPU kernel forgets use_nesterov and gradient_scale",
)
differs(
    ONE + "result = P.ApplyAdagrad(False)(var, one, 0.1, ms.Tensor([0.3]))[0]",
    "np.array([1 - 0.1 * 0.3 / 0.5], np.float32)",
    because="MindSpore's CPU kernel forgets update_slots",
)
differs(
    ONE + "two, grad = one * 1, ms.Tensor([-0.75])\n"
    "result = P.ApplyAdagradDA()(var, two, one, grad, 0.1, 0.1, 0.0, 1)",
    "np.array([0.1 * 0.4 / np.sqrt(0.25 + 0.75 ** 2)], np.float32)",
    because="MindSpore's CPU kernel moves negative sums away from zero by l1",
)
differs(
    ONE + "two, grad = one * 0 - 1, ms.Tensor([0.0])\n"
    "result = P.ApplyFtrl()(var, one, two, grad, 0.5, 0.2, 0.0, -0.5)",
    "np.array([0.8], np.float32)",
    because="MindSpore's CPU kernel moves negative coefficients away from zero by l1",
)
