"""torch.Tensor as a class, and torch.FloatTensor and its kin; torch.device and torch.Size."""

from ..families import missing
from ..rule import Rule

TYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "CharTensor": "int8",
    "ByteTensor": "uint8",
    "BoolTensor": "bool_",
}
"""PyTorch's old names of tensors of one element type."""

ON_DEVICE = "MindSpore places tensors itself, on the device that ms.set_device chose."
NAMED = "MindSpore chooses one device for the process, by ms.set_device: a device is but its name."


def legacy(name: str, dtype: str) -> tuple[Rule, ...]:
    """A tensor of one element type: the class, from values, of a shape, and from either."""
    note = ON_DEVICE if ".cuda." in name else ""
    written_out = f"{note} The element type is written out.".strip()
    of_all = "" if name == "torch.Tensor" else "As a class it is that of all tensors."
    values = "[True, False]" if dtype == "bool_" else "[[1, 2], [3, 4]]"
    return (
        Rule(
            name,
            "ms.Tensor",
            note=f"{note} {of_all}".strip(),
            returns="other",
            example=f"isinstance(x, {name})",
            check="runs",
        ),
        Rule(
            f"{name}(data, *, device=None)",
            f"ms.Tensor(data, ms.{dtype})",
            kinds={"data": "display|list|numpy|tensor"},
            note=written_out,
            example=(f"{name}({values})", f"{name}(({values}))"),
            check="alone" if note else "value",
        ),
        Rule(
            f"{name}(*, device=None)",
            f"ms.Tensor([], ms.{dtype})",
            note=written_out,
            example=f"{name}()",
            check="alone" if note else "value",
        ),
        Rule(
            f"{name}(*size, device=None)",
            f"ops.zeros(size, ms.{dtype})",
            kinds={"size": "shape|int"},
            note=(f"{note} " if note else "") + "MindSpore fills it with zeros.",
            example=(f"{name}(2, 3)", f"{name}(4)", f"{name}(x.shape)", f"{name}(*(2, 3))"),
            check="alone" if note else "dtype",
        ),
        Rule(
            f"{name}(data, *, device=None)",
            f"compat.tensor_of(data, ms.{dtype})",
            note=written_out,
            example=f"{name}(4 if True else [])",
            check="alone" if note else "dtype",
        ),
    )


DEVICES = (
    Rule("torch.device", "str", note=NAMED, returns="other", example="isinstance(3, torch.device)"),
    Rule(
        "torch.device(type)",
        "type",
        note=NAMED,
        returns="device",
        example='torch.device("cuda" if False else "cpu")',
        check="runs",
    ),
    Rule(
        "torch.device(type, index)",
        '":".join((type, str(index)))',
        note=NAMED,
        returns="device",
        example='torch.device("cuda", 0)',
        check="runs",
    ),
    Rule(
        "torch.device.type",
        'self.partition(":")[0].lower()',
        note=NAMED,
        returns="str",
        example="it = x.device\nit.type",
    ),
    Rule(
        "torch.device.index",
        'int(self.partition(":")[2] or 0)',
        note=NAMED,
        returns="int",
        example='it = torch.device("cuda", 1)\nit.index',
    ),
)

SHAPES = (
    Rule("torch.Size", "tuple", returns="other", example="isinstance(x.shape, torch.Size)"),
    Rule("torch.Size(sizes=())", "tuple(sizes)", returns="shape", example="torch.Size([2, 3])"),
    Rule(
        "torch.Size.numel(self)",
        "int(np.prod(self))",
        returns="int",
        example="it = x.shape\nit.numel()",
    ),
)

RULES = (
    *legacy("torch.Tensor", "float32"),
    *(
        rule
        for module in ("torch", "torch.cuda")
        for name, dtype in TYPES.items()
        for rule in legacy(f"{module}.{name}", dtype)
    ),
    *(DEVICES + SHAPES),
    *missing("the attributes of dtype are x.dtype's: itemsize, is_floating_point", "torch.layout"),
)
