"""Products of matrices and vectors: torch's functions, and methods."""

from ..families import renamed, with_method
from ..rule import Rule

SCALED = "beta=0.5, alpha=2"

PRODUCTS = (
    *with_method(
        Rule(
            "torch.matmul(input, other, *, out=None)",
            "ops.matmul(input, other)",
            mint="mint.matmul(input, other)",
            example=("torch.matmul(a, e)", "torch.matmul(x, v)", "torch.matmul(v, w)"),
        ),
        fluent=True,
    ),
    *renamed(
        Rule(
            "torch.matmul(input, other, *, out=None)",
            "ops.matmul(input, other)",
            mint="mint.matmul(input, other)",
            example=("torch.matmul(a, e)", "torch.matmul(a, v)"),
        ),
        "torch.linalg.matmul",
    ),
    *with_method(
        Rule(
            "torch.mm(input, mat2, *, out=None)",
            "ops.mm(input, mat2)",
            mint="mint.mm(input, mat2)",
            example="torch.mm(x, m)",
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.bmm(input, mat2, *, out=None)",
            "ops.bmm(input, mat2)",
            mint="mint.bmm(input, mat2)",
            example="torch.bmm(a, e)",
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.mv(input, vec, *, out=None)",
            "ops.mv(input, vec)",
            mint="mint.mv(input, vec)",
            example="torch.mv(x, v)",
        )
    ),
    *with_method(
        Rule(
            "torch.dot(input, tensor, *, out=None)",
            "ops.inner(input, tensor)",
            mint="mint.dot(input, tensor)",
            note="ops.dot takes no vectors: ops.inner is PyTorch's dot.",
            example=("torch.dot(v, w)", "torch.dot(order, tensor=order)"),
        )
    ),
    *with_method(
        Rule(
            "torch.vdot(input, other, *, out=None)",
            "(input.conj() * other).sum()",
            example=("torch.vdot(z[0], z[1])", "torch.vdot(v, w)"),
        )
    ),
    *with_method(
        Rule(
            "torch.inner(input, other, *, out=None)",
            "ops.inner(input, other)",
            example=("torch.inner(x, y)", "torch.inner(v, w)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.outer(input, vec2, *, out=None)",
            "ops.outer(input, vec2)",
            mint="mint.outer(input, vec2)",
            example=("torch.outer(v, w)", "torch.outer(order, vec2=v)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.ger(input, vec2, *, out=None)",
            "ops.outer(input, vec2)",
            mint="mint.outer(input, vec2)",
            example="torch.ger(v, w)",
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.kron(input, other, *, out=None)",
            "ops.kron(input, other)",
            example=("torch.kron(x, m)", "torch.kron(v, w)"),
        )
    ),
    Rule(
        "torch.linalg.vecdot(x, y, *, dim=-1, out=None)",
        "ops.vecdot(x, y, axis=dim)",
        example=("torch.linalg.vecdot(x, y)", "torch.linalg.vecdot(x, y, dim=0)"),
    ),
    *with_method(
        Rule(
            "torch.cross(input, other, dim=None, *, out=None)",
            "ops.cross(*ms.numpy.broadcast_arrays(input, other), dim=dim)",
            example=("torch.cross(m[:3], x)", "torch.cross(x[:1, :3], y[:, :3], dim=1)"),
        ),
    ),
    Rule(
        "torch.linalg.cross(input, other, *, dim=-1, out=None)",
        "ops.cross(*ms.numpy.broadcast_arrays(input, other), dim=always(dim))",
        note="ops.cross takes the first axis of three by default.",
        example=("torch.linalg.cross(x[:, :3], y[:1, :3])", "torch.linalg.cross(x, y, dim=0)"),
    ),
    Rule(
        "torch.linalg.multi_dot(tensors, *, out=None)",
        "ms.numpy.multi_dot(tensors)",
        example="torch.linalg.multi_dot([x, m, x.t()])",
    ),
    Rule(
        "torch.chain_matmul(*matrices, out=None)",
        "ms.numpy.multi_dot([spread(matrices)])",
        note="MindSpore takes one list.",
        example="torch.chain_matmul(x, m, x.t())",
    ),
)

SUMS_OF_PRODUCTS = tuple(
    row
    for name, first, second, arguments in (
        ("addmm", "mat1", "mat2", "spd, m, m"),
        ("addmv", "mat", "vec", "v, m, w"),
        ("addr", "vec1", "vec2", "m, v, w"),
        ("addbmm", "batch1", "batch2", "logits[:3], a, e"),
        ("baddbmm", "batch1", "batch2", "torch.bmm(a, e), a, e"),
    )
    for row in with_method(
        Rule(
            f"torch.{name}(input, {first}, {second}, *, beta=1, alpha=1, out=None)",
            f"ops.{name}(input, {first}, {second}, beta=beta, alpha=alpha)",
            example=(f"torch.{name}({arguments}, {SCALED})", f"torch.{name}({arguments})"),
        ),
        fluent=True,
        inplace=True,
    )
)

CONTRACTIONS = (
    Rule(
        "torch.einsum(equation, *operands)",
        "compat.einsum(equation, spread(operands))",
        mint="mint.einsum(equation, spread(operands))",
        example=(
            'torch.einsum("ij,kj->ik", x, y)',
            'torch.einsum("bij,bjk->bik", a, e)',
            'torch.einsum("b i j, j -> b i", a, v)',
            'torch.einsum("...ij,...jk", a, e)',
            'torch.einsum("ii->i", m)',
            'torch.einsum("ij->", x)',
            'torch.einsum("bij,bik,kl->jl", a, a, m)',
            'torch.einsum("i,j", v, w)',
        ),
    ),
    Rule(
        "torch.tensordot(a, b, dims=2, out=None)",
        "compat.tensordot(a, b, dims)",
        example=(
            "torch.tensordot(x, m, 1)",
            "torch.tensordot(a, e, dims=([2], [1]))",
            "torch.tensordot(a, a, ((0, 1), (0, 1)))",
        ),
    ),
    Rule(
        "torch.cdist(x1, x2, p=2.0, compute_mode=None)",
        "ops.cdist(x1, x2, fraction(p))",
        mint="mint.cdist(x1, x2, fraction(p))",
        note="MindSpore takes no int as `p`.",
        drop=("compute_mode",),
        example=("torch.cdist(x, y)", "torch.cdist(a, a, p=1)"),
    ),
)

RULES = (*PRODUCTS, *SUMS_OF_PRODUCTS, *CONTRACTIONS)
