"""`mindspore.scipy` and `mindspore.numpy.fft`."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, refused, rows

A = "x(3, 3)"
POSITIVE = "(lambda a: ops.matmul(a, a.T) + ops.eye(3))(x(3, 3))"
INTEGERS = "(2 * ops.eye(3)).astype(ms.int32)"

rows(
    f"sl.block_diag({A}, x(2, 3), x(2))",
    "sl.block_diag()",
    f"sl.inv({A})",
    f"sl.inv({INTEGERS})",
    f"sl.solve_triangular({A}, x(3))",
    f"sl.solve_triangular({A}, x(3, 2), lower=True)",
    f"sl.solve_triangular({A}, x(3), trans=1)",
    f"sl.solve_triangular({A}, x(3), 'T', unit_diagonal=True)",
    f"sl.solve_triangular({A}, x(3), trans=2, lower=True)",
    f"sl.eigh({POSITIVE})[0]",
    f"ops.abs(sl.eigh({POSITIVE}, lower=False)[1])",
    f"sl.eigh({POSITIVE}, eigvals_only=True)",
    "sl.lstsq(x(4, 3), x(4))[0]",
    f"sl.lstsq({A}, x(3, 2))",
    tolerance=5e-3,
)
rows(
    f"sl.cholesky({POSITIVE})",
    f"sl.cholesky({INTEGERS}, lower=True)",
    f"sl.cho_factor({POSITIVE}, True)",
    f"sl.cho_solve(sl.cho_factor({POSITIVE}), x(3))",
    f"sl.cho_solve(sl.cho_factor({POSITIVE}, lower=True), x(3, 2))",
    f"sl.lu({A})",
    "sl.lu(x(3, 4))",
    f"sl.lu_factor({A})",
    tolerance=1e-3,
    gradient=False,
    because="MindSpore has no gradient of these",
)
differs(
    f"ops.matmul(*sl.lu({A}, permute_l=True))",
    "np.asarray(np.random.RandomState(6).rand(3, 3) * 4 - 2, np.float32)",
    because="MindSpore multiplies an integer with a floating matrix, and refuses",
)
refused("sl.inv(x(3, 2))", "sl.lu(x(4, 3))", "sl.lu_factor(x(4, 3))", "sl.eigh(x(3, 2))")
refused(f"sl.solve_triangular({A}, x(3), trans='X')", f"sl.solve_triangular({A}, x(4, 3))")
refused(f"sl.solve_triangular({INTEGERS}, x(3))", f"sl.inv({A}, 1)", f"sl.eigh({A}, {A})")
rows(
    "sfft.dct(x(8))",
    "sfft.dct(x(3, 8), 2, 5, 0)",
    "sfft.dctn(x(3, 4))",
    tolerance=1e-3,
    gradient=False,
    because="MindSpore's gradient is not that of the orthogonal transform, which its value is",
)
rows(
    "sfft.dct(x(8, dtype='int32'), norm='ortho')",
    "sfft.idct(x(2, 8, dtype='float64'))",
    "sfft.idct(x(8), n=6)",
    "sfft.idctn(x(2, 3, 4), axes=(0, 2))",
    "mnp.fft.fft(x(5), 4)",
    "mnp.fft.irfft2(x(3, 3))",
    "mnp.fft.fftn(x(2, 3), axes=(0,), norm='ortho')",
    "mnp.fft.rfftn(x(2, 3), s=(2, 4))",
    "mnp.fft.hfft(x(4), axis=0)",
    "mnp.fft.fftshift(x(2, 5), axes=1)",
    "mnp.fft.ifftshift(x(5))",
    "mnp.fft.fftfreq(5, 0.5)",
    "mnp.fft.rfftfreq(4)",
    tolerance=1e-3,
)
refused("sfft.dct(x(8), 1)", "mnp.fft.fft([1, 2])")
