"""Extremes, order, search and counts: torch's functions, and methods."""

from ..families import with_method
from ..rule import Rule

NANS = "Where there are NaNs, PyTorch gives NaN; MindSpore's CPU kernels compare them as they come."
BOOL = "of bool it has no extreme: use any(), all()"


def undecided(name: str) -> tuple[Rule, ...]:
    """The rows where it is not known whether an axis or another tensor is given."""
    return (
        Rule(
            f"torch.{name}(input, dim, keepdim, *, out=None)",
            f"ops.{name}(input, dim, keepdims=keepdim)",
            mint=f"mint.{name}(input, dim, keepdim=keepdim)",
            note=NANS,
            limit=BOOL,
            returns="tensors",
            example=(
                f"axis = [1][0]\ntorch.{name}(x, axis, True)",
                f"torch.{name}(x, 1 if len(x) else 0, keepdim=False)",
            ),
        ),
        Rule(
            f"torch.{name}(input, other, *, out=None)",
            f"compat.{name}_of(input, other)",
            note=NANS + " What the second argument is, is seen when the code runs.",
            limit=BOOL,
            example=(
                f"torch.{name}(x, 1 if len(x) else 0)",
                f"torch.{name}(x, y if len(x) else 0)",
                f"torch.{name}(x, other=y if len(x) else x)",
            ),
        ),
    )


def extreme(name: str) -> tuple[Rule, ...]:
    """torch.max or torch.min, with three overloads."""
    return (
        *with_method(
            Rule(
                f"torch.{name}(input, *, out=None)",
                f"input.{name}()",
                mint=f"mint.{name}(input)",
                note=NANS,
                limit=BOOL,
                example=(f"torch.{name}(x)", f"torch.{name}(i)", f"torch.{name}(s)"),
            )
        ),
        *with_method(
            Rule(
                f"torch.{name}(input, dim, keepdim=False, *, out=None)",
                f"ops.{name}(input, dim, keepdims=keepdim)",
                mint=f"mint.{name}(input, dim, keepdim=keepdim)",
                kinds={"dim": "int"},
                note=NANS,
                limit=BOOL,
                returns="tensors",
                example=(
                    f"torch.{name}(x, 1)",
                    f"torch.{name}(i, dim=0)",
                    f"torch.{name}(x, -1, True)",
                ),
            ),
            f"self.{name}(dim, keepdim=keepdim)",
        ),
        *with_method(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"ops.{name}imum(input, other)",
                mint=f"mint.{name}imum(input, other)",
                kinds={"other": "tensor"},
                note=NANS,
                example=(f"torch.{name}(x, y)", f"torch.{name}(x, other=s)"),
            )
        ),
        *undecided(name),
        Rule(
            f"torch.{name}(input, *, dim, keepdim=False, out=None)",
            f"ops.{name}(input, dim, keepdims=keepdim)",
            mint=f"mint.{name}(input, dim, keepdim=keepdim)",
            note=NANS,
            limit=BOOL,
            returns="tensors",
            example=f"torch.{name}(x, dim=1, keepdim=True)",
        ),
        Rule(
            f"torch.Tensor.{name}(self, dim, keepdim=False)",
            f"self.{name}(dim, keepdim=keepdim)",
            note=NANS,
            limit=f"an argument that turns out to be a Tensor: ops.{name}imum(x, y)",
            returns="tensors",
            example=f"x.{name}(dim=1, keepdim=True)",
        ),
        *with_method(
            Rule(
                f"torch.a{name}(input, dim=(), keepdim=False, *, out=None)",
                f"ops.a{name}(input, axes(dim), keepdims=keepdim)",
                mint=f"mint.a{name}(input, dim, keepdim=keepdim)",
                note=NANS,
                limit=BOOL,
                example=(
                    f"torch.a{name}(x)",
                    f"torch.a{name}(i, -1)",
                    f"torch.a{name}(a, dim=(0, 2), keepdim=True)",
                    f"torch.a{name}(a, [0, 2])",
                ),
            ),
            fluent=True,
        ),
    )


def kept(name: str) -> tuple[Rule, ...]:
    """The rows of the place of an extreme in all of a tensor, with its axes kept, each of one."""
    flat = "(input)" if name == "argmax" else "(input).astype(ms.int64)"
    return tuple(
        row
        for arguments, example in (("*, keepdim", "keepdim=True"), ("dim, keepdim", "None, True"))
        for row in with_method(
            Rule(
                f"torch.{name}(input, {arguments})",
                f"ops.{name}{flat}.reshape((1,) * input.ndim)",
                kinds={"dim": "none", "keepdim": "True"}
                if "dim, " in arguments
                else {"keepdim": "True"},
                drop=("dim", "keepdim") if "dim, " in arguments else ("keepdim",),
                note=NANS if name == "argmax" else "",
                example=f"torch.{name}(x, {example})",
            )
        )
    )


EXTREMES = (
    *extreme("max"),
    *extreme("min"),
    *kept("argmax"),
    *with_method(
        Rule(
            "torch.argmax(input, dim=None, keepdim=False)",
            "ops.argmax(input, dim, keepdim=keepdim)",
            mint="mint.argmax(input, dim, keepdim=keepdim)",
            note=NANS,
            example=("torch.argmax(x)", "torch.argmax(i, dim=1)", "torch.argmax(x, -1, True)"),
        ),
        fluent=True,
    ),
    *kept("argmin"),
    *with_method(
        Rule(
            "torch.argmin(input, dim=None, keepdim=False)",
            "ops.argmin(input, dim, keepdims=keepdim).astype(ms.int64)",
            mint="mint.argmin(input, dim, keepdim=keepdim)",
            example=("torch.argmin(x)", "torch.argmin(x, dim=1)", "torch.argmin(x, -1, True)"),
        ),
        "self.argmin(dim, keepdim).astype(ms.int64)",
    ),
    *with_method(
        Rule(
            "torch.aminmax(input)",
            "(input.min(), input.max())",
            returns="tensors",
            example="torch.aminmax(x)",
        )
    ),
    *with_method(
        Rule(
            "torch.aminmax(input, *, dim, keepdim=False, out=None)",
            "ops.aminmax(input, axis=dim, keepdims=keepdim)",
            note=NANS,
            returns="tensors",
            example=("torch.aminmax(x, dim=1)", "torch.aminmax(x, dim=0, keepdim=True)"),
        )
    ),
    *with_method(
        Rule(
            "torch.cummax(input, dim, *, out=None)",
            "ops.cummax(input, dim)",
            mint="mint.cummax(input, dim)",
            limit="its gradient on the CPU",
            returns="tensors",
            example=("torch.cummax(x, 1)", "torch.cummax(i, dim=-1)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.cummin(input, dim, *, out=None)",
            "compat.cummin(input, dim)",
            mint="mint.cummin(input, dim)",
            limit="its gradient on the CPU",
            returns="tensors",
            example=("torch.cummin(x, 1)", "torch.cummin(i, dim=-1)"),
        )
    ),
)

UNORDERED = "MindSpore's CPU kernels leave NaNs anywhere; to PyTorch they are the largest."
UNSORTED = "of bool it has no order: use x.int()"
ORDER = (
    *with_method(
        Rule(
            "torch.sort(input, dim=-1, descending=False, stable=False, *, out=None)",
            "compat.sort(input, dim, descending)",
            mint="mint.sort(input, dim=dim, descending=descending, stable=stable)",
            drop=("stable",),
            note=UNORDERED,
            limit=UNSORTED,
            returns="tensors",
            example=(
                "torch.sort(x)",
                "torch.sort(x, 0, True)",
                "torch.sort(x, dim=1, descending=True)",
                "torch.sort(i, stable=True, dim=0)",
            ),
        )
    ),
    *with_method(
        Rule(
            "torch.argsort(input, dim=-1, descending=False, stable=False)",
            "ops.argsort(input, dim, descending).astype(ms.int64)",
            mint="mint.argsort(input, dim, descending, stable)",
            drop=("stable",),
            note=UNORDERED,
            limit=UNSORTED,
            example=(
                "torch.argsort(x)",
                "torch.argsort(x, descending=True)",
                "torch.argsort(i, dim=0, stable=True)",
            ),
        ),
        "self.argsort(dim, descending).astype(ms.int64)",
    ),
    *with_method(
        Rule("torch.msort(input, *, out=None)", "ops.msort(input)", example="torch.msort(x)")
    ),
    *with_method(
        Rule(
            "torch.topk(input, k, dim=-1, largest=True, sorted=True, *, out=None)",
            "compat.topk(input, k, dim, largest, sorted)",
            mint="mint.topk(input, k, dim, largest, sorted)",
            note=UNORDERED,
            returns="tensors",
            example=(
                "torch.topk(x, 2)",
                "torch.topk(x, k=2, dim=0, largest=False)",
                "torch.topk(d, 3, sorted=True)",
            ),
        )
    ),
    *with_method(
        Rule(
            "torch.kthvalue(input, k, dim=-1, keepdim=False, *, out=None)",
            "compat.kthvalue(input, k, dim, keepdim)",
            returns="tensors",
            example=("torch.kthvalue(x, 2)", "torch.kthvalue(x, k=3, dim=0, keepdim=True)"),
        )
    ),
    *with_method(
        Rule(
            "torch.median(input)",
            "ops.median(input.flatten())[0]",
            limit="float32, float64, int32 and int64 only: use x.float()",
            mint="mint.median(input)",
            example="torch.median(x)",
        )
    ),
    *with_method(
        Rule(
            "torch.median(input, dim=-1, keepdim=False, *, out=None)",
            "ops.median(input, dim, keepdims=keepdim)",
            limit="float32, float64, int32 and int64 only: use x.float()",
            mint="mint.median(input, dim, keepdim=keepdim)",
            returns="tensors",
            example=("torch.median(x, 1)", "torch.median(i, dim=0, keepdim=True)"),
        )
    ),
    *with_method(
        Rule(
            "torch.nanmedian(input)",
            "ops.nanmedian(input.flatten())[0]",
            limit="float32, float64, int32 and int64 only: use x.float()",
            example="torch.nanmedian(nans)",
        )
    ),
    *with_method(
        Rule(
            "torch.nanmedian(input, dim=-1, keepdim=False, *, out=None)",
            "ops.nanmedian(input, dim, keepdims=keepdim)",
            limit="float32, float64, int32 and int64 only: use x.float()",
            returns="tensors",
            example=("torch.nanmedian(nans, 1)", "torch.nanmedian(x, dim=0, keepdim=True)"),
        )
    ),
    *with_method(
        Rule(
            "torch.mode(input, dim=-1, keepdim=False, *, out=None)",
            "compat.mode(input, dim, keepdim)",
            returns="tensors",
            example=("torch.mode(j)", "torch.mode(j, 0, True)"),
        )
    ),
    *with_method(
        Rule(
            "torch.quantile(input, q, dim=None, keepdim=False, *, "
            'interpolation="linear", out=None)',
            "compat.quantile(input, q, dim, keepdim, interpolation)",
            example=(
                "torch.quantile(x, 0.3)",
                "torch.quantile(x, 0.25, dim=1, keepdim=True)",
                "torch.quantile(x, u[0], 0)",
                'torch.quantile(x, 0.4, interpolation="lower")',
            ),
        )
    ),
    *with_method(
        Rule(
            "torch.nanquantile(input, q, dim=None, keepdim=False, *, "
            'interpolation="linear", out=None)',
            "compat.nanquantile(input, q, dim, keepdim, interpolation)",
            example=("torch.nanquantile(nans, 0.3, 1)", "torch.nanquantile(nans[:, 1:3], 0.5)"),
        )
    ),
)

SEARCH = (
    Rule(
        "torch.searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, "
        "out=None, sorter=None)",
        "compat.searchsorted(sorted_sequence, input, right, side, out_int32)",
        reject={"sorter": "sort the sequence first: sequence.gather(-1, sorter)"},
        example=(
            "torch.searchsorted(v.sort()[0], x)",
            'torch.searchsorted(v.sort()[0], x, side="right", out_int32=True)',
            "torch.searchsorted(v.sort()[0], 0.5)",
        ),
    ),
    Rule(
        "torch.bucketize(input, boundaries, *, out_int32=False, right=False, out=None)",
        "compat.searchsorted(boundaries, input, right, None, out_int32)",
        mint="mint.searchsorted(boundaries, input, out_int32=out_int32, right=right)",
        example=(
            "torch.bucketize(x, v.sort()[0])",
            "torch.bucketize(x, boundaries=v.sort()[0], right=True)",
        ),
    ),
)

COUNTS = (
    *with_method(
        Rule(
            "torch.count_nonzero(input, dim=None)",
            "(input != 0).sum(dim)",
            mint="mint.count_nonzero(input, dim)",
            example=("torch.count_nonzero(i)", "torch.count_nonzero(b, dim=1)"),
        )
    ),
    *with_method(
        Rule(
            "torch.bincount(input, *, minlength=0)",
            "ops.bincount(input, minlength=minlength).astype(ms.int64)",
            mint="mint.bincount(input, minlength=minlength)",
            example=("torch.bincount(order)", "torch.bincount(order, minlength=8)"),
        )
    ),
    *with_method(
        Rule(
            "torch.bincount(input, weights=None, minlength=0)",
            "ops.bincount(input, weights, minlength)",
            mint="mint.bincount(input, weights, minlength)",
            note="MindSpore gives float32, PyTorch float64 for weights of float64 or integers.",
            example="torch.bincount(order, v[:3], 5)",
        )
    ),
    *with_method(
        Rule(
            "torch.histc(input, bins=100, min=0, max=0, *, out=None)",
            "ops.histc(input, bins, min, max)",
            mint="mint.histc(input, bins, min, max)",
            note="MindSpore counts in float32, and takes no float64.",
            example=("torch.histc(x, 4)", "torch.histc(x, bins=4, min=-1.0, max=1.0)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.histogram(input, bins, *, range=None, weight=None, density=False, out=None)",
            "ms.numpy.histogram(input, bins, range=range, weights=weight, density=density)",
            note="MindSpore gives float32.",
            returns="tensors",
            example=(
                "torch.histogram(x, 4)",
                "torch.histogram(x, 4, range=(-1.0, 1.0), density=True)",
                "torch.histogram(x, bins=4, weight=p)",
            ),
        )
    ),
    Rule(
        "torch.histogramdd(input, bins, *, range=None, weight=None, density=False)",
        "ms.numpy.histogramdd(input, bins, range=range, weights=weight, density=density)",
        note="MindSpore gives float32.",
        returns="tensors",
        example="torch.histogramdd(x[:, :2], [3, 2])",
    ),
    *with_method(
        Rule(
            "torch.unique(input, sorted=True, *, dim=None)",
            "compat.unique(input, axis=dim)",
            mint="mint.unique(input, dim=dim)",
            drop=("sorted",),
            example=("torch.unique(j)", "torch.unique(b)", "torch.unique(j, dim=1)"),
        )
    ),
    *with_method(
        Rule(
            "torch.unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)",
            "compat.unique(input, return_inverse, return_counts, dim)",
            mint="mint.unique(input, sorted, return_inverse, return_counts, dim)",
            drop=("sorted",),
            returns="tensors",
            example=(
                "torch.unique(j, return_inverse=True)",
                "torch.unique(j, return_counts=True)",
                "torch.unique(j, return_inverse=True, return_counts=True, dim=0)",
            ),
        )
    ),
    *with_method(
        Rule(
            "torch.unique_consecutive(input, *, dim=None)",
            "ops.unique_consecutive(input, dim=dim)",
            mint="mint.unique_consecutive(input, dim=dim)",
            example=("torch.unique_consecutive(j)", "torch.unique_consecutive(j, dim=1)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)",
            "ops.unique_consecutive(input, return_inverse, return_counts, dim)",
            mint="mint.unique_consecutive(input, return_inverse, return_counts, dim)",
            returns="tensors",
            example=(
                "torch.unique_consecutive(j, return_inverse=True)",
                "torch.unique_consecutive(j, return_inverse=True, return_counts=True, dim=0)",
            ),
        ),
        fluent=True,
    ),
)

RULES = (*EXTREMES, *ORDER, *SEARCH, *COUNTS)
