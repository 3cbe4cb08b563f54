"""torch.Tensor: to other element types, devices, numpy and Python; copies; writing in place."""

from ..families import missing
from ..rule import Rule
from .legacy_tensors import TYPES

PLACED = "MindSpore places tensors itself, on the device that ms.set_device chose."
NO_METHOD = "MindSpore has no method for this type: it is written out."
MOVE = "non_blocking=False, copy=False"
FORMAT = "memory_format=torch.preserve_format"


def cast(name: str, target: str, note: str = "") -> Rule:
    """A method named after an element type."""
    return Rule(
        f"torch.Tensor.{name}(self, {FORMAT})",
        target,
        note=note,
        example=(f"x.{name}()", f"i.{name}()", f"b.{name}()"),
    )


def placed(name: str, parameters: str = "") -> Rule:
    """A move to a device."""
    return Rule(
        f"torch.Tensor.{name}(self{parameters}, {FORMAT})",
        "self",
        note=PLACED,
        example=f"x.{name}()",
        check="value" if name == "cpu" else "alone",
    )


TO = (
    Rule(
        f"torch.Tensor.to(self, *, dtype, device=None, {MOVE}, {FORMAT})",
        "self.to(dtype)",
        example=("x.to(dtype=torch.float16)", "i.to(device=x.device, dtype=x.dtype)"),
    ),
    Rule(
        f"torch.Tensor.to(self, device, *, dtype, {MOVE}, {FORMAT})",
        "self.to(dtype)",
        example='x.to("cpu", dtype=torch.int64, non_blocking=True)',
    ),
    Rule(
        f"torch.Tensor.to(self, *, device, {MOVE}, {FORMAT})",
        "self",
        note=PLACED,
        example="x.to(device=torch.device('cpu'), non_blocking=True)",
    ),
    Rule(
        f"torch.Tensor.to(self, dtype, {MOVE}, *, {FORMAT})",
        "self.to(dtype)",
        kinds={"dtype": "dtype"},
        example=("x.to(torch.float64)", "i.to(x.dtype)", "x.to(torch.bool)"),
    ),
    Rule(
        f"torch.Tensor.to(self, device, dtype, {MOVE}, *, {FORMAT})",
        "self.to(dtype)",
        kinds={"dtype": "dtype"},
        example='x.to("cpu", torch.float64)',
    ),
    Rule(
        f"torch.Tensor.to(self, device=None, {MOVE}, *, {FORMAT})",
        "self",
        kinds={"device": "device|str|int|none"},
        note=PLACED,
        example=('x.to("cpu")', "x.to(x.device, non_blocking=True)", 'x.to(torch.device("cpu"))'),
    ),
    Rule(
        f"torch.Tensor.to(self, other, {MOVE}, *, {FORMAT})",
        "self.to(other.dtype)",
        note="MindSpore takes a type, no tensor.",
        kinds={"other": "tensor"},
        example="x.to(i)",
    ),
    Rule(
        f"torch.Tensor.to(self, *args, {FORMAT})",
        "compat.to(self, spread(args))",
        example=("x.to(torch.int32 if True else 'cpu')", "x.to(*('cpu', torch.int8))"),
    ),
)

CASTS = (
    *(
        cast(name, f"self.{name}()")
        for name in "float double half bfloat16 long int short byte bool".split()
    ),
    cast("char", "self.astype(ms.int8)", NO_METHOD),
    cast("cfloat", "self.astype(ms.complex64)", NO_METHOD),
    cast("cdouble", "self.astype(ms.complex128)", NO_METHOD),
    *missing("the narrowest complex type is ms.complex64", "torch.Tensor.chalf(self)"),
    Rule(
        "torch.Tensor.type(self, dtype, non_blocking=False)",
        "self.type(dtype)",
        kinds={"dtype": "dtype"},
        example=("x.type(torch.int64)", "x.type(i.dtype)"),
    ),
    *(
        Rule(
            "torch.Tensor.type(self, dtype, non_blocking=False)",
            f"self.type(ms.{dtype})",
            kinds={"dtype": kind},
            drop=("dtype",),
            note="MindSpore takes an element type.",
            example=f"x.type({example})",
            check="alone" if "cuda" in example else "value",
        )
        for name, dtype in TYPES.items()
        for kind, example in (
            (f"torch.{name}|torch.cuda.{name}", f"torch.{name}"),
            (f"'torch.{name}'", f'"torch.{name}"'),
            (f"'torch.cuda.{name}'", f'"torch.cuda.{name}"'),
        )
    ),
    Rule(
        "torch.Tensor.type(self, dtype, non_blocking=False)",
        "compat.to(self, dtype)",
        example="x.type(torch.int32 if True else torch.int64)",
    ),
    Rule(
        "torch.Tensor.type(self, dtype=None, non_blocking=False)",
        "compat.type_name(self)",
        returns="str",
        example=("x.type()", "i.type()", "b.type()"),
    ),
    Rule("torch.Tensor.type_as(self, other)", "self.type_as(other)", example="x.type_as(i)"),
)

PLACES = (
    placed("cpu"),
    placed("cuda", ", device=None, non_blocking=False"),
    placed("xpu", ", device=None, non_blocking=False"),
    placed("ipu", ", device=None, non_blocking=False"),
    placed("mtia", ", device=None, non_blocking=False"),
    Rule(
        "torch.Tensor.pin_memory(self)",
        "self",
        note="MindSpore pins memory itself.",
        example="x.pin_memory()",
        check="alone",
    ),
)

OUT = (
    Rule("torch.Tensor.item(self)", "self.item()", returns="number", example="i[0, 0].item()"),
    Rule("torch.Tensor.tolist(self)", "self.tolist()", returns="list", example="i.tolist()"),
    Rule(
        "torch.Tensor.numpy(self, *, force=False)",
        "self.numpy()",
        drop=("force",),
        returns="numpy",
        example=("x.numpy()", "x.detach().cpu().numpy(force=True)"),
    ),
)

COPIES = (
    Rule(
        "torch.Tensor.detach(self)",
        "ops.stop_gradient(self)",
        example="x.detach()",
    ),
    Rule("torch.detach(input)", "ops.stop_gradient(input)", example="torch.detach(x)"),
    Rule(
        f"torch.Tensor.clone(self, *, {FORMAT})",
        "self.copy()",
        mint="mint.clone(self)",
        example=("x.clone()", "x.clone(memory_format=torch.preserve_format)"),
    ),
    Rule(
        f"torch.clone(input, *, {FORMAT})",
        "input.copy()",
        mint="mint.clone(input)",
        example="torch.clone(x)",
    ),
    Rule(
        "torch.Tensor.contiguous(self, memory_format=torch.contiguous_format)",
        "self.contiguous()",
        example=("x.T.contiguous()", "image.contiguous(memory_format=torch.channels_last)"),
    ),
)

IN_PLACE = (
    Rule(
        "torch.Tensor.copy_(self, src, non_blocking=False)",
        "self.copy_(src)",
        limit="A part of a tensor is assigned on the CPU: x[0] = y for x[0].copy_(y).",
        example=("y = x.clone()\ny.copy_(i)\ny", "y = x.clone()\ny.copy_(v, non_blocking=True)\ny"),
    ),
    Rule(
        "torch.Tensor.fill_(self, value)",
        "ops.full_like(self, value)",
        mint="mint.full_like(self, value)",
        writes=True,
        example=(
            "y = x.clone()\ny.fill_(2)\ny",
            "y = i.clone()\ny.fill_(x[0, 0])\ny",
            "y = x.clone()\ny[1:, 2].fill_(3)\ny",
        ),
    ),
    Rule(
        "torch.Tensor.zero_(self)",
        "ops.zeros_like(self)",
        mint="mint.zeros_like(self)",
        writes=True,
        example="y = x.clone()\ny.zero_()\ny",
    ),
    *(
        Rule(
            f"{start})",
            "ops.stop_gradient(self)".replace("self", first),
            writes=True,
            example=example,
        )
        for start, first, example in (
            ("torch.Tensor.detach_(self", "self", "y = x * 2\ny.detach_()\ny"),
            ("torch.detach_(input", "input", "y = x * 2\ntorch.detach_(y)\ny"),
        )
    ),
)

RULES = TO + CASTS + PLACES + OUT + COPIES + IN_PLACE
