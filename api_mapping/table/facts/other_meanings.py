"""Methods that tensors of both frameworks have, and that mean something else."""

MEANINGS = {
    "std": "MindSpore divides by n, PyTorch by n - 1: x.std(ddof=1)",
    "var": "MindSpore divides by n, PyTorch by n - 1: x.var(ddof=1)",
    "norm": "of a matrix with an order, MindSpore's is the norm of the operator",
    "equal": "MindSpore compares each element: x.equal(y).all()",
    "median": "MindSpore's takes an axis by default: x.flatten().median()",
    "nanmedian": "MindSpore's takes an axis by default: x.flatten().nanmedian()",
    "take": "MindSpore clips negative places: x.flatten()[places]",
    "svd": "MindSpore gives the values first: s, u, v = x.svd()",
    "aminmax": "MindSpore's takes an axis by default: x.amin(), x.amax()",
    "diag": "MindSpore's only makes matrices: x.diagonal()",
}
"""What tensors of MindSpore's do otherwise under the same name and raise nothing: found by calling
each method of the table's examples as it is written for PyTorch."""
