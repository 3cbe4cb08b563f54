"""Names that tell what has them: a tensor, a module, or something else."""

from __future__ import annotations

from .names import TENSOR_METHODS

OF_OTHERS = frozenset("apply_ map_ requires_grad_ resize_ set_ share_memory_".split())
"""Methods with an underscore behind them that modules and other types have, too."""
IN_PLACE = frozenset(n for n in TENSOR_METHODS if n.endswith("_")) - OF_OTHERS
"""Methods that write, and that only tensors have."""
ONLY_TENSORS = frozenset(
    """
    topk unbind log_softmax logsumexp index_add scatter_add masked_scatter type_as reshape_as
    clamp_min clamp_max rsqrt repeat_interleave index_fill index_copy addmm
    """.split()
)
"""What tensors have and no other common type has, and is rare."""
DISTINCTIVE = (
    ONLY_TENSORS
    | IN_PLACE
    | frozenset(
        """
    unsqueeze unsqueeze_ permute masked_fill masked_fill_ contiguous expand_as view_as index_select
    requires_grad detach new_zeros new_ones new_tensor new_full new_empty softmax sigmoid
    log_softmax is_cuda masked_select scatter_ index_add_ narrow unbind bmm baddbmm
    """.split()
    )
)
"""What tensors have and no other common type has."""
ANYWHERE = (
    ONLY_TENSORS
    | IN_PLACE
    | frozenset(
        """
    unsqueeze permute masked_fill expand_as view_as index_select masked_select bmm detach contiguous
    new_zeros new_ones new_tensor new_full new_empty
        """.split()
    )
)
"""What a parameter of any function, and any value of which nothing is known, shows itself by."""
IN_FORWARD = DISTINCTIVE | frozenset(
    "shape size view reshape transpose dim flatten dtype device mean chunk expand new long".split()
)
"""What a parameter of a module's method, or of a hook, shows itself by."""
IN_PAIRS = frozenset("max min sort topk median nanmedian mode kthvalue cummax cummin".split())
PAIR_FIELDS = frozenset({"values", "indices"})
"""What only PyTorch's results have that stand beside each other: `x.max(1).values`."""
REDUCTIONS = frozenset("mean sum std var amax amin logsumexp".split())
"""What takes a list of axes of tensors, and of NumPy's arrays none."""
HELD_BY_LAYERS = frozenset("weight bias running_mean running_var".split())
STATISTICS = frozenset({"running_mean", "running_var"})
"""What norms alone have: MindSpore's have them by other names."""
SIZES_OF_LAYERS = frozenset("in_features out_features num_embeddings".split())
"""What layers alone have, where it is asked of a part of something: `net.head[1].in_features`."""
OF_MODULES = frozenset(
    """
    named_parameters named_modules named_children named_buffers
    register_forward_hook register_forward_pre_hook register_full_backward_hook register_buffer
    register_parameter register_module
    """.split()
)
"""What only modules have."""
TAKING_WEIGHTS = frozenset(
    """
    Adadelta Adafactor Adagrad Adam AdamW Adamax ASGD LBFGS NAdam RAdam RMSprop Rprop SGD SparseAdam
    clip_grad_norm_ clip_grad_value_ parameters_to_vector
    """.split()
)
"""What takes what a network's `parameters()` gives: optimisers, by their names, and clipping."""
WRAPPING = frozenset("DataParallel DistributedDataParallel AveragedModel".split())
"""What takes a network, and is one."""
AGAINST = frozenset(
    """
    append extend keys values items get pop update join startswith lower upper strip astype
    image_sizes tensors encode decode read write
    """.split()
)
BUILTIN_NAMES = frozenset(
    name for cls in (str, bytes, list, dict, set, tuple, int, float) for name in dir(cls)
)
OFTEN_OTHER = frozenset(
    """
    add close read write open run start stop format type apply apply_ map map_ name data new
    copy random compile get_buffer set select where log info debug warning error exit resize
    register_hook storage numpy_T dot send recv put update values keys items query filter
    """.split()
)
"""Methods that other types have far more often than tensors and modules."""
PROPERTY_CANDIDATES = frozenset(
    "shape dtype device grad requires_grad ndim is_cuda grad_fn is_leaf mT".split()
)
OPTIMIZER_NAMES = frozenset("step zero_grad add_param_group state_dict load_state_dict".split())
SCHEDULER_NAMES = frozenset("step state_dict load_state_dict get_last_lr".split())
NETWORKS = ("model", "net", "module", "encoder", "decoder", "backbone", "discriminator")
"""What stands in the names that people give to networks, and to what makes them."""
SETTINGS = frozenset(
    "config cfg args opt opts options hparams params self cls settings conf parser".split()
)
"""Names that people give to what holds settings: its fields are no properties of tensors."""
SHARED = TENSOR_METHODS & (BUILTIN_NAMES | OFTEN_OTHER)
