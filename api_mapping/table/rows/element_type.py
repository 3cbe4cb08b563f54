"""torch: element types and what is asked of them, constants, memory formats and layouts."""

from ..families import missing
from ..rule import Rule

TYPES = {
    "float32": ("float32", "float"),
    "float64": ("float64", "double"),
    "float16": ("float16", "half"),
    "bfloat16": ("bfloat16",),
    "int8": ("int8",),
    "int16": ("int16", "short"),
    "int32": ("int32", "int"),
    "int64": ("int64", "long"),
    "uint8": ("uint8",),
    "uint16": ("uint16",),
    "uint32": ("uint32",),
    "uint64": ("uint64",),
    "bool_": ("bool",),
    "complex64": ("complex64", "cfloat"),
    "complex128": ("complex128", "cdouble"),
}
"""MindSpore's element types, and PyTorch's names of each."""

NARROW = "MindSpore has no element type below 8 bits: pack the values into ms.uint8"
QUANTIZED = (
    "MindSpore quantizes with the package mindspore_gs: tensors themselves are never quantized"
)
FLOAT8 = "of MindSpore's float8 types there are ms.float8_e4m3fn and ms.float8_e5m2"
ONE_LAYOUT = "MindSpore's tensors have one layout, row by row"
SPARSE = "leave it out: MindSpore's sparse tensors are classes, ms.COOTensor and ms.CSRTensor"

ELEMENT_TYPES = (
    *(
        Rule(f"torch.{name}", f"ms.{target}", returns="dtype", example=f"x.to(torch.{name})")
        for target, names in TYPES.items()
        for name in names
    ),
    *(
        Rule(f"torch.{name}", f"ms.{name}", returns="dtype", platform="Ascend")
        for name in ("float8_e4m3fn", "float8_e5m2")
    ),
    *missing(FLOAT8, *(f"torch.float8_{name}" for name in ("e4m3fnuz", "e5m2fnuz", "e8m0fnu"))),
    *missing("the narrowest complex type of MindSpore is ms.complex64", "torch.complex32"),
    *missing("the narrowest complex type of MindSpore is ms.complex64", "torch.chalf"),
    *missing(NARROW, *(f"torch.{sign}int{n}" for sign in ("", "u") for n in range(1, 8))),
    *missing(NARROW, "torch.float4_e2m1fn_x2", "torch.bit"),
    *missing(NARROW, *(f"torch.bits{n}" for n in ("8", "16", "1x8", "2x4", "4x2"))),
    *missing(QUANTIZED, *(f"torch.{name}" for name in ("qint8", "qint32", "quint8"))),
    *missing(QUANTIZED, "torch.quint2x4", "torch.quint4x2"),
    Rule("torch.dtype", "ms.Type", returns="other", example="isinstance(x.dtype, torch.dtype)"),
    *(
        Rule(
            f"torch.dtype.{name}", f"self.{name}", returns=kind, example=f"it = x.dtype\nit.{name}"
        )
        for name, kind in (
            ("is_floating_point", "bool"),
            ("is_complex", "bool"),
            ("itemsize", "int"),
        )
    ),
)

QUESTIONS = (
    Rule(
        "torch.finfo(type=torch.float32)",
        "compat.finfo(type)",
        returns="other",
        example=tuple(
            f'getattr(torch.finfo({dtype}), "{name}")'
            for dtype, name in (
                ("torch.float16", "max"),
                ("x.dtype", "min"),
                ("torch.bfloat16", "eps"),
                ("", "tiny"),
            )
        ),
    ),
    Rule(
        "torch.iinfo(type)",
        "compat.iinfo(type)",
        returns="other",
        example=(
            'getattr(torch.iinfo(torch.int32), "max")',
            'getattr(torch.iinfo(torch.uint8), "min")',
        ),
    ),
    *(
        Rule(
            f"torch.{info}.{name}", f"self.{name}", returns=kind, example=f"it = {made}\nit.{name}"
        )
        for info, kind, made, names in (
            ("finfo", "float", "torch.finfo(torch.float16)", "eps max min tiny smallest_normal"),
            ("iinfo", "int", "torch.iinfo(torch.int16)", "max min"),
        )
        for name in names.split()
    ),
    *(
        Rule(
            f"torch.{info}.bits",
            "self.bits",
            returns="int",
            example=f"it = torch.{info}(torch.{dtype})\nit.bits",
        )
        for info, dtype in (("finfo", "float16"), ("iinfo", "int16"))
    ),
    *missing("10 ** -digits of the type: write the number", "torch.finfo.resolution"),
    Rule(
        "torch.promote_types(type1, type2)",
        "compat.promote_types(type1, type2)",
        returns="dtype",
        example=(
            "torch.promote_types(torch.int64, torch.float16)",
            "torch.promote_types(torch.uint8, torch.int8)",
            "torch.promote_types(torch.bfloat16, torch.float16)",
        ),
    ),
    Rule(
        "torch.result_type(tensor1, tensor2)",
        "compat.result_type(tensor1, tensor2)",
        returns="dtype",
        example=(
            "torch.result_type(i, 1.5)",
            "torch.result_type(h, x)",
            "torch.result_type(h, x[0, 0])",
            "torch.result_type(2, h)",
        ),
    ),
    Rule(
        "torch.can_cast(from_, to)",
        "compat.can_cast(from_, to)",
        returns="bool",
        example=(
            "torch.can_cast(torch.float32, torch.int64)",
            "torch.can_cast(torch.int64, torch.float16)",
        ),
    ),
    Rule(
        "torch.get_default_dtype()",
        "ms.float32",
        note="MindSpore's default cannot be changed.",
        returns="dtype",
        example="torch.get_default_dtype()",
    ),
    Rule(
        "torch.set_default_dtype(d, /)",
        "None",
        kinds={"d": "torch.float32"},
        drop=("d",),
        returns="none",
        example="torch.set_default_dtype(torch.float32)",
    ),
    *missing(
        "MindSpore's default is float32 always: give dtype= where tensors are made",
        "torch.set_default_dtype(d, /)",
        "torch.set_default_tensor_type(t, /)",
    ),
    *(
        Rule(
            f"torch.{name}(input)",
            f"ops.{name}(input)",
            returns="bool",
            example=(f"torch.{name}(x)", f"torch.{name}(z)", f"torch.{name}(i)"),
        )
        for name in ("is_floating_point", "is_complex")
    ),
    Rule(
        "torch.is_tensor(obj, /)",
        "ops.is_tensor(obj)",
        returns="bool",
        example=("torch.is_tensor(x)", "torch.is_tensor(3)"),
    ),
    *(
        Rule(
            f"torch.Tensor.{name}(self)",
            f"self.{name}()",
            returns="bool",
            example=(f"x.{name}()", f"z.{name}()", f"b.{name}()"),
        )
        for name in ("is_floating_point", "is_complex", "is_signed")
    ),
)

CONSTANTS = (
    *(
        Rule(f"torch.{name}", f"np.{name}", returns="float", example=f"x * torch.{name}")
        for name in ("pi", "e", "inf", "nan")
    ),
    Rule("torch.newaxis", "None", returns="none", example="x[:, torch.newaxis]"),
)

FORMATS = (
    *(
        Rule(
            f"torch.{name}",
            f'"{name}"',
            returns="str",
            note=ONE_LAYOUT,
            example=f"image.contiguous(memory_format=torch.{name})",
        )
        for name in ("contiguous_format", "channels_last")
    ),
    Rule(
        "torch.preserve_format",
        '"preserve_format"',
        returns="str",
        example="x.clone(memory_format=torch.preserve_format)",
    ),
    Rule(
        "torch.strided",
        '"strided"',
        returns="str",
        example="torch.zeros(2, 3, layout=torch.strided)",
    ),
    *missing(ONE_LAYOUT, "torch.channels_last_3d", "torch.legacy_contiguous_format"),
    *missing(SPARSE, *(f"torch.sparse_{n}" for n in ("coo", "csr", "csc", "bsr", "bsc"))),
    *missing("MindSpore has no nested tensors: pad to one length and mask", "torch.jagged"),
    *missing(
        QUANTIZED,
        *(f"torch.per_{n}" for n in ("tensor_affine", "tensor_symmetric", "channel_affine")),
        *(f"torch.per_channel_{n}" for n in ("symmetric", "affine_float_qparams")),
    ),
)

RULES = ELEMENT_TYPES + QUESTIONS + CONSTANTS + FORMATS
