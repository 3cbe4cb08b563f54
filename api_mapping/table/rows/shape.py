"""Views, reshaping, joining and splitting: torch's functions, and methods."""

from ..families import inplace_of, method_of, renamed, with_method
from ..rule import Rule

NO_VIEW = "PyTorch's is a view: writing into it changes the original Tensor, here it does not."

VIEWS = (
    Rule(
        "torch.Tensor.view(self, dtype)",
        "self.view(dtype)",
        kinds={"dtype": "dtype"},
        example="x.view(torch.int32)",
    ),
    Rule(
        "torch.Tensor.view(self, *, size)",
        "self.view(size)",
        example=("x.view(size=(2, 6))", "x.view(size=[-1, 2])"),
    ),
    Rule(
        "torch.Tensor.view(self, *shape)",
        "self.view(spread(shape))",
        example=(
            "x.view(2, 6)",
            "x.view((2, -1))",
            "x.view(-1)",
            "a.view(2, *a.shape[1:])",
            "x.view(*y.shape)",
        ),
    ),
    Rule("torch.Tensor.view_as(self, other)", "self.view_as(other)", example="x.view_as(m[:, :3])"),
    Rule(
        "torch.Tensor.reshape(self, *shape)",
        "self.reshape(spread(shape))",
        example=("x.reshape(2, 6)", "x.reshape([2, -1])", "x.t().reshape(-1)"),
    ),
    Rule(
        "torch.Tensor.reshape_as(self, other)",
        "self.reshape(other.shape)",
        note="MindSpore takes the shape.",
        example="x.reshape_as(m[:, :3])",
    ),
    Rule(
        "torch.reshape(input, shape)",
        "ops.reshape(input, shape)",
        mint="mint.reshape(input, shape)",
        example=("torch.reshape(x, (2, 6))", "torch.reshape(x, shape=[-1])"),
    ),
    Rule(
        "torch.Tensor.permute(self, *dims)",
        "self.permute(spread(dims))",
        example=("a.permute(2, 0, 1)", "a.permute((2, 0, -2))", "a.permute([2, 0, 1])"),
    ),
    Rule(
        "torch.permute(input, dims)",
        "ops.permute(input, dims)",
        mint="mint.permute(input, dims)",
        example="torch.permute(a, (2, 0, 1))",
    ),
    Rule(
        "torch.Tensor.transpose(self, dim0, dim1)",
        "self.transpose(dim0, dim1)",
        example=("a.transpose(1, 2)", "a.transpose(dim0=-1, dim1=0)"),
    ),
    Rule(
        "torch.transpose(input, dim0, dim1)",
        "ops.swapaxes(input, dim0, dim1)",
        mint="mint.transpose(input, dim0, dim1)",
        example=("torch.transpose(a, 1, 2)", "torch.transpose(x, -1, 0)"),
    ),
    *with_method(
        Rule(
            "torch.swapaxes(input, axis0, axis1)",
            "ops.swapaxes(input, axis0, axis1)",
            mint="mint.swapaxes(input, axis0, axis1)",
            example="torch.swapaxes(a, 1, 2)",
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.swapdims(input, dim0, dim1)",
            "ops.swapaxes(input, dim0, dim1)",
            mint="mint.swapaxes(input, dim0, dim1)",
            example="torch.swapdims(a, 1, 2)",
        ),
        fluent=True,
    ),
    *with_method(
        Rule("torch.t(input)", "ops.t(input)", mint="mint.t(input)", example="torch.t(x)"),
        fluent=True,
    ),
    *with_method(
        Rule("torch.adjoint(input)", "ops.adjoint(input)", example="torch.adjoint(z)"),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.movedim(input, source, destination)",
            "ops.movedim(input, source, destination)",
            example=("torch.movedim(a, 0, -1)", "torch.movedim(a, (0, 1), (1, 2))"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.moveaxis(input, source, destination)",
            "ops.moveaxis(input, source, destination)",
            example=("torch.moveaxis(a, 0, -1)", "torch.moveaxis(a, (0, 1), (1, 2))"),
        ),
        fluent=True,
    ),
    Rule(
        "torch.flatten(input, start_dim=0, end_dim=-1)",
        "ops.flatten(input, start_dim=always(start_dim), end_dim=end_dim)",
        mint="mint.flatten(input, start_dim, end_dim)",
        note="ops.flatten keeps the first axis by default: where to start is always written out.",
        example=("torch.flatten(a)", "torch.flatten(a, 1)", "torch.flatten(a, -2, -1)"),
    ),
    Rule(
        "torch.Tensor.flatten(self, start_dim=0, end_dim=-1)",
        "self.flatten(start_dim, end_dim)",
        example=("a.flatten()", "a.flatten(1)", "a.flatten(start_dim=0, end_dim=1)"),
    ),
    *with_method(
        Rule(
            "torch.ravel(input)",
            "ops.ravel(input)",
            mint="mint.ravel(input)",
            example="torch.ravel(a)",
        ),
        fluent=True,
    ),
    Rule(
        "torch.unfold_copy(input, dimension, size, step)",
        "compat.windows(input, dimension, size, step)",
        example="torch.unfold_copy(signal, 2, 4, 2)",
    ),
    Rule(
        "torch.view_copy(input, size)",
        "ops.reshape(input, size)",
        example="torch.view_copy(x, (2, 6))",
    ),
    Rule(
        "torch.expand_copy(input, size)",
        "ops.broadcast_to(input, size)",
        example="torch.expand_copy(v, (3, 4))",
    ),
    *with_method(
        Rule(
            "torch.unflatten(input, dim, sizes)",
            "compat.unflatten(input, dim, sizes)",
            example=("torch.unflatten(a, 2, (2, -1))", "torch.unflatten(a, -1, [2, 2])"),
        )
    ),
    *with_method(
        Rule(
            "torch.squeeze(input)",
            "ops.squeeze(input)",
            example="torch.squeeze(volume)",
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.squeeze(input, dim)",
            "ops.squeeze(input, dim)",
            mint="mint.squeeze(input, dim)",
            example=("torch.squeeze(volume, 0)", "torch.squeeze(volume, dim=1)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.unsqueeze(input, dim)",
            "ops.unsqueeze(input, dim)",
            mint="mint.unsqueeze(input, dim)",
            example=("torch.unsqueeze(x, -1)", "torch.unsqueeze(x, dim=0)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.narrow(input, dim, start, length)",
            "ops.narrow(input, dim, start, length)",
            mint="mint.narrow(input, dim, start, length)",
            example=("torch.narrow(a, -1, 1, 2)", "torch.narrow(x, dim=0, start=0, length=2)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.select(input, dim, index)",
            "input.unbind(dim)[index]",
            mint="mint.select(input, dim, index)",
            example=("torch.select(a, 1, 0)", "torch.select(a, -1, -1)"),
        )
    ),
    Rule(
        "torch.Tensor.unfold(self, dimension, size, step)",
        "compat.windows(self, dimension, size, step)",
        note=NO_VIEW,
        example=("signal.unfold(2, 4, 2)", "signal.unfold(-1, size=3, step=1)"),
    ),
    *with_method(
        Rule(
            "torch.as_strided(input, size, stride, storage_offset=0)",
            "compat.as_strided(input, size, stride, storage_offset)",
            note=NO_VIEW,
            limit="the strides are those of the Tensor's values in order",
            example=("torch.as_strided(x, (2, 2), (1, 2))", "torch.as_strided(x, (3,), (4,), 1)"),
        )
    ),
    Rule("torch.Tensor.T", "self.T", example="x.T"),
    Rule("torch.Tensor.mT", "self.mT", example="a.mT"),
    Rule("torch.Tensor.H", "self.H", example="z.H"),
    Rule("torch.Tensor.mH", "self.mH", example="z.mH"),
)

REPEATS = (
    Rule(
        "torch.Tensor.sum_to_size(self, *size)",
        "compat.sum_to_size(self, size)",
        example=("a.sum_to_size(3, 1)", "x.sum_to_size((1, 4))"),
    ),
    Rule(
        "torch.Tensor.expand(self, *size)",
        "self.expand(spread(size))",
        example=("v.expand(3, 4)", "v.expand((3, -1))", "s.expand(x.shape)"),
    ),
    Rule("torch.Tensor.expand_as(self, other)", "self.expand_as(other)", example="v.expand_as(x)"),
    *with_method(
        Rule(
            "torch.broadcast_to(input, size)",
            "ops.broadcast_to(input, size)",
            mint="mint.broadcast_to(input, size)",
            example=("torch.broadcast_to(v, (3, 4))", "torch.broadcast_to(v, size=[3, -1])"),
        ),
        fluent=True,
    ),
    Rule(
        "torch.Tensor.repeat(self, *repeats)",
        "self.tile(as_tuple(repeats))",
        mint="mint.tile(self, as_tuple(repeats))",
        note="MindSpore calls it tile; it takes one tuple.",
        example=("x.repeat(2, 1)", "x.repeat(2, 1, 1)", "v.repeat(3)", "x.repeat(*[2, 1])"),
    ),
    Rule(
        "torch.Tensor.tile(self, *dims)",
        "self.tile(as_tuple(dims))",
        mint="mint.tile(self, as_tuple(dims))",
        note="MindSpore takes one tuple.",
        example=("x.tile(2, 1)", "x.tile((2,))", "x.tile(2)"),
    ),
    Rule(
        "torch.tile(input, dims)",
        "ops.tile(input, as_tuple(dims))",
        mint="mint.tile(input, as_tuple(dims))",
        note="MindSpore takes no list.",
        example=("torch.tile(x, (2, 2, 2))", "torch.tile(x, dims=[2])"),
    ),
    *with_method(
        Rule(
            "torch.repeat_interleave(input, repeats, dim=None, *, output_size=None)",
            "ops.repeat_interleave(input, repeats, dim)",
            mint="mint.repeat_interleave(input, repeats, dim, output_size=output_size)",
            drop=("output_size",),
            limit="of bool it has no kernel: use x.int()",
            example=(
                "torch.repeat_interleave(x, 2)",
                "torch.repeat_interleave(x, 2, dim=1)",
                "torch.repeat_interleave(x, order, 0)",
                "torch.repeat_interleave(x, order, dim=0, output_size=3)",
            ),
        ),
        fluent=True,
    ),
    Rule(
        "torch.repeat_interleave(repeats, *, output_size=None)",
        "ops.repeat_interleave(ops.arange(repeats.shape[0]), repeats)",
        drop=("output_size",),
        example="torch.repeat_interleave(order)",
    ),
    Rule(
        "torch.broadcast_tensors(*tensors)",
        "ms.numpy.broadcast_arrays(spread(tensors))",
        note="MindSpore gives a list.",
        returns="tensors",
        example="torch.broadcast_tensors(v, x[:, :1])",
    ),
    Rule(
        "torch.broadcast_shapes(*shapes)",
        "np.broadcast_shapes(spread(shapes))",
        returns="shape",
        note="MindSpore has none: NumPy's gives the same tuple.",
        example="torch.broadcast_shapes((3, 1), (1, 4), x.shape)",
    ),
)

JOINS = (
    Rule(
        "torch.cat(tensors, dim=0, *, out=None)",
        "compat.cat(tensors, axis=dim)",
        kinds={"tensors": "growing"},
        note="MindSpore joins no tensor without elements to one of more axes.",
        example=("torch.cat((torch.empty(0), x))", "torch.cat([torch.tensor([]), x], dim=1)"),
    ),
    Rule(
        "torch.cat(tensors, dim=0, *, out=None)",
        "ops.cat(tensors, axis=dim)",
        mint="mint.cat(tensors, dim=dim)",
        limit="on the CPU the Tensors must be of one element type: use x.astype()",
        example=("torch.cat([x, y])", "torch.cat((x, y), 1)", "torch.cat((b, c), dim=-1)"),
    ),
    Rule(
        "torch.stack(tensors, dim=0, *, out=None)",
        "ops.stack(tensors, axis=dim)",
        mint="mint.stack(tensors, dim=dim)",
        limit="the Tensors must be of one element type: use x.astype()",
        example=("torch.stack([x, y])", "torch.stack((x, y), dim=-1)", "torch.stack([s, s], 0)"),
    ),
    Rule(
        "torch.hstack(tensors, *, out=None)",
        "ops.hstack(tensors)",
        mint="mint.hstack(tensors)",
        example=("torch.hstack([x, y])", "torch.hstack((v, w))"),
    ),
    Rule(
        "torch.vstack(tensors, *, out=None)",
        "ops.vstack(tensors)",
        example=("torch.vstack([v, w])", "torch.vstack((x, y))"),
    ),
    Rule(
        "torch.dstack(tensors, *, out=None)",
        "ops.dstack(tensors)",
        mint="mint.dstack(tensors)",
        example=("torch.dstack((x, y))", "torch.dstack((v, w))"),
    ),
    Rule(
        "torch.column_stack(tensors, *, out=None)",
        "ops.column_stack(tensors)",
        example=("torch.column_stack((v, w))", "torch.column_stack((v, m))"),
    ),
    Rule(
        "torch.block_diag(*tensors)",
        "ops.block_diag(spread(tensors))",
        example="torch.block_diag(x, y, v)",
    ),
    Rule(
        "torch.cartesian_prod(*tensors)",
        "ops.cartesian_prod(spread(tensors))",
        limit="for one Tensor PyTorch gives one axis, MindSpore two",
        example="torch.cartesian_prod(v, w)",
    ),
    Rule(
        "torch.combinations(input, r=2, with_replacement=False)",
        "ops.combinations(input, r, with_replacement)",
        example=("torch.combinations(v)", "torch.combinations(v, r=3, with_replacement=True)"),
    ),
    Rule(
        "torch.meshgrid(*tensors, indexing='ij')",
        "ops.meshgrid(one_by_one(tensors), indexing=always(indexing))",
        mint="mint.meshgrid(one_by_one(tensors), indexing=always(indexing))",
        note='MindSpore\'s default is "xy": PyTorch\'s "ij" is always written out.',
        returns="tensors",
        example=(
            "torch.meshgrid(v, w)",
            'torch.meshgrid([v, w], indexing="xy")',
            'torch.meshgrid(v, w, w, indexing="ij")',
        ),
    ),
    *(
        Rule(
            f"torch.atleast_{n}d(*tensors)",
            f"ops.atleast_{n}d(tensors)",
            note="MindSpore takes several Tensors as one sequence.",
            example=(f"torch.atleast_{n}d(v)", f"torch.atleast_{n}d(s, x)"),
        )
        for n in (1, 2, 3)
    ),
)
JOINS = (
    *JOINS,
    *renamed(JOINS[0], "torch.concat", "torch.concatenate"),
    *renamed(JOINS[1], "torch.concat", "torch.concatenate"),
    *renamed(JOINS[4], "torch.row_stack"),
)

SPLITS = (
    Rule(
        "torch.split(tensor, split_size_or_sections, dim=0)",
        "ops.split(tensor, split_size_or_sections, axis=dim)",
        mint="mint.split(tensor, split_size_or_sections, dim=dim)",
        returns="tensors",
        example=("torch.split(x, 2)", "torch.split(x, [1, 3], dim=1)"),
    ),
    Rule(
        "torch.Tensor.split(self, split_size, dim=0)",
        "self.split(split_size, dim)",
        returns="tensors",
        example=("x.split(2)", "x.split([1, 3], dim=-1)", "x.split(split_size=3, dim=1)"),
    ),
    *with_method(
        Rule(
            "torch.chunk(input, chunks, dim=0)",
            "ops.chunk(input, chunks, axis=dim)",
            mint="mint.chunk(input, chunks, dim=dim)",
            returns="tensors",
            example=("torch.chunk(x, 2)", "torch.chunk(x, 3, dim=1)", "torch.chunk(x, 2, -1)"),
        ),
        "self.chunk(chunks, dim)",
    ),
    *with_method(
        Rule(
            "torch.tensor_split(input, indices_or_sections, dim=0)",
            "ops.tensor_split(input, indices_or_sections, axis=dim)",
            returns="tensors",
            example=("torch.tensor_split(v, 3)", "torch.tensor_split(x, (1, 3), dim=1)"),
        )
    ),
    *with_method(
        Rule(
            "torch.tensor_split(input, *, sections, dim=0)",
            "ops.tensor_split(input, sections, axis=dim)",
            returns="tensors",
            example="torch.tensor_split(x, sections=2, dim=1)",
        )
    ),
    *with_method(
        Rule(
            "torch.tensor_split(input, *, indices, dim=0)",
            "ops.tensor_split(input, indices, axis=dim)",
            returns="tensors",
            example="torch.tensor_split(x, indices=(1, 2))",
        )
    ),
    *(
        row
        for letter, argument, examples in (
            ("h", "x", ("2", "[1, 2]")),
            ("v", "m", ("2", "[1, 2]")),
            ("d", "a", ("2", "[1, 2]")),
        )
        for row in with_method(
            Rule(
                f"torch.{letter}split(input, indices_or_sections)",
                f"ops.{letter}split(input, indices_or_sections)",
                returns="tensors",
                example=tuple(f"torch.{letter}split({argument}, {e})" for e in examples),
            ),
            fluent=True,
        )
    ),
    *with_method(
        Rule(
            "torch.unbind(input, dim=0)",
            "ops.unbind(input, dim)",
            mint="mint.unbind(input, dim)",
            returns="tensors",
            example=("torch.unbind(x)", "torch.unbind(i, dim=-1)"),
        ),
        fluent=True,
    ),
)

LIKE_SPLITS = (
    *with_method(
        Rule(
            "torch.split_with_sizes(input, split_sizes, dim=0)",
            "ops.split(input, split_sizes, axis=dim)",
            returns="tensors",
            example="torch.split_with_sizes(x, [1, 3], dim=1)",
        ),
        "self.split(split_sizes, dim)",
    ),
    Rule(
        "torch.split_copy(input, split_size, dim=0)",
        "ops.split(input, split_size, axis=dim)",
        returns="tensors",
        example="torch.split_copy(x, 2, dim=1)",
    ),
    Rule(
        "torch.split_with_sizes_copy(input, split_sizes, dim=0)",
        "ops.split(input, split_sizes, axis=dim)",
        returns="tensors",
        example="torch.split_with_sizes_copy(x, [1, 3], dim=1)",
    ),
    *with_method(
        Rule(
            "torch.unsafe_split(tensor, split_size, dim=0)",
            "ops.split(tensor, split_size, axis=dim)",
            returns="tensors",
            example="torch.unsafe_split(x, 2, 1)",
        )
    ),
    *with_method(
        Rule(
            "torch.unsafe_chunk(input, chunks, dim=0)",
            "ops.chunk(input, chunks, axis=dim)",
            returns="tensors",
            example="torch.unsafe_chunk(x, 2, 1)",
        )
    ),
)

ORDERS = (
    *with_method(
        Rule(
            "torch.roll(input, shifts, dims=None)",
            "ms.numpy.roll(input, shifts, dims)",
            mint="mint.roll(input, shifts, dims)",
            example=("torch.roll(x, 1)", "torch.roll(x, (1, -2), dims=(0, -1))"),
        )
    ),
    Rule(
        "torch.flip(input, dims)",
        "ops.flip(input, dims)",
        mint="mint.flip(input, dims)",
        example=("torch.flip(x, [0])", "torch.flip(a, dims=(0, -1))"),
    ),
    Rule(
        "torch.Tensor.flip(self, *dims)",
        "self.flip(as_tuple(dims))",
        note="MindSpore takes one tuple.",
        example=("x.flip(1)", "x.flip(0, 1)", "x.flip([0])", "x.flip(dims=(-1,))"),
    ),
    *with_method(
        Rule("torch.fliplr(input)", "ops.fliplr(input)", example="torch.fliplr(x)"), fluent=True
    ),
    *with_method(
        Rule("torch.flipud(input)", "ops.flipud(input)", example="torch.flipud(x)"), fluent=True
    ),
    *with_method(
        Rule(
            "torch.rot90(input, k=1, dims=(0, 1))",
            "ops.rot90(input, always(k), always(dims))",
            note="MindSpore has no defaults: they are always written out.",
            example=("torch.rot90(x)", "torch.rot90(a, -1, [1, 2])"),
        )
    ),
)

NAMES_IN_PLACE = (
    "t squeeze unsqueeze transpose swapaxes swapdims as_strided"  # others keep the shape
).split()


def in_place(rows: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rows of the methods `NAME_` that reshape their Tensor."""
    names = {f"torch.Tensor.{name}" for name in NAMES_IN_PLACE}
    return tuple(inplace_of(rule) for rule in rows if rule.name in names)


def copies(rows: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rows of torch's `NAME_copy`, which differ from views in nothing here."""
    names = "t squeeze unsqueeze transpose permute narrow select as_strided unbind".split()
    return tuple(
        copied
        for rule in rows
        if rule.name.startswith("torch.") and rule.name.removeprefix("torch.") in names
        for copied in renamed(rule, f"{rule.name}_copy")
    )


RULES = (
    *VIEWS,
    *in_place(VIEWS),
    *copies((*VIEWS, *SPLITS)),
    method_of(next(row for row in copies(VIEWS) if row.name == "torch.narrow_copy")),
    *REPEATS,
    *JOINS,
    *SPLITS,
    *LIKE_SPLITS,
    *ORDERS,
)
