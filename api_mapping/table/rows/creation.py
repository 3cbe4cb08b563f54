"""torch and torch.Tensor: tensors from values, shapes and other tensors."""

from ..families import missing, typed
from ..rule import Rule

WHERE = "layout=torch.strided, device=None, pin_memory=False, requires_grad=False"
OPTIONS = f"out=None, dtype=None, {WHERE}"
LIKE = f"dtype=None, {WHERE}, memory_format=torch.preserve_format"
LISTS = (
    "Of a list of numpy's values MindSpore makes float32 or int64, of complex numbers complex128:"
    " give dtype."
)
NOT_EMPTY = "MindSpore fills it with zeros."
NO_SCALAR = "MindSpore's CPU kernel takes no empty shape without an element type."
ONE_KIND_OF_STRIDES = "MindSpore lays tensors out row by row: give the shape alone, torch.empty"


def of_shape(name: str, target: str, note: str = "") -> Rule:
    """`torch.zeros` and its kin: a shape, as numbers or as one tuple, and an element type."""
    return Rule(
        f"torch.{name}(*size, {OPTIONS})",
        f"ops.{target}(size, dtype=dtype)",
        mint=f"mint.{name}(size, dtype=dtype)",
        note=note,
        limit="MindSpore's CPU kernel makes no scalar of an empty shape that a name holds.",
        example=(
            f"torch.{name}(2, 3)",
            f"torch.{name}((2, 3), dtype=torch.int64)",
            f"torch.{name}(4, dtype=x.dtype, device=x.device)",
            f"torch.{name}(x.shape)",
        ),
        check="dtype" if note else "value",
    )


def of_no_axis(name: str, value: str, note: str = NO_SCALAR) -> Rule:
    """`torch.zeros(())` and its kin: a scalar, which MindSpore's CPU kernel makes of no default."""
    return Rule(
        f"torch.{name}(size, *, out=None, {WHERE})",
        f"ms.tensor({value})",
        drop=("size",),
        kinds={"size": "()"},
        note=note,
        example=(f"torch.{name}(())", f"torch.{name}([], device=x.device)"),
        check="dtype" if note is NOT_EMPTY else "value",
    )


def like(name: str, target: str, note: str = "") -> Rule:
    """`torch.zeros_like` and its kin."""
    return Rule(
        f"torch.{name}(input, *, {LIKE})",
        f"ops.{target}(input, dtype=dtype)",
        mint=f"mint.{name}(input, dtype=dtype)",
        note=note,
        example=(f"torch.{name}(i)", f"torch.{name}(x, dtype=torch.bool)", f"torch.{name}(h)"),
        check="dtype" if note else "value",
    )


def new(name: str, target: str, note: str = "") -> Rule:
    """`new_zeros` and its kin: of the receiver's element type, if no other is given."""
    return Rule(
        f"torch.Tensor.{name}(self, *size, dtype=None, {WHERE})",
        f"self.{target}(size, dtype=dtype)",
        note=note,
        example=(f"i.{name}(2, 3)", f"x.{name}((2, 3), dtype=torch.int64)", f"h.{name}(i.shape)"),
        check="dtype" if note else "value",
    )


OF_VALUES = (
    Rule(
        "torch.tensor(data, *, dtype, device=None, requires_grad=False, pin_memory=False)",
        "ops.stop_gradient(data.copy()).astype(dtype)",
        kinds={"data": "tensor", "dtype": "dtype"},
        example="torch.tensor(x, dtype=torch.float64)",
    ),
    Rule(
        "torch.tensor(data, *, device=None, requires_grad=False, pin_memory=False)",
        "ops.stop_gradient(data.copy())",
        kinds={"data": "tensor"},
        example="torch.tensor(x)",
    ),
    Rule(
        "torch.tensor(data, *, dtype, device=None, requires_grad=False, pin_memory=False)",
        "ms.tensor(data, dtype=dtype)",
        kinds={"dtype": "dtype"},
        example=(
            "torch.tensor([1, 2], dtype=torch.float16)",
            "torch.tensor([], dtype=torch.long)",
            "torch.tensor([np.float64(3)], dtype=torch.float64, device=x.device)",
        ),
    ),
    Rule(
        "torch.tensor(data, *, device=None, requires_grad=False, pin_memory=False)",
        "ms.tensor(data)",
        kinds={"data": "literal|int|float|bool|number|numpy|shape"},
        example=(
            "torch.tensor([[1, 2], [3, 4]])",
            "torch.tensor(0.5)",
            "torch.tensor([True, False], device=x.device)",
            "torch.tensor(x.shape)",
        ),
    ),
    Rule(
        "torch.tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)",
        "ms.tensor(data, dtype=dtype)",
        note=LISTS,
        limit="No range and no other iterator: make a list of it.",
        example=("torch.tensor([x[0, 0], x[0, 1]])", "torch.tensor([[0.5], [1]], dtype=None)"),
    ),
    Rule(
        "torch.as_tensor(data, dtype=None, device=None)",
        "ms.tensor(data, dtype=dtype)",
        note=f"The memory of a numpy array is not shared but copied. {LISTS}",
        example=(
            "torch.as_tensor([1.5, 2])",
            "torch.as_tensor(x)",
            "torch.as_tensor(i, dtype=torch.float32)",
        ),
    ),
    Rule(
        "torch.asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False)",
        "ms.tensor(obj, dtype=dtype)",
        note=f"The memory of a numpy array is not shared but copied. {LISTS}",
        reject={"copy": "copy it yourself: .copy()"},
        example=("torch.asarray([1.5, 2])", "torch.asarray(i, dtype=torch.float32)"),
    ),
    *typed(
        "torch.scalar_tensor(s, *, TYPED, device=None, layout=None, pin_memory=False)",
        "ms.tensor(s, dtype=TYPED)",
        "ms.float32",
        "torch.scalar_tensor(3)",
        "torch.scalar_tensor(3, dtype=torch.int64)",
    ),
    Rule(
        "torch.from_numpy(ndarray)",
        "ms.from_numpy(ndarray)",
        example="torch.from_numpy(np.arange(6).reshape(2, 3))",
    ),
    Rule(
        "torch.frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False)",
        "ms.frombuffer(buffer, dtype, count, offset)",
        example=(
            'torch.frombuffer(b"abcdefgh", dtype=torch.uint8)',
            'torch.frombuffer(b"abcdefgh", dtype=torch.uint8, count=3, offset=1)',
        ),
    ),
    Rule(
        "torch.from_dlpack(ext_tensor)",
        "ms.from_dlpack(ext_tensor)",
        note="It takes a capsule, as ms.to_dlpack makes it, no array.",
        example="torch.from_dlpack(torch.to_dlpack(x))",
    ),
    Rule(
        "torch.to_dlpack(tensor)",
        "ms.to_dlpack(tensor)",
        returns="other",
        example="torch.to_dlpack(x)",
        check="runs",
    ),
    *typed(
        f"torch.Tensor.new_tensor(self, data, *, TYPED, {WHERE})",
        "ms.tensor(data, dtype=TYPED)",
        "self.dtype",
        "h.new_tensor([1, 2])",
        "x.new_tensor([1, 2], dtype=torch.int64)",
    ),
)

OF_SHAPE = (
    of_no_axis("zeros", "0.0"),
    of_no_axis("ones", "1.0"),
    of_no_axis("empty", "0.0", NOT_EMPTY),
    of_shape("zeros", "zeros"),
    of_shape("ones", "ones"),
    of_shape("empty", "zeros", NOT_EMPTY),
    like("zeros_like", "zeros_like"),
    like("ones_like", "ones_like"),
    like("empty_like", "zeros_like", NOT_EMPTY),
    new("new_zeros", "new_zeros"),
    new("new_ones", "new_ones"),
    new("new_empty", "new_zeros", NOT_EMPTY),
    *missing(
        ONE_KIND_OF_STRIDES,
        f"torch.empty_strided(size, stride, *, {OPTIONS})",
        f"torch.empty_permuted(size, physical_layout, *, {OPTIONS})",
        f"torch.Tensor.new_empty_strided(self, size, stride, dtype=None, {WHERE})",
    ),
)

FULL = (
    Rule(
        f"torch.full(size, fill_value, *, dtype, out=None, {WHERE})",
        "ops.full(size, fill_value, dtype=dtype)",
        mint="mint.full(size, fill_value, dtype=dtype)",
        kinds={"dtype": "dtype"},
        example=(
            "torch.full((2, 3), 7, dtype=torch.float32)",
            "torch.full([2], 1, dtype=torch.bool)",
            "torch.full(size=x.shape, fill_value=2.5, dtype=x.dtype, device=x.device)",
        ),
    ),
    *(
        Rule(
            f"torch.full(size, fill_value, *, out=None, {WHERE})",
            f"ops.full(size, fill_value, dtype=ms.{dtype})",
            mint=f"mint.full(size, fill_value, dtype=ms.{dtype})",
            kinds={"fill_value": kind},
            note="MindSpore fills with integers if no element type is given.",
            example=f"torch.full((2, 3), {value})",
        )
        for kind, dtype, value in (
            ("float", "float32", "-0.5"),
            ("int", "int64", "7"),
            ("bool", "bool_", "True"),
        )
    ),
    Rule(
        f"torch.full(size, fill_value, *, out=None, {WHERE})",
        "ops.full(size, fill_value, dtype=ms.tensor(fill_value).dtype)",
        example='torch.full((2, 3), float("-inf"))',
    ),
    Rule(
        f"torch.full(size, fill_value, *, dtype=None, out=None, {WHERE})",
        "ops.full(size, fill_value, dtype=dtype or ms.tensor(fill_value).dtype)",
        example="torch.full((2,), i[0, 0], dtype=None)",
    ),
    Rule(
        f"torch.full_like(input, fill_value, *, {LIKE})",
        "ops.full_like(input, fill_value, dtype=dtype)",
        mint="mint.full_like(input, fill_value, dtype=dtype)",
        example=(
            "torch.full_like(x, 2)",
            "torch.full_like(i, 2.5)",
            'torch.full_like(i, float("-inf"), dtype=torch.float16)',
        ),
    ),
    *typed(
        f"torch.Tensor.new_full(self, size, fill_value, *, TYPED, {WHERE})",
        "ops.full(size, fill_value, dtype=TYPED)",
        "self.dtype",
        "i.new_full((2, 3), 2.5)",
        "x.new_full((2,), 1, dtype=torch.int64)",
    ),
)

SEQUENCES = (
    Rule(
        f"torch.arange(end, *, {OPTIONS})",
        "ops.arange(end, dtype=dtype)",
        mint="mint.arange(end, dtype=dtype)",
        example=(
            "torch.arange(5)",
            "torch.arange(x.shape[1], device=x.device)",
            "torch.arange(4.5)",
            "torch.arange(5, dtype=torch.float32)",
            "torch.arange(end=3)",
        ),
    ),
    Rule(
        f"torch.arange(start, end, step=1, *, {OPTIONS})",
        "ops.arange(start, end, step, dtype=dtype)",
        mint="mint.arange(start, end, step, dtype=dtype)",
        example=(
            "torch.arange(1, 5)",
            "torch.arange(5, 0, -2)",
            "torch.arange(0, 1, 0.1)",
            "torch.arange(start=0, end=8, step=2, dtype=torch.int32)",
        ),
    ),
    Rule(
        f"torch.range(start, end, step=1, *, out=None, {WHERE})",
        "(start + step * ops.arange((end - start) // step + 1)).astype(ms.float32)",
        example=("torch.range(0, 4)", "torch.range(0.5, 4, 0.5)"),
    ),
    Rule(
        f"torch.linspace(start, end, steps, *, out=None, {WHERE})",
        "ops.linspace(start, end, steps)",
        mint="mint.linspace(start, end, steps)",
        example=("torch.linspace(0, 1, 5)", "torch.linspace(-1, 3.5, steps=4, device=x.device)"),
    ),
    Rule(
        f"torch.linspace(start, end, steps, *, dtype, out=None, {WHERE})",
        "ops.linspace(start, end, steps).astype(dtype)",
        mint="mint.linspace(start, end, steps, dtype=dtype)",
        example="torch.linspace(0, 1, 5, dtype=torch.float64)",
    ),
    Rule(
        f"torch.logspace(start, end, steps, base=10.0, *, {OPTIONS})",
        "ms.numpy.logspace(start, end, steps, base=base, dtype=dtype)",
        example=("torch.logspace(0, 2, 5)", "torch.logspace(0.5, 2, 5, 2.5, dtype=torch.float64)"),
    ),
    Rule(
        f"torch.eye(n, m=None, *, {OPTIONS})",
        "ops.eye(n, m, dtype)",
        mint="mint.eye(n, m, dtype=dtype)",
        example=("torch.eye(3)", "torch.eye(3, 4)", "torch.eye(3, dtype=torch.bool)"),
    ),
)

SIZES = ("size0, size1", "size0, size1, size2", "size0, size1, size2, size3")
OF_KIND = (
    *(
        Rule(
            f"torch.Tensor.new(self, {sizes})",
            f"ops.zeros(({sizes}), dtype=self.dtype)",
            note=NOT_EMPTY,
            returns="tensor",
            check="dtype",
            example=f"x.new({', '.join('2345'[: sizes.count(',') + 1])})",
        )
        for sizes in SIZES
    ),
    Rule(
        "torch.Tensor.new(self, size)",
        "ops.zeros(size, dtype=self.dtype)",
        kinds={"size": "int"},
        note=NOT_EMPTY,
        returns="tensor",
        check="dtype",
        example="x.new(3)",
    ),
)

ELSEWHERE = (
    *missing(
        "np.memmap reads the file: ms.from_numpy(np.memmap(...))",
        f"torch.from_file(filename, shared=None, size=0, *, dtype=None, {WHERE})",
    ),
    *missing(
        "name the class: ms.tensor(data, dtype=x.dtype), or ops.zeros(size, dtype=x.dtype)",
        "torch.Tensor.new(self, *args)",
    ),
)

RULES = OF_VALUES + OF_SHAPE + FULL + SEQUENCES + OF_KIND + ELSEWHERE
