"""Gathering, scattering, masks and diagonals: torch's functions, and methods."""

from ..families import missing, renamed, with_method
from ..rule import Rule

EVEN = "source and index must be of one shape: cut the source to the index first"

GATHERS = (
    Rule(
        "torch.gather(input, dim, index, *, sparse_grad=False, out=None)",
        "ops.gather_elements(input, dim, index)",
        mint="mint.gather(input, dim, index)",
        drop=("sparse_grad",),
        example=("torch.gather(x, 0, index)", "torch.gather(x, dim=-1, index=index[:, :2])"),
    ),
    Rule(
        "torch.Tensor.gather(self, dim, index, *, sparse_grad=False)",
        "self.gather(dim, index)",
        drop=("sparse_grad",),
        example=("x.gather(0, index)", "b.gather(dim=1, index=index[:2])"),
    ),
    *with_method(
        Rule(
            "torch.index_select(input, dim, index, *, out=None)",
            "ops.index_select(input, dim, index)",
            mint="mint.index_select(input, dim, index)",
            example=(
                "torch.index_select(x, 0, order)",
                "torch.index_select(b, dim=-1, index=order)",
            ),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.take(input, index)",
            "input.flatten()[index % input.size]",
            mint="mint.take(input, index)",
            note="MindSpore loses the gradient of negative indices: they are counted from 0.",
            example=(
                "torch.take(x, index)",
                "torch.take(x, order - 3)",
                "slopes(lambda t: torch.take(t, index - 5) ** 2, x)",
            ),
        )
    ),
    *with_method(
        Rule(
            "torch.take_along_dim(input, indices, dim=None, *, out=None)",
            "ms.numpy.take_along_axis(input, indices, always(dim))",
            note="MindSpore has no default axis: None is written out.",
            example=("torch.take_along_dim(x, index[:1], 0)", "torch.take_along_dim(x, order)"),
        )
    ),
    *with_method(
        Rule(
            "torch.masked_select(input, mask, *, out=None)",
            "ops.masked_select(input, mask)",
            mint="mint.masked_select(input, mask)",
            example=("torch.masked_select(x, b)", "torch.masked_select(x, mask=b[:, :1])"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.nonzero(input, *, out=None)",
            "ops.nonzero(input)",
            mint="mint.nonzero(input)",
            example=("torch.nonzero(b)", "torch.nonzero(x)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.nonzero(input, *, out=None, as_tuple=False)",
            "ops.unbind(ops.nonzero(input), 1)",
            mint="mint.nonzero(input, as_tuple=True)",
            kinds={"as_tuple": "True"},
            drop=("as_tuple",),
            returns="tensors",
            example="torch.nonzero(b, as_tuple=True)",
        )
    ),
    *with_method(
        Rule(
            "torch.nonzero(input, *, out=None, as_tuple=False)",
            "ops.nonzero(input)",
            mint="mint.nonzero(input)",
            example="torch.nonzero(x, as_tuple=False)",
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.nonzero_static(input, *, size, fill_value=-1, out=None)",
            "compat.nonzero_static(input, size, fill_value)",
            example=("torch.nonzero_static(b, size=20)", "torch.nonzero_static(b, size=2)"),
        )
    ),
    *with_method(
        Rule("torch.argwhere(input)", "ops.argwhere(input)", example="torch.argwhere(b)"),
        fluent=True,
    ),
    Rule(
        "torch.unravel_index(indices, shape)",
        "ms.numpy.unravel_index(indices, shape)",
        note="MindSpore gives int32 for indices of int32; PyTorch int64.",
        returns="tensors",
        example="torch.unravel_index(order, (3, 4))",
    ),
)

SCATTERS = (
    *with_method(
        Rule(
            "torch.scatter(input, dim, index, src)",
            "compat.scatter(input, dim, index, src)",
            kinds={"index": "new"},
            example=(
                "torch.scatter(v, 0, torch.as_tensor(len(v) - 1), w[0])",
                "torch.scatter(v, 0, torch.as_tensor(list(range(2))), w[:2])",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.scatter(input, dim, index, value)",
            "compat.scatter(input, dim, index, value)",
            kinds={"index": "new"},
            note="MindSpore takes no index without axes.",
            example=(
                "torch.scatter(v, 0, torch.as_tensor(len(v) - 1), 1.5)",
                "torch.scatter(v, dim=0, index=torch.as_tensor(len(v) // 2), value=2)",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.scatter(input, dim, index, src)",
            "ops.tensor_scatter_elements(input, index, src, dim)",
            kinds={"src": "tensor"},
            limit=EVEN,
            example=(
                "torch.scatter(x, 0, index[:, :3], y[:, :3])",  # no place twice: either may win
                "torch.scatter(i, -1, index=order.expand(3, 3), src=j[:, :3])",
                "torch.scatter(v, 0, order, w[:3])",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.scatter(input, dim, index, value)",
            "ops.tensor_scatter_elements(input, index, "
            "ops.full_like(index, value, dtype=input.dtype), dim)",
            kinds={"value": "int|float|bool"},
            example=(
                "torch.scatter(x, 0, index, 1.5)",
                "torch.scatter(i, 1, index[:2], value=7)",
                # ops.scatter on the CPU keeps the strides of the call before this one
                "first = torch.scatter(x, 0, index, 1.5)\ntorch.scatter(v, 0, order, 2.5)",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.scatter(input, dim, index, value)",
            "compat.scatter(input, dim, index, value)",
            example="torch.scatter(x, 0, index, 1.5)",
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.scatter(input, dim, index, src, *, reduce=None)",
            "compat.scatter(input, dim, index, src, reduce)",
            example=(
                'torch.scatter(x, 0, index, y, reduce="add")',
                'torch.scatter(x, 1, index[:2], y, reduce="multiply")',
                'torch.scatter(x, 1, index, 2.0, reduce="multiply")',
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.scatter_add(input, dim, index, src)",
            "compat.scatter_add(input, dim, index, src)",
            mint="mint.scatter_add(input, dim, index, src)",
            note="ops.tensor_scatter_elements loses values on MindSpore's CPU now and then.",
            example=(
                "torch.scatter_add(x, 0, index, y)",
                "torch.scatter_add(i, dim=-1, index=index, src=j)",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.scatter_reduce(input, dim, index, src, reduce, *, include_self=True)",
            "compat.scatter_reduce(input, dim, index, src, reduce, include_self)",
            example=tuple(
                f'torch.scatter_reduce(x, {dim}, index, y, "{reduce}"{more})'
                for dim, reduce, more in (
                    (0, "sum", ""),
                    (1, "mean", ""),
                    (0, "amax", ", include_self=False"),
                    (-1, "prod", ""),
                    (0, "mean", ", include_self=False"),
                )
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.index_add(input, dim, index, source, *, alpha=1, out=None)",
            "compat.index_add(input, dim, index, source, alpha)",
            mint="mint.index_add(input, dim, index, source, alpha=alpha)",
            example=(
                "torch.index_add(x, 0, order, y)",
                "torch.index_add(x, -1, order, y[:, :3], alpha=2)",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.index_copy(input, dim, index, source, *, out=None)",
            "compat.index_copy(input, dim, index, source)",
            example=(
                "torch.index_copy(x, 0, order, y)",
                "torch.index_copy(x, 1, order, y[:, :3])",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None)",
            "compat.index_reduce(input, dim, index, source, reduce, include_self)",
            example=(
                'torch.index_reduce(x, 0, order, y, "amax")',
                'torch.index_reduce(x, 1, order, y[:, :3], "mean", include_self=False)',
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.index_fill(input, dim, index, value)",
            "ops.index_fill(input, dim, index.astype(ms.int32), value)",
            example=("torch.index_fill(x, 1, order, 2.0)", "torch.index_fill(i, 0, order, 7)"),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.index_put(input, indices, values, accumulate=False)",
            "compat.index_put(input, indices, values, accumulate)",
            example=(
                "torch.index_put(x, (order,), y)",
                "torch.index_put(x, (order, order - 1), v[:3], accumulate=True)",
                "torch.index_put(x, (b,), s)",
                "torch.index_put(x, [order], v)",
            ),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.put(input, index, source, accumulate=False)",
            "compat.put(input, index, source, accumulate)",
            example=("torch.put(x, order, v[:3])", "torch.put(x, order, v[:3], True)"),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.select_scatter(input, src, dim, index)",
            "ops.select_scatter(input, src, dim, index)",
            example=("torch.select_scatter(x, v, 0, 1)", "torch.select_scatter(x, w[:3], 1, -1)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.slice_scatter(input, src, dim=0, start=None, end=None, step=1)",
            "ops.slice_scatter(input, src, dim, start, end, step)",
            example=(
                "torch.slice_scatter(x, y[:2], start=1)",
                "torch.slice_scatter(x, y[:, :2], 1, 0, 4, 2)",
            ),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)",
            "ops.diagonal_scatter(input, src, offset, dim1, dim2)",
            example=("torch.diagonal_scatter(m, v)", "torch.diagonal_scatter(m, v[:3], 1)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.as_strided_scatter(input, src, size, stride, storage_offset=0)",
            "compat.as_strided_scatter(input, src, size, stride, storage_offset)",
            note="PyTorch gives the gradient to the places of the input that are overwritten; here "
            "the others have it.",
            example="torch.as_strided_scatter(x, m[:2, :2], (2, 2), (1, 2))",
        )
    ),
)

MASKS = (
    *with_method(
        Rule(
            "torch.masked_fill(input, mask, value)",
            "ops.masked_fill(input, mask, value)",
            example=(
                'torch.masked_fill(x, b, float("-inf"))',
                "torch.masked_fill(i, b[:1], -100)",
                "torch.masked_fill(x, mask=b, value=s)",
            ),
        ),
        fluent=True,
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.masked_scatter(input, mask, source)",
            "input.masked_scatter(mask, source)",
            example="torch.masked_scatter(x, b, y)",
        ),
        inplace=True,
    ),
    *(
        row
        for name in ("tril", "triu")
        for row in with_method(
            Rule(
                f"torch.{name}(input, diagonal=0, *, out=None)",
                f"ops.{name}(input, diagonal)",
                mint=f"mint.{name}(input, diagonal)",
                example=(f"torch.{name}(x)", f"torch.{name}(b, 1)", f"torch.{name}(a, diagonal=2)"),
            ),
            fluent=True,
            inplace=True,
        )
    ),
    *(
        Rule(
            f"torch.{name}_indices(row, col, offset=0, *, dtype=torch.long)",
            f"ops.{name}_indices(row, col, offset, dtype=dtype)",
            example=(
                f"torch.{name}_indices(3, 4)",
                f"torch.{name}_indices(3, 4, offset=-1, dtype=torch.int32)",
            ),
        )
        for name in ("tril", "triu")
    ),
)

DIAGONALS = (
    *with_method(
        Rule(
            "torch.diag(input, diagonal=0, *, out=None)",
            "ms.numpy.diag(input, diagonal)",
            mint="mint.diag(input, diagonal)",
            note="ops.diag builds a matrix of every Tensor; MindSpore's numpy.diag is PyTorch's.",
            example=("torch.diag(v)", "torch.diag(m, -1)", "torch.diag(x)"),
        )
    ),
    *with_method(
        Rule(
            "torch.diagonal(input, offset=0, dim1=0, dim2=1)",
            "ops.diagonal(input, offset, dim1, dim2)",
            example=("torch.diagonal(m)", "torch.diagonal(a, offset=1, dim1=-2, dim2=-1)"),
        ),
        fluent=True,
    ),
    Rule(
        "torch.linalg.diagonal(A, *, offset=0, dim1=-2, dim2=-1)",
        "ops.diagonal(A, offset, always(dim1), always(dim2))",
        note="ops.diagonal takes the first two axes by default.",
        example=("torch.linalg.diagonal(a)", "torch.linalg.diagonal(a, offset=1, dim1=0)"),
    ),
    *with_method(
        Rule(
            "torch.diag_embed(input, offset=0, dim1=-2, dim2=-1)",
            "ops.diag_embed(input, offset, dim1, dim2)",
            example=("torch.diag_embed(x)", "torch.diag_embed(x, 1, 0, 2)"),
        )
    ),
    *with_method(
        Rule(
            "torch.diagflat(input, offset=0)",
            "ops.diagflat(input, offset)",
            example=("torch.diagflat(v, 1)", "torch.diagflat(x)"),
        ),
        fluent=True,
    ),
    Rule(
        "torch.Tensor.fill_diagonal_(self, fill_value, wrap=False)",
        "self.masked_fill(ops.eye(*self.shape, dtype=ms.bool_), fill_value)",
        reject={"wrap": "fill the parts of the matrix one by one"},
        limit="Tensors of more than two axes",
        writes=True,
        example=("x.fill_diagonal_(2.0)\nx", "m.fill_diagonal_(fill_value=0)\nm"),
    ),
)

COPIES = (
    *(
        copied
        for rule in (*DIAGONALS, *GATHERS)
        if rule.name == "torch.diagonal"
        for copied in renamed(rule, "torch.diagonal_copy")
    ),
    *missing(
        "slice it: x[start:end:step], with a colon for each axis before",
        "torch.slice_copy(input, dim=0, start=None, end=None, step=1)",
    ),
    *missing(
        "ops.unsorted_segment_sum (or max, min, prod) with each row's segment in place of lengths",
        "torch.segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, "
        "unsafe=False, initial=None)",
    ),
)

RULES = (*GATHERS, *SCATTERS, *MASKS, *DIAGONALS, *COPIES)
