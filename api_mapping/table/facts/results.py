"""PyTorch's names: the documented one of each spelling, and what a call of it gives."""

from __future__ import annotations

from functools import cache

from ..kinds import (
    BOOL,
    DEVICE,
    DTYPE,
    FLOAT,
    GENERATOR,
    HELD,
    INT,
    MODULE,
    NONE,
    NUMBER,
    NUMPY,
    OTHER,
    PARAMETER,
    SHAPE,
    STR,
    TENSOR,
    TENSORS,
    UNKNOWN,
    Kind,
    dict_of,
    join,
    list_of,
    tuple_of,
)
from ..registry import find
from .names import MODULES, TENSOR_FUNCTIONS
from .spelling import is_class_name
from .views import PARTS

PAIR = tuple_of((TENSOR, TENSOR))
TRIPLE = tuple_of((TENSOR, TENSOR, TENSOR))

DTYPES = frozenset(
    """
    float32 float float64 double float16 half bfloat16 uint8 int8 int16 short int32 int int64 long
    bool complex32 chalf complex64 cfloat complex128 cdouble quint8 qint8 qint32 uint16 uint32
    uint64 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu
    """.split()
)
TYPED_TENSORS = frozenset(
    f"{element}Tensor"
    for element in ("", *"Float Double Half BFloat16 Byte Char Short Int Long Bool".split())
)
CONSTANTS = frozenset(
    """
    pi e inf nan newaxis strided sparse_coo sparse_csr contiguous_format channels_last
    channels_last_3d preserve_format __version__
    """.split()
)


def constant(name: str) -> Kind | None:
    """The kind of a name that is a value: an element type or a constant; None for the others."""
    module, _, last = name.rpartition(".")
    if module != "torch":
        return None
    if last in DTYPES:
        return Kind("dtype", name)
    if last in ("pi", "e", "inf", "nan"):
        return FLOAT
    if last == "__version__":
        return STR
    return OTHER if last in CONSTANTS else None


CONTAINERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})
WRAPPERS = frozenset(
    """
    torch.nn.DataParallel torch.nn.parallel.DistributedDataParallel
    torch.distributed.fsdp.FullyShardedDataParallel torch.optim.swa_utils.AveragedModel
    """.split()
)
"""Modules that hold another one and give what it gives."""
HANDED_ON = frozenset(
    """
    torch.compile torch.jit.script torch.jit.trace torch.jit.freeze torch.jit.optimize_for_inference
    torch.jit.ignore torch.jit.unused torch.jit.export
    torch.nn.utils.weight_norm torch.nn.utils.spectral_norm torch.nn.utils.remove_weight_norm
    torch.nn.utils.remove_spectral_norm torch.nn.utils.parametrizations.weight_norm
    torch.nn.utils.parametrizations.spectral_norm torch.nn.utils.parametrizations.orthogonal
    torch.nn.SyncBatchNorm.convert_sync_batchnorm torch.nn.utils.convert_sync_batchnorm
    """.split()
)
"""Functions that give their first argument, or something that stands for it."""

TENSOR_PAIRS = frozenset(
    """topk sort kthvalue mode cummax cummin aminmax frexp slogdet qr geqrf histogram
    triangular_solve""".split()
)
"""Functions and methods that give two tensors."""

PACKED_SEQUENCE = Kind("object", "torch.nn.utils.rnn.PackedSequence")
PACKED_PARTS = tuple_of((TENSOR, TENSOR, join(TENSOR, NONE), join(TENSOR, NONE)))
"""What it is as a tuple: data, batch sizes, and indices that may be None."""

RETURNS: dict[str, Kind] = {
    **{f"torch.{name}": PAIR for name in TENSOR_PAIRS},
    **{f"torch.{name}": TENSORS for name in PARTS},
    "torch.device": DEVICE,
    "torch.Generator": GENERATOR,
    "torch.manual_seed": GENERATOR,
    "torch.Size": SHAPE,
    "torch.Tensor": TENSOR,
    "torch.nn.Parameter": PARAMETER,
    "torch.nn.UninitializedParameter": PARAMETER,
    "torch.nn.Buffer": TENSOR,
    "torch.autograd.Variable": TENSOR,
    "torch.autograd.grad": TENSORS,
    "torch.autograd.functional.jacobian": UNKNOWN,
    "torch.cuda.is_available": BOOL,
    "torch.cuda.device_count": INT,
    "torch.cuda.current_device": INT,
    "torch.get_default_dtype": DTYPE,
    "torch.promote_types": DTYPE,
    "torch.result_type": DTYPE,
    "torch.jit.is_scripting": BOOL,
    "torch.jit.is_tracing": BOOL,
    "torch.distributed.get_rank": INT,
    "torch.distributed.get_world_size": INT,
    "torch.distributed.is_initialized": BOOL,
    "torch.distributed.is_available": BOOL,
    "torch.backends.mps.is_available": BOOL,
    "torch.finfo": Kind("object", "torch.finfo"),
    "torch.iinfo": Kind("object", "torch.iinfo"),
    "torch.is_tensor": BOOL,
    "torch.is_floating_point": BOOL,
    "torch.is_complex": BOOL,
    "torch.is_grad_enabled": BOOL,
    "torch.equal": BOOL,
    "torch.allclose": BOOL,
    "torch.numel": INT,
    "torch.initial_seed": INT,
    "torch.seed": INT,
    "torch.save": NONE,
    "torch.nn.utils.clip_grad_norm_": TENSOR,
    "torch.nn.utils.clip_grad_norm": TENSOR,
    "torch.nn.utils.clip_grad_value_": NONE,
    "torch.nn.utils.parameters_to_vector": TENSOR,
    "torch.nn.utils.vector_to_parameters": NONE,
    "torch.nn.utils.rnn.pad_sequence": TENSOR,
    "torch.nn.utils.rnn.pad_packed_sequence": PAIR,
    "torch.nn.utils.rnn.pack_padded_sequence": PACKED_SEQUENCE,
    "torch.nn.utils.rnn.pack_sequence": PACKED_SEQUENCE,
    "torch.nn.utils.rnn.unpack_sequence": list_of(TENSOR),
    "torch.nn.utils.rnn.unpad_sequence": list_of(TENSOR),
    "torch.nn.functional.multi_head_attention_forward": PAIR,
    "torch.nn.init.calculate_gain": FLOAT,
    "torch.var_mean": PAIR,
    "torch.std_mean": PAIR,
    "torch.svd": TRIPLE,
    "torch.linalg.qr": PAIR,
    "torch.linalg.eig": PAIR,
    "torch.linalg.eigh": PAIR,
    "torch.linalg.slogdet": PAIR,
    "torch.linalg.cholesky_ex": PAIR,
    "torch.linalg.inv_ex": PAIR,
    "torch.linalg.svd": TRIPLE,
    "torch.linalg.lu": TRIPLE,
    "torch.linalg.lu_factor": PAIR,
    "torch.linalg.lu_factor_ex": TRIPLE,
    "torch.linalg.ldl_factor": PAIR,
    "torch.linalg.ldl_factor_ex": TRIPLE,
    "torch.linalg.solve_ex": PAIR,
    "torch.lu": PAIR,
    "torch.linalg.lstsq": tuple_of((TENSOR,) * 4),
    "torch.meshgrid": TENSORS,
    "torch.broadcast_tensors": TENSORS,
    "torch.broadcast_shapes": SHAPE,
    "torch.gradient": TENSORS,
    "torch.initial_rng": UNKNOWN,
    "torch.cuda.memory_allocated": INT,
    "torch.cuda.max_memory_allocated": INT,
    "torch.cuda.synchronize": NONE,
    "torch.cuda.empty_cache": NONE,
    "torch.get_num_threads": INT,
    "torchvision.utils.make_grid": TENSOR,
    "torchvision.utils.save_image": NONE,
    "torchvision.io.read_image": TENSOR,
    "torchvision.ops.nms": TENSOR,
    "torchvision.ops.batched_nms": TENSOR,
    "torchvision.ops.box_iou": TENSOR,
    "torchvision.ops.box_convert": TENSOR,
    "torchvision.ops.roi_align": TENSOR,
    "torchvision.ops.roi_pool": TENSOR,
    "torchvision.transforms.functional.to_tensor": TENSOR,
    "torchvision.transforms.functional.pil_to_tensor": TENSOR,
}

RETURNS |= {
    f"torch.nn.functional.{name}": kind
    for name, kind in (
        ("has_torch_function", BOOL),
        ("has_torch_function_unary", BOOL),
        ("has_torch_function_variadic", BOOL),
        ("handle_torch_function", UNKNOWN),
        ("boolean_dispatch", UNKNOWN),
        ("assert_int_or_pair", NONE),
    )
}
TENSOR_NAMESPACES = ("torch.nn.functional.", "torch.linalg.", "torch.fft.", "torch.special.")
"""Where every function gives one tensor that is not in RETURNS and is no class."""
FUNCTIONAL_PAIRS = frozenset(
    f"torch.nn.functional.{name}_with_indices"
    for name in """max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d""".split()
)

FAMILIES = (
    ("torch.optim.lr_scheduler.", "scheduler"),
    ("torch.optim.", "optimizer"),
    ("torch.distributions.", "distribution"),
    ("torchvision.datasets.", "dataset"),
    ("torchvision.transforms.", "transform"),
    ("torchvision.models.", "module"),
    ("torchvision.ops.", "module"),
    ("torch.nn.", "module"),
    ("einops.layers.torch.", "module"),
)
TRANSFORMS = "torchvision.transforms."
TENSOR_MAKING = ("ToTensor", "PILToTensor", "ConvertImageDtype", "ToDtype")
"""The transforms of images that give tensors."""
IMAGE_MAKING = "ToPILImage"
"""The one that gives images again."""
TENSOR_KEEPING = ("Normalize", "RandomErasing", "LinearTransformation", "ToPureTensor")
"""Those that take tensors alone."""
TENSOR_MOVING = (
    *("CenterCrop", "RandomCrop", "RandomResizedCrop", "Pad"),
    *("RandomHorizontalFlip", "RandomVerticalFlip", "RandomRotation", "RandomAffine"),
)
"""Those that move pixels, whatever these hold: of a tensor its last two axes."""
TRANSFORM_HOLDING = ("RandomApply", "RandomChoice", "RandomOrder", "Compose")
"""Those that hold others."""
TRANSFORMING = "torchvision.transforms.Transform.__call__"
"""How a call of a transform that gives a tensor is called."""
SAMPLING = "torch.utils.data.Dataset.__getitem__"
"""How `dataset[0]` is called, where a sample holds a tensor."""
DATA_SET_METHODS = ("__getitem__", "__getitems__", "__iter__")
"""The methods by which the loader of data asks for samples."""

INSTANCES = {
    "torch.utils.data.DataLoader": "loader",
    "torch.utils.data.Dataset": "dataset",
    "torch.utils.data.IterableDataset": "dataset",
    "torch.utils.data.TensorDataset": "dataset",
    "torch.utils.data.ConcatDataset": "dataset",
    "torch.utils.data.ChainDataset": "dataset",
    "torch.utils.data.StackDataset": "dataset",
    "torch.utils.data.Subset": "dataset",
    "torch.amp.GradScaler": "scaler",
    "torch.cuda.amp.GradScaler": "scaler",
    "torch.optim.LBFGS": "optimizer",
    "torch.optim.swa_utils.AveragedModel": "module",
    "torch.optim.swa_utils.SWALR": "scheduler",
    "torch.distributed.fsdp.FullyShardedDataParallel": "module",
    "torch.jit.ScriptModule": "module",
    "torch.fx.GraphModule": "module",
    "torch.autograd.Function": "autograd_function",
    "pytorch_lightning.Trainer": "trainer",
}

BASES = {
    "tensor": "torch.Tensor",
    "module": "torch.nn.Module",
    "optimizer": "torch.optim.Optimizer",
    "scheduler": "torch.optim.lr_scheduler.LRScheduler",
    "scaler": "torch.amp.GradScaler",
    "loader": "torch.utils.data.DataLoader",
    "dataset": "torch.utils.data.Dataset",
    "generator": "torch.Generator",
    "distribution": "torch.distributions.Distribution",
    "device": "torch.device",
}
"""Where the methods of each family are documented."""


@cache
def family(name: str) -> str:
    """The family of a class's instances: "module", "optimizer"...; "" if it has none."""
    if name in INSTANCES:
        return INSTANCES[name]
    if not is_class_name(name):
        return ""
    for prefix, of_prefix in FAMILIES:
        if name.startswith(prefix):
            inner = name[len(prefix) :]
            known = "." not in inner or of_prefix in ("module", "transform")
            return (
                ""
                if prefix == "torch.nn." and inner.startswith("utils.")
                else (of_prefix if known else "")
            )
    return ""


@cache
def returned(name: str) -> Kind:
    """What a call of the API gives, as far as its name tells; overloads are told elsewhere."""
    if name in RETURNS:
        return RETURNS[name]
    module, _, last = name.rpartition(".")
    if module == "torch" and last in TENSOR_FUNCTIONS:
        return TENSOR
    if module in ("torch", "torch.cuda") and last in TYPED_TENSORS:
        return TENSOR
    if name in FUNCTIONAL_PAIRS:
        return PAIR
    of_name = family(name)
    if of_name:
        return Kind(of_name, name)
    if is_class_name(name):
        return Kind("object", name)
    if module == "torch.nn.init":
        return TENSOR
    if name.startswith(TENSOR_NAMESPACES):
        return TENSOR
    if module in ("torchvision.models", "torchvision.models.segmentation") and last.islower():
        return Kind("module", name) if not last.startswith(("get_", "list_")) else UNKNOWN
    return by_table(name)


BY_TABLE = {
    "tensor": TENSOR,
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": STR,
    "none": NONE,
    "number": NUMBER,
    "shape": SHAPE,
    "dtype": DTYPE,
    "device": DEVICE,
    "numpy": NUMPY,
}
"""Rule.returns, where it says enough: `other` and `module` are not taken as known."""


def by_table(name: str) -> Kind:
    """What the API table says that a call gives, if all overloads agree."""
    said = {BY_TABLE.get(rule.returns, UNKNOWN) for rule in find(name)}
    return said.pop() if len(said) == 1 else UNKNOWN


@cache
def exists(name: str) -> bool:
    """Whether PyTorch has the name, as far as is known: star imports bring only such."""
    module, _, last = name.rpartition(".")
    if module == "torch" and (last in TENSOR_FUNCTIONS or last in DTYPES):
        return True
    return name in RETURNS or name in MODULES or bool(find(name))


METHOD_RETURNS: dict[str, Kind] = {
    **dict.fromkeys(TENSOR_PAIRS, PAIR),
    **dict.fromkeys(PARTS, TENSORS),
    **dict.fromkeys(
        """dim ndimension numel nelement element_size data_ptr get_device storage_offset
        dense_dim sparse_dim const_data_ptr q_zero_point q_per_channel_axis""".split(),
        INT,
    ),
    **dict.fromkeys(
        """equal allclose is_contiguous is_floating_point is_complex is_nonzero is_same_size
        is_set_to is_shared is_signed is_pinned is_coalesced is_conj is_neg is_inference
        is_distributed""".split(),
        BOOL,
    ),
    **dict.fromkeys("backward retain_grad map_ record_stream share_memory".split(), NONE),
    **dict.fromkeys(
        """register_hook register_post_accumulate_grad_hook untyped_storage storage
        storage_type qscheme to_dlpack dim_order""".split(),
        OTHER,
    ),
    **dict.fromkeys("__len__ __int__ __index__ __long__ __hash__".split(), INT),
    **dict.fromkeys("__bool__ __nonzero__ __contains__".split(), BOOL),
    **dict.fromkeys("__str__ __repr__ __format__".split(), STR),
    **dict.fromkeys("__setitem__ __delitem__".split(), NONE),
    **dict.fromkeys("lu lstsq eig symeig solve".split(), UNKNOWN),
    "__float__": FLOAT,
    "q_scale": FLOAT,
    "__array__": NUMPY,
    "__iter__": TENSORS,
    "__reversed__": TENSOR,
    "numpy": NUMPY,
    "item": NUMBER,
    "tolist": OTHER,
    "size": SHAPE,
    "stride": SHAPE,
    "svd": TRIPLE,
    "type": STR,
}
PROPERTIES: dict[str, Kind] = {
    "shape": SHAPE,
    "dtype": DTYPE,
    "device": DEVICE,
    "ndim": INT,
    "itemsize": INT,
    "nbytes": INT,
    "output_nr": INT,
    "layout": OTHER,
    "grad_fn": OTHER,
    "names": OTHER,
    "grad_dtype": DTYPE,
    **dict.fromkeys("T H mT mH data grad real imag".split(), TENSOR),
}
"""The properties of a tensor; those not listed are true or false."""

PARAMETERS = Kind("iterator", "", (PARAMETER,))
MODULE_RETURNS: dict[str, Kind] = {
    "parameters": PARAMETERS,
    "named_parameters": Kind("iterator", "", (tuple_of((STR, PARAMETER)),)),
    "buffers": Kind("iterator", "", (HELD,)),
    "named_buffers": Kind("iterator", "", (tuple_of((STR, HELD)),)),
    "modules": Kind("iterator", "", (MODULE,)),
    "children": Kind("iterator", "", (MODULE,)),
    "named_modules": Kind("iterator", "", (tuple_of((STR, MODULE)),)),
    "named_children": Kind("iterator", "", (tuple_of((STR, MODULE)),)),
    "state_dict": dict_of(STR, HELD),
    "load_state_dict": OTHER,
    "get_parameter": PARAMETER,
    "get_buffer": HELD,
    "get_submodule": MODULE,
    "zero_grad": NONE,
    "register_buffer": NONE,
    "register_parameter": NONE,
    "add_module": NONE,
    "register_module": NONE,
    "extra_repr": STR,
    "training": BOOL,
    "compile": NONE,
}
RETURN_SELF = frozenset(
    """
    to cuda cpu half float double bfloat16 type train eval requires_grad_ apply share_memory ipu
    xpu mtia to_empty
    """.split()
)
"""Module methods that give the module itself."""

LAYER_TENSORS = frozenset(
    """
    weight bias running_mean running_var in_proj_weight in_proj_bias num_batches_tracked
    q_proj_weight k_proj_weight v_proj_weight
    """.split()
)
LAYER_NUMBERS = frozenset(
    """
    in_features out_features in_channels out_channels groups eps momentum num_features
    num_embeddings embedding_dim padding_idx p hidden_size input_size num_layers num_groups
    num_channels embed_dim num_heads head_dim
    """.split()
)
NOT_TENSOR_LAYERS = frozenset(
    f"torch.nn.{name}"
    for name in """Module ModuleList ModuleDict ParameterList ParameterDict Sequential Identity
    AdaptiveLogSoftmaxWithLoss DataParallel LSTM GRU RNN RNNBase LSTMCell MultiheadAttention
    Container""".split()
)
"""Classes of torch.nn whose call gives something else than one tensor."""
RECURRENT = {
    "torch.nn.LSTM": tuple_of((TENSOR, PAIR)),
    "torch.nn.GRU": PAIR,
    "torch.nn.RNN": PAIR,
    "torch.nn.LSTMCell": PAIR,
    "torch.nn.MultiheadAttention": PAIR,
}


METHODS_OF_OTHERS = {
    "Optimizer.step": UNKNOWN,
    "Optimizer.zero_grad": NONE,
    "Optimizer.state_dict": dict_of(STR, UNKNOWN),
    "LRScheduler.step": NONE,
    "LRScheduler.state_dict": dict_of(STR, UNKNOWN),
    "LRScheduler.get_last_lr": list_of(Kind("float")),
    "GradScaler.step": UNKNOWN,
    "GradScaler.update": NONE,
    "GradScaler.unscale_": NONE,
    "Generator.manual_seed": Kind("generator", "torch.Generator"),
    "Size.numel": INT,
}

LABELLED_DATA_SETS = frozenset(
    f"torchvision.datasets.{name}"
    for name in """MNIST FashionMNIST KMNIST QMNIST CIFAR10 CIFAR100 SVHN STL10 USPS ImageFolder
    ImageNet FakeData""".split()
)
"""Data sets whose items are an image and its label."""

NAMED_RESULTS = frozenset(
    """values indices min max mantissa exponent hist bin_edges sign logabsdet eigenvalues
    eigenvectors Q R U S V Vh P L LU pivots inverse result info solution residuals rank
    singular_values cloned_coefficient a tau""".split()
)
"""The fields of the named tuples that functions of PyTorch return."""
