"""Decompositions, inverses and solvers: torch.linalg, and torch's older names of them."""

from typing import Any

from ..families import missing, with_method
from ..rule import Rule


def linalg(signature: str, target: str, *examples: str, **more: Any) -> tuple[Rule, ...]:
    """The row of a function of torch.linalg; examples that are a call's arguments lack its name."""
    return (named(f"torch.linalg.{signature}", target, examples, **more),)


def older(signature: str, target: str, *examples: str, **more: Any) -> tuple[Rule, ...]:
    """The rows of a function of torch and of the method of its name."""
    return with_method(named(f"torch.{signature}", target, examples, **more))


def named(signature: str, target: str, examples: tuple[str, ...], **more: Any) -> Rule:
    name = signature.partition("(")[0]
    codes = tuple(f"{name}{e}" if e.startswith("(") else e for e in examples)
    return Rule(signature, target, example=codes, **more)


HOST = "mindspore.scipy has it for the CPU and GPU."
TRIANGLE = "MindSpore's gradient is that of one triangle: both get their half of it."
NO_GRADIENT = "its gradient, which MindSpore has not"
NO_CPU_GRADIENT = "its gradient on the CPU"
ORDER = "The order of the values and the length of the vectors may differ from PyTorch's."

DETERMINANTS = (
    *older("det(input)", "ops.det(input)", "(m)", "(spd)"),
    *older("logdet(input)", "compat.logdet(input)", "(spd)", "(-torch.eye(3))", "(spd * 1e15)"),
    *older("slogdet(input)", "ops.slogdet(input)", "(m)", returns="tensors"),
    *linalg("det(A, *, out=None)", "ops.det(A)", "(m)"),
    *linalg("slogdet(A, *, out=None)", "ops.slogdet(A)", "(m)", returns="tensors"),
    *linalg("matrix_rank(A, *, atol=None, rtol=None, hermitian=False, out=None)",
        "compat.matrix_rank(A, atol, rtol)", "(m)", "(x[:, :1] @ x[:1])", "(spd, hermitian=True)",
        drop=("hermitian",)),
    *linalg("cond(A, p=None, *, out=None)", "compat.cond(A, p)", "(m)", '(m, "fro")', "(spd, 1)"),
)  # fmt: skip

INVERSES = (
    *older("inverse(input, *, out=None)", "ops.inverse(input)", "(m)",
        mint="mint.inverse(input)"),
    *older("pinverse(input, rcond=1e-15)", "ops.pinv(input, rtol=always(rcond))", "(x)",
        note="MindSpore's default leaves out larger singular values: PyTorch's is written out."),
    *linalg("inv(A, *, out=None)", "ops.inverse(A)", "(m)", mint="mint.inverse(A)"),
    *linalg("inv_ex(A, *, check_errors=False, out=None)", "compat.with_info(ops.inverse(A))",
        "(m)", drop=("check_errors",), returns="tensors"),
    *linalg("pinv(A, *, hermitian, atol=None, rtol=None, out=None)",
        "ops.pinv(compat.symmetric(A), atol=atol, rtol=rtol, hermitian=hermitian)",
        "(spd, hermitian=True)", "slopes(lambda t: torch.linalg.pinv(t, hermitian=True), spd)",
        kinds={"hermitian": "True"}, note=TRIANGLE),
    *linalg("pinv(A, *, atol=None, rtol=None, hermitian=False, out=None)",
        "ops.pinv(A, atol=atol, rtol=rtol, hermitian=hermitian)",
        "(x)", "(a, rtol=0.1)", "slopes(lambda t: torch.linalg.pinv(t), x)"),
    *linalg("tensorinv(A, ind=2, *, out=None)", "compat.tensorinv(A, ind)",
        "(spd.reshape(2, 2, 4))", "(spd.reshape(4, 2, 2), ind=1)"),
    *older("matrix_power(input, n, *, out=None)", "ops.matrix_power(input, n)",
        "(m, 3)", "(m, -2)", "(m, n=0)"),
    *linalg("matrix_power(A, n, *, out=None)", "ops.matrix_power(A, n)", "(m, 3)"),
    *older("matrix_exp(input)", "compat.matrix_exp(input)", "(m)", "(a[:, :, :3])"),
    *linalg("matrix_exp(A)", "compat.matrix_exp(A)", "(m)", "(spd)"),
)  # fmt: skip

SOLVERS = (
    *linalg("solve(A, B, *, left=True, out=None)", "compat.solve(A, B, left)",
        "(m, x.t())", "(m, v)", "(spd.expand(2, 4, 4), e)", "(m, x, left=False)"),
    *linalg("solve_ex(A, B, *, left=True, check_errors=False, out=None)",
        "compat.with_info(compat.solve(A, B, left))", "(m, x.t())",
        drop=("check_errors",), returns="tensors"),
    *linalg("solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None)",
        "compat.solve_triangular(A, B, upper, left, unitriangular)",
        "(m, x.t(), upper=True)", "(m, x, upper=False, left=False)",
        "(m, x.t(), upper=True, unitriangular=True)", note=HOST),
    *older("triangular_solve(b, A, upper=True, transpose=False, unitriangular=False, *, out=None)",
        "compat.triangular_solve(b, A, upper, transpose, unitriangular)",
        "(x.t(), m)", "(x.t(), m, False, True)", returns="tensors", note=HOST),
    *linalg("lstsq(A, B, rcond=None, *, driver=None)", "compat.lstsq(A, B, rcond, driver)",
        "(x.t(), m)", "(m, x.t())[0]", '(x.t(), m, driver="gelsd")', returns="tensors"),
    *linalg("tensorsolve(A, B, dims=None, *, out=None)", "compat.tensorsolve(A, B, dims)",
        "(spd.reshape(2, 2, 4), m[:2, :2])"),
    *older("cholesky_solve(B, L, upper=False, *, out=None)", "ops.cholesky_solve(B, L, upper)",
        "(m, torch.linalg.cholesky(spd))", "(m, torch.linalg.cholesky(spd).t(), True)",
        limit=NO_CPU_GRADIENT),
)  # fmt: skip

CHOLESKY = (
    *older("cholesky(input, upper=False, *, out=None)", "ops.cholesky(input, upper)",
        "(spd)", "(spd, upper=True)",
        limit=NO_CPU_GRADIENT),
    *linalg("cholesky(A, *, upper=False, out=None)", "ops.cholesky(A, upper)",
        "(spd)", "(spd, upper=True)",
        limit=NO_CPU_GRADIENT),
    *linalg("cholesky_ex(A, *, upper=False, check_errors=False, out=None)",
        "compat.with_info(ops.cholesky(A, upper))", "(spd)",
        drop=("check_errors",), returns="tensors",
        limit=NO_CPU_GRADIENT),
    *older("cholesky_inverse(L, upper=False, *, out=None)", "ops.cholesky_inverse(L, upper)",
        "(torch.linalg.cholesky(spd))", "(torch.linalg.cholesky(spd).t(), upper=True)",
        limit=NO_CPU_GRADIENT),
)  # fmt: skip

ORTHOGONAL = (
    *older("qr(input, some=True, *, out=None)",
        'ops.qr(input, mode="reduced" if some else "complete")',
        "(x)", "(x.t(), some=False)", returns="tensors", note="MindSpore's mode is a word.",
        limit=NO_GRADIENT),
    *linalg('qr(A, mode="reduced", *, out=None)', "ops.qr(A, mode)",
        "(x)", '(x.t(), mode="complete")', returns="tensors", limit=f'mode="r", and {NO_GRADIENT}'),
    *older("geqrf(input, *, out=None)", "ops.geqrf(input)", "(m)", returns="tensors",
        limit=NO_GRADIENT),
    *older("orgqr(input, tau)", "ops.orgqr(input, tau)",
        "r, tau = torch.geqrf(m)\ntorch.orgqr(r, tau)",
        limit=NO_GRADIENT),
    *older("ormqr(input, tau, other, left=True, transpose=False, *, out=None)",
        "ops.ormqr(input, tau, other, left, transpose)", platform="GPU"),
    *linalg("householder_product(A, tau, *, out=None)", "ops.orgqr(A, tau)",
        "(m, v * 0.1)",
        limit=NO_GRADIENT),
)  # fmt: skip

SIGNS = "The signs of singular vectors can be others: they are those of the library."
SINGULAR = (
    *older("svd(input, some=True, compute_uv=True, *, out=None)", "compat.svd(input, some)",
        "(x)[1]", "(x)[0].abs()", "(x.t(), some=False)[0].shape",
        returns="tensors", reject={"compute_uv": "take the second result alone"}, note=SIGNS),
    *linalg("svd(A, full_matrices=True, *, driver=None, out=None)",
        "compat.singular(A, full_matrices)", "(x)[1]", "(x, full_matrices=False)[2].abs()",
        "(x)[2].shape", drop=("driver",), returns="tensors", note=SIGNS),
    *linalg("svdvals(A, *, driver=None, out=None)", "ops.svd(A, compute_uv=False)", "(x)",
        drop=("driver",), note="ops.svd without vectors gives the values."),
    Rule("torch.svd_lowrank(A, q=6, niter=2, M=None)", "compat.svd_lowrank(A, q, M)",
        drop=("niter",), returns="tensors", note="exact, where PyTorch's is random",
        example="torch.svd_lowrank(x, q=3)[1]"),
    Rule("torch.pca_lowrank(A, q=None, center=True, niter=2)",
        "compat.pca_lowrank(A, q, center)", drop=("niter",), returns="tensors",
        note="exact, where PyTorch's is random", example="torch.pca_lowrank(x, q=3)[1]"),
)  # fmt: skip

EIGENVALUES = (
    *linalg('eigh(A, UPLO="L", *, out=None)', "compat.eigh(A, UPLO)",
        "(spd)[0]", "(spd)[1].abs()", '(spd.expand(2, 4, 4), "U")[0]', "(m)[0]", '(m, "U")[0]',
        "slopes(lambda t: torch.linalg.eigh(t)[0] ** 2, spd)",
        "slopes(lambda t: torch.linalg.eigh(t)[1].abs() ** 3 / 9, spd)",
        'slopes(lambda t: torch.linalg.eigh(t, UPLO="U")[0] ** 2, m)',
        returns="tensors", note=HOST),
    *linalg('eigvalsh(A, UPLO="L", *, out=None)', "compat.eigh(A, UPLO)[0]", "(spd)",
        "slopes(lambda t: torch.linalg.eigvalsh(t) ** 2, spd)",
        note=HOST),
    *linalg("eig(A, *, out=None)", "ops.eig(A)", "(m)[0].real.sum()",
        returns="tensors", note=ORDER,
        limit=NO_GRADIENT),
    *linalg("eigvals(A, *, out=None)", "ops.eigvals(A)", "(m).real.sum()", note=ORDER,
        limit=NO_GRADIENT),
    *missing("compat has none for iterations: use torch.linalg.eigh's row, which is exact",
        "torch.lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, "
        "largest=None, method=None, tracker=None, ortho_iparams=None, ortho_fparams=None, "
        "ortho_bparams=None)"),
)  # fmt: skip

FACTORED = "factors, pivots = torch.linalg.lu_factor(m)\n"
LU = (
    *linalg("lu_factor(A, *, pivot=True, out=None)", "compat.lu_factor(A)", "(m)", "(spd)",
        returns="tensors", note=HOST,
        limit=NO_GRADIENT),
    *linalg("lu_factor_ex(A, *, pivot=True, check_errors=False, out=None)",
        "compat.lu_factor_ex(A)", "(m)", drop=("check_errors",), returns="tensors", note=HOST,
        limit=NO_GRADIENT),
    *linalg("lu(A, *, pivot=True, out=None)", "compat.lu(A)", "(m)", returns="tensors", note=HOST,
        limit=NO_GRADIENT),
    *linalg("lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None)",
        "compat.lu_solve(B, LU, pivots)",
        FACTORED + "torch.linalg.lu_solve(factors, pivots, x.t())",
        reject={"left": "transpose the operands", "adjoint": "transpose the matrix"}),
    *older("lu(A, pivot=True, get_infos=False, out=None)", "compat.lu_factor(A)", "(m)",
        returns="tensors", note=HOST,
        limit=NO_GRADIENT),
    *older("lu_solve(b, LU_data, LU_pivots, *, out=None)",
        "compat.lu_solve(b, LU_data, LU_pivots)",
        FACTORED + "torch.lu_solve(x.t(), factors, pivots)"),
    Rule("torch.lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None)",
        "compat.lu_unpack(LU_data, LU_pivots)", returns="tensors",
        example=FACTORED + "torch.lu_unpack(factors, pivots)"),
    *missing(
        "factor a positive definite matrix by ops.cholesky, any other by compat.lu_factor",
        "torch.linalg.ldl_factor(A, *, hermitian=False, out=None)",
        "torch.linalg.ldl_factor_ex(A, *, hermitian=False, check_errors=False, out=None)",
        "torch.linalg.ldl_solve(LD, pivots, B, *, hermitian=False, out=None)",
    ),
)  # fmt: skip

VANDERMONDE = (
    Rule("torch.vander(x, N=None, increasing=False)", "ms.numpy.vander(x, N, increasing)",
        note="Of narrow integers MindSpore keeps the type; PyTorch gives int64.",
        example=("torch.vander(v)", "torch.vander(v, 3, increasing=True)")),
    *linalg("vander(x, *, N=None)", "ms.numpy.vander(x, N, increasing=True)", "(v)", "(v, N=3)",
        note="PyTorch's powers increase.", limit="vectors only"),
)  # fmt: skip

RULES = (
    *DETERMINANTS,
    *INVERSES,
    *SOLVERS,
    *CHOLESKY,
    *ORTHOGONAL,
    *SINGULAR,
    *EIGENVALUES,
    *LU,
    *VANDERMONDE,
)
