"""Sparse COO tensors: a class of `compat` that has PyTorch's methods, with gradients."""

from ..rule import Rule

PLACES = "[[0, 1, 1], [2, 0, 2]]"
MADE = f"it = torch.sparse_coo_tensor({PLACES}, v[:3], (3, 3))\n"
TWICE = "it = torch.sparse_coo_tensor([[1, 0, 1], [2, 0, 2]], v[:3], (2, 3))\n"
CLASS = "MindSpore's COOTensor has few operations: it is a class beside the converted code."
ONLY = "Sparse COO tensors have it, and no others."


def method(name: str, target: str, *examples: str, returns: str = "tensor") -> Rule:
    """A method that only sparse tensors have."""
    return Rule(f"torch.Tensor.{name}(self)", target, limit=ONLY, returns=returns, example=examples)


RULES = (
    Rule(
        "torch.sparse_coo_tensor(indices, values, size=None, *, dtype=None, device=None, "
        "pin_memory=False, requires_grad=False, check_invariants=None, is_coalesced=None)",
        "compat.sparse_coo_tensor(indices, values, size, dtype=dtype)",
        note=CLASS,
        drop=("check_invariants", "is_coalesced"),
        reject={"requires_grad": "False"},
        returns="other",
        example=(
            f"{MADE}it.to_dense()",
            f"it = torch.sparse_coo_tensor(torch.tensor({PLACES}), v[:3], dtype=torch.float64)\n"
            "it.to_dense()",
            f"{MADE}[it.shape[0], it.size(1), it.dim(), it.is_sparse]",
            f"{MADE}[(it * 2).to_dense(), (-it / 4).to_dense()]",
            f"{MADE}it @ x.T[:3]",
            f"{TWICE}[it.coalesce().indices(), it.coalesce().values(), it.to_dense()]",
        ),
    ),
    Rule(
        "torch.sparse.FloatTensor(indices, values, size=None)",
        "compat.sparse_coo_tensor(indices, values, size)",
        note=CLASS,
        returns="other",
        example=(
            f"it = torch.sparse.FloatTensor(torch.tensor({PLACES}), v[:3], torch.Size((3, 3)))\n"
            "it.to_dense()"
        ),
    ),
    Rule(
        "torch.sparse.mm(self, mat2)",
        "compat.sparse_mm(self, mat2)",
        note=CLASS,
        returns="tensor",
        example=(f"{MADE}torch.sparse.mm(it, x.T[:3])", f"{TWICE}torch.sparse.mm(it, x.T[:3])"),
    ),
    Rule(
        "torch.sparse.sum(input, dim=None, dtype=None)",
        "compat.sparse_sum(input, dim)",
        note=CLASS,
        reject={"dtype": "None"},
        returns="other",
        example=(
            f"{TWICE}torch.sparse.sum(it, dim=0).to_dense()",
            f"{TWICE}torch.sparse.sum(it, [-1]).to_dense()",
            f"{MADE}torch.sparse.sum(it)",
            f"{MADE}torch.sparse.sum(it, dim=(0, 1))",
        ),
    ),
    Rule(
        "torch.spmm(input, mat2)",
        "compat.sparse_mm(input, mat2)",
        note=CLASS,
        returns="tensor",
        example=(f"{MADE}torch.spmm(it, x.T[:3])", "torch.spmm(x, x.T)"),
    ),
    Rule(
        "torch.Tensor.to_sparse(self, sparse_dim=None, *, layout=None, dense_dim=None)",
        "compat.to_sparse(self)",
        note=CLASS,
        reject={"sparse_dim": "None", "dense_dim": "None"},
        drop=("layout",),
        returns="other",
        example=("torch.relu(x).to_sparse().to_dense()", "torch.relu(x).to_sparse().values()"),
    ),
    Rule(
        "torch.Tensor.to_sparse_coo(self)",
        "compat.to_sparse(self)",
        note=CLASS,
        returns="other",
        example="torch.relu(x).to_sparse_coo().indices()",
    ),
    Rule(
        "torch.Tensor.to_dense(self, dtype=None, *, masked_grad=True)",
        "compat.to_dense(self)",
        drop=("masked_grad",),
        reject={"dtype": "None"},
        returns="tensor",
        example="x.to_dense()",
    ),
    method("coalesce", "self.coalesce()", f"{TWICE}it.coalesce().values()", returns="other"),
    method("is_coalesced", "self.is_coalesced()", f"{TWICE}it.is_coalesced()", returns="bool"),
    method("indices", "self.indices()", f"{TWICE}it.coalesce().indices()"),
    method("values", "self.values()", f"{TWICE}it.coalesce().values()"),
    method("_indices", "self.indices()", f"{MADE}it._indices()"),
    method("_nnz", "self._nnz()", f"{MADE}it._nnz()", returns="int"),
    method("_values", "self.values()", f"{MADE}it._values()"),
)
