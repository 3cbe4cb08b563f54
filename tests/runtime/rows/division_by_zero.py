"""Whole numbers divided by zero: each of MindSpore's functions gives something else."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

A = "ms.Tensor([5, {}, 0], ms.{})"
Z = "ms.Tensor([0, 0, 2], ms.{})"
FUNCTIONS = """
    ops.floor_divide ops.fmod ops.remainder ops.floor_mod mint.remainder mint.fmod
    mint.floor_divide mnp.mod mnp.fmod mnp.remainder mnp.floor_divide P.Mod() P.FloorMod()
    P.FloorDiv() P.TruncateDiv()
""".split()
for kind in ("int8", "uint8", "int16", "int32", "int64"):
    a, z = A.format(3 if kind == "uint8" else -5, kind), Z.format(kind)
    rows(*(f"{function}({a}, {z})" for function in FUNCTIONS))
    rows(f"{a} % {z}", f"{a} // {z}", f"{a}.remainder({z})", f"{a}.fmod({z})")
    rows(f"{a} % 0", f"{a} // 0", f"{a}.floor_divide({z})")
    if kind not in ("int16", "int64"):
        rows(f"P.TruncateMod()({a}, {z})")
TRUE, FALSE = "ms.Tensor([True, True, False, False])", "ms.Tensor([True, False, True, False])"
for function in ("floor_divide", "fmod", "remainder"):
    rows(f"mint.{function}({TRUE}, {FALSE})", f"ops.{function}({TRUE}, False)")
