"""torch.Tensor: what a tensor is (shape, element type, place), and what it is not on MindSpore."""

from ..families import missing
from ..rule import Rule

ONE_DEVICE = "Any accelerator that MindSpore runs on counts, Ascend too."
NONE_SUCH = "MindSpore has no such tensors."
GRADIENTS = "ms.value_and_grad returns the gradients: no tensor keeps its own"
SPARSE = "MindSpore's sparse tensors are classes of their own: ms.COOTensor, ms.CSRTensor"
ROWS = "MindSpore lays tensors out row by row and shows no storage: use x.asnumpy() or x.data_ptr()"
GIVE_SHAPE = "bind the new tensor to the name: x = ops.zeros(size, x.dtype), x = x.reshape(size)"


def value(name: str, target: str, returns: str = "", note: str = "", example: str = "") -> Rule:
    """An attribute."""
    return Rule(
        f"torch.Tensor.{name}",
        target,
        returns=returns,
        note=note,
        example=example or f"x.{name}",
        check="runs" if name == "device" else "value",
    )


def asked(name: str, target: str, returns: str, *examples: str, note: str = "") -> Rule:
    """A method without arguments."""
    return Rule(
        f"torch.Tensor.{name}(self)",
        target,
        returns=returns,
        note=note,
        drop=("self",) if target == "False" else (),
        example=examples or f"x.{name}()",
    )


SHAPE = (
    value("shape", "self.shape", "shape"),
    Rule(
        "torch.Tensor.size(self)",
        "self.shape",
        returns="shape",
        note="MindSpore's `size` is the number of elements.",
        example="x.size()",
    ),
    Rule(
        "torch.Tensor.size(self, dim)",
        "self.shape[dim]",
        returns="int",
        example=("x.size(0)", "x.size(dim=-1)"),
    ),
    value("ndim", "self.ndim", "int"),
    asked("dim", "self.dim()", "int"),
    asked("ndimension", "self.ndim", "int"),
    asked("numel", "self.numel()", "int"),
    asked("nelement", "self.numel()", "int"),
    Rule("torch.numel(input)", "input.numel()", returns="int", example="torch.numel(x)"),
    asked("stride", "tuple(self.stride())", "other"),
    Rule(
        "torch.Tensor.stride(self, dim)",
        "self.stride(dim)",
        returns="int",
        example=("x.stride(0)", "a.stride(dim=-1)"),
    ),
    Rule(
        "torch.Tensor.is_contiguous(self, memory_format=torch.contiguous_format)",
        "self.is_contiguous()",
        reject={"memory_format": "MindSpore has no other memory format"},
        returns="bool",
        example="x.is_contiguous()",
    ),
    value(
        "layout",
        '"strided"',
        "str",
        "MindSpore's tensors have one layout, row by row.",
        "x.layout == torch.strided",
    ),
    Rule(
        "torch.Tensor.is_same_size(self, other)",
        "self.shape == other.shape",
        returns="bool",
        example=("x.is_same_size(y)", "x.is_same_size(v)"),
    ),
    Rule(
        "torch.is_same_size(input, other)",
        "input.shape == other.shape",
        returns="bool",
        example="torch.is_same_size(x, a)",
    ),
    asked("is_nonzero", "bool(self)", "bool", "x[0, 0].is_nonzero()"),
    asked("element_size", "self.itemsize", "int", "x.element_size()", "h.element_size()"),
    value("itemsize", "self.itemsize", "int"),
    value("nbytes", "self.nbytes", "int"),
)

TYPE_AND_PLACE = (
    value("dtype", "self.dtype", "dtype"),
    value("device", "self.device", "device", 'It is the name: "CPU" or "Ascend:0".'),
    value("is_cuda", 'self.device != "CPU"', "bool", ONE_DEVICE),
    value("is_cpu", 'self.device == "CPU"', "bool"),
    Rule(
        "torch.Tensor.get_device(self)",
        'ms.get_context("device_id") if self.device != "CPU" else -1',
        returns="int",
        example="x.get_device()",
    ),
    *(
        value(f"is_{name}", "False", "bool", NONE_SUCH)
        for name in (
            "xpu",
            "mps",
            "ipu",
            "xla",
            "meta",
            "mtia",
            "quantized",
            "sparse_csr",
            "nested",
        )
    ),
    value("is_sparse", 'getattr(self, "is_sparse", False)', "bool", "It is of compat's class."),
    asked("is_inference", "False", "bool", note=NONE_SUCH),
    *(asked(f"is_{name}", "False", "bool", note=NONE_SUCH) for name in ("shared",)),
    Rule(
        "torch.Tensor.is_pinned(self)",
        "self.is_pinned()",
        returns="bool",
        example="x.is_pinned()",
    ),
    *(
        Rule(
            f"torch.{name}(input)",
            "False",
            note=NONE_SUCH,
            returns="bool",
            drop=("input",),
            example=f"torch.{name}(x)",
        )
        for name in ("is_inference",)
    ),
    Rule(
        "torch.is_storage(obj, /)",
        "False",
        note=NONE_SUCH,
        returns="bool",
        drop=("obj",),
        example="torch.is_storage(x)",
    ),
    Rule(
        "torch.is_nonzero(input)",
        "ops.is_nonzero(input)",
        returns="bool",
        example=("torch.is_nonzero(x[0, 0])", "torch.is_nonzero(i[0, 0] * 0)"),
    ),
    Rule(
        "torch.Tensor.data_ptr(self)",
        "self.data_ptr()",
        returns="int",
        example="x.data_ptr()",
        check="runs",
    ),
    asked("storage_offset", "self.storage_offset()", "int"),
    Rule(
        "torch.Tensor.const_data_ptr(self)",
        "self.data_ptr()",
        returns="int",
        example="x.const_data_ptr()",
        check="runs",
    ),
)

GRADIENT = (
    value("data", "self.data", "tensor"),
    value(
        "requires_grad",
        "self.requires_grad",
        "bool",
        note="Only a Parameter has it: gradients are of the arguments of ms.value_and_grad.",
        example="nn.Linear(3, 4).weight.requires_grad",
    ),
    Rule(
        "torch.Tensor.requires_grad_(self, requires_grad=True)",
        "self.requires_grad_(requires_grad)",
        note="It returns nothing, and tells nothing to ms.value_and_grad of what is no Parameter.",
        example="p = nn.Linear(3, 4).weight\np.requires_grad_(False)\np.requires_grad",
    ),
    Rule(
        "torch.Tensor.register_hook(self, hook)",
        "self.register_hook(hook)",
        note="It works inside the function that ms.value_and_grad differentiates.",
        returns="other",
        example="w = nn.Linear(3, 4).weight * 2\nw.register_hook(lambda g: g)",
        check="runs",
    ),
    *missing(
        GRADIENTS,
        *(
            f"torch.Tensor.{n}"
            for n in ("grad", "grad_dtype", "grad_fn", "is_leaf", "retains_grad")
        ),
        "torch.Tensor.retain_grad(self)",
        "torch.Tensor.register_post_accumulate_grad_hook(self, hook)",
    ),
    *missing(
        "write the forward pass as a function: ms.value_and_grad(forward, None, parameters) gives"
        " the loss and the gradients, and optimizer(gradients) steps",
        "torch.Tensor.backward(self, gradient=None, retain_graph=None, create_graph=False)",
    ),
)

MEMORY = (
    *missing(
        "x.untyped_storage() of MindSpore's has the bytes: size(), nbytes() and data_ptr()",
        "torch.Tensor.storage(self)",
        "torch.Tensor.untyped_storage(self)",
    ),
    *missing(
        ROWS,
        "torch.Tensor.storage_type(self)",
        "torch.Tensor.is_set_to(self, tensor)",
        "torch.Tensor.dim_order(self, ambiguity_check=False)",
        "torch.TypedStorage(*args)",
        "torch.UntypedStorage(*args)",
    ),
    Rule(
        "torch.Tensor.set_(self, source)",
        "self.set_(source)",
        example="t = x.clone()\nt.set_(v)\nt",
    ),
    *missing(
        GIVE_SHAPE,
        "torch.Tensor.resize_(self, *sizes, memory_format=torch.contiguous_format)",
        "torch.Tensor.resize_as_(self, tensor, memory_format=torch.contiguous_format)",
        "torch.Tensor.set_(self, source=None, storage_offset=0, size=None, stride=None)",
    ),
    *missing(
        "processes share no tensors: pass copies, or numpy arrays in shared memory",
        "torch.Tensor.share_memory_(self)",
    ),
    *missing(
        "leave it out: MindSpore keeps memory alive for its streams itself",
        "torch.Tensor.record_stream(self, stream)",
    ),
    *missing(
        "MindSpore's tensors cannot be subclassed usefully: keep the tensor in an object of yours",
        "torch.Tensor.as_subclass(self, cls)",
        "torch.Tensor.module_load(self, other, assign=False)",
    ),
)

OTHER_LAYOUTS = (
    *missing(
        SPARSE,
        *(f"torch.Tensor.{n}(self)" for n in ("crow_indices", "col_indices", "dense_dim")),
        "torch.Tensor.sparse_dim(self)",
        *(f"torch.Tensor.to_sparse_{n}(self, dense_dim=None)" for n in ("csr", "csc")),
        *(f"torch.Tensor.to_sparse_{n}(self, blocksize, dense_dim=None)" for n in ("bsr", "bsc")),
        "torch.Tensor.sparse_mask(self, mask)",
        "torch.Tensor.sparse_resize_(self, size, sparse_dim, dense_dim)",
        "torch.Tensor.sparse_resize_and_clear_(self, size, sparse_dim, dense_dim)",
        "torch.Tensor.smm(self, mat)",
        "torch.Tensor.sspaddmm(self, mat1, mat2, *, beta=1, alpha=1)",
        *(
            f"torch.sparse_{n}_tensor(compressed, plain, values, size=None, **options)"
            for n in ("compressed", "csr", "csc", "bsr", "bsc")
        ),
        "torch.hspmm(mat1, mat2, *, out=None)",
        "torch.smm(input, mat)",
        "torch.sspaddmm(input, mat1, mat2, *, beta=1, alpha=1, out=None)",
        *(f"torch.{n}_copy(input)" for n in ("crow_indices", "col_indices", "indices", "values")),
    ),
    *missing(
        "leave it out: MindSpore has one layout",
        "torch.Tensor.to_mkldnn(self)",
    ),
    *missing(
        "MindSpore has no nested tensors: pad to one length and mask",
        "torch.Tensor.to_padded_tensor(self, padding, output_size=None)",
    ),
)

RULES = SHAPE + TYPE_AND_PLACE + GRADIENT + MEMORY + OTHER_LAYOUTS
