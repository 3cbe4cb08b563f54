"""The fields of the named tuples that functions of PyTorch return: MindSpore returns tuples.

The rows are named by field, as `torch.return_types.values`, whichever the function is.
"""

from ..families import missing
from ..rule import Rule

PLACES = (
    ("values", 0, "pair = torch.max(x, 1)"),
    ("indices", 1, "pair = torch.topk(x, 2)"),
    ("min", 0, "pair = torch.aminmax(x)"),
    ("max", 1, "pair = torch.aminmax(x)"),
    ("mantissa", 0, "pair = torch.frexp(x)"),
    ("exponent", 1, "pair = torch.frexp(x)"),
    ("hist", 0, "pair = torch.histogram(x, 4)"),
    ("bin_edges", 1, "pair = torch.histogram(x, 4)"),
    ("sign", 0, "pair = torch.slogdet(m)"),
    ("logabsdet", 1, "pair = torch.linalg.slogdet(m)"),
    ("eigenvalues", 0, "pair = torch.linalg.eigh(spd)"),
    ("eigenvectors", 1, "pair = torch.linalg.eigh(2 * torch.eye(3))"),
    ("Q", 0, "pair = torch.linalg.qr(x)"),
    ("R", 1, "pair = torch.linalg.qr(x)"),
    ("S", 1, "pair = torch.linalg.svd(x)"),
    ("V", 2, "pair = torch.svd(torch.eye(3))"),
    ("Vh", 2, "pair = torch.linalg.svd(torch.eye(3))"),
    ("P", 0, "pair = torch.linalg.lu(m)"),
    ("L", -2, "pair = torch.linalg.lu(m)"),
    ("LU", 0, "pair = torch.linalg.lu_factor(m)"),
    ("pivots", 1, "pair = torch.linalg.lu_factor(m)"),
    ("inverse", 0, "pair = torch.linalg.inv_ex(m)"),
    ("result", 0, "pair = torch.linalg.solve_ex(m, spd)"),
    ("info", -1, "pair = torch.linalg.inv_ex(m)"),
    ("solution", 0, "pair = torch.linalg.lstsq(x.t(), m)"),
    ("residuals", 1, "pair = torch.linalg.lstsq(x.t(), m)"),
    ("rank", 2, "pair = torch.linalg.lstsq(x.t(), m)"),
    ("singular_values", 3, "pair = torch.linalg.lstsq(x.t(), m)"),
    ("cloned_coefficient", 1, "pair = torch.triangular_solve(x.t(), m)"),
    ("a", 0, "pair = torch.geqrf(m)"),
    ("tau", 1, "pair = torch.geqrf(m)"),
)

RULES = (
    *(
        Rule(
            f"torch.return_types.{field}",
            f"self[{place}]",
            returns="tensor",
            example=f"{made}\npair.{field}",
        )
        for field, place, made in PLACES
    ),
    *missing(
        "take it by its place: 0 of what svd returns, 2 of what lu returns", "torch.return_types.U"
    ),
)
