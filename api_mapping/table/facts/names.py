"""Names of PyTorch that the analysis must know before it asks the table; from torch 2.13."""

from __future__ import annotations

TENSOR_METHODS = frozenset(
    """
    abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_
    addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint all allclose amax amin aminmax
    angle any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2
    arctan2_ arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_
    as_strided_scatter as_subclass asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_
    backward baddbmm baddbmm_ bernoulli bernoulli_ bfloat16 bincount bitwise_and bitwise_and_
    bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_
    bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm bool broadcast_to byte
    cauchy_ ccol_indices cdouble ceil ceil_ cfloat chalf char cholesky cholesky_inverse
    cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ clone
    coalesce col_indices conj conj_physical conj_physical_ const_data_ptr contiguous copy_ copysign
    copysign_ corrcoef cos cos_ cosh cosh_ count_nonzero cov cpu cross crow_indices cuda cummax
    cummin cumprod cumprod_ cumsum cumsum_ data_ptr deg2rad deg2rad_ dense_dim dequantize det detach
    detach_ diag diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim dim_order
    dist div div_ divide divide_ dot double dsplit eig element_size eq eq_ equal erf erf_ erfc erfc_
    erfinv erfinv_ exp exp2 exp2_ exp_ expand expand_as expm1 expm1_ exponential_ fill_
    fill_diagonal_ fix fix_ flatten flip fliplr flipud float float_power float_power_ floor floor_
    floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp gather gcd gcd_ ge ge_
    geometric_ geqrf ger get_device greater greater_ greater_equal greater_equal_ gt gt_ half
    hardshrink hash_tensor heaviside heaviside_ histc histogram hsplit hypot hypot_ i0 i0_ igamma
    igamma_ igammac igammac_ index index_add index_add_ index_copy index_copy_ index_fill
    index_fill_ index_put index_put_ index_reduce index_reduce_ index_select indices inner int
    int_repr inverse ipu is_coalesced is_complex is_conj is_contiguous is_distributed
    is_floating_point is_inference is_neg is_nonzero is_pinned is_same_size is_set_to is_shared
    is_signed isclose isfinite isinf isnan isneginf isposinf isreal istft item kron kthvalue lcm
    lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ log log10
    log10_ log1p log1p_ log2 log2_ log_ log_normal_ log_softmax logaddexp logaddexp2 logcumsumexp
    logdet logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor
    logical_xor_ logit logit_ logsumexp long lstsq lt lt_ lu lu_solve map2_ map_ masked_fill
    masked_fill_ masked_scatter masked_scatter_ masked_select matmul matrix_exp matrix_power max
    maximum mean median min minimum mm mode module_load moveaxis movedim msort mtia mul mul_
    multinomial multiply multiply_ mv mvlgamma mvlgamma_ nan_to_num nan_to_num_ nanmean nanmedian
    nanquantile nansum narrow narrow_copy ndimension ne ne_ neg neg_ negative negative_ nelement new
    new_empty new_empty_strided new_full new_ones new_tensor new_zeros nextafter nextafter_ nonzero
    nonzero_static norm normal_ not_equal not_equal_ numel numpy orgqr ormqr outer permute
    pin_memory pinverse polygamma polygamma_ positive pow pow_ prelu prod put put_
    q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr
    qscheme quantile rad2deg rad2deg_ random_ ravel reciprocal reciprocal_ record_stream
    register_hook register_post_accumulate_grad_hook reinforce relu relu_ remainder remainder_
    renorm renorm_ repeat repeat_interleave requires_grad_ reshape reshape_as resize resize_
    resize_as resize_as_ resize_as_sparse_ resolve_conj resolve_neg retain_grad roll rot90 round
    round_ row_indices rsqrt rsqrt_ scatter scatter_ scatter_add scatter_add_ scatter_reduce
    scatter_reduce_ select select_scatter set_ sgn sgn_ share_memory_ short sigmoid sigmoid_ sign
    sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size slice_inverse slice_scatter slogdet smm
    softmax solve sort sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ split
    split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ sspaddmm std stft storage
    storage_offset storage_type stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes
    swapaxes_ swapdims swapdims_ symeig t t_ take take_along_dim tan tan_ tanh tanh_ tensor_split
    tile to to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo
    to_sparse_csc to_sparse_csr tolist topk trace transpose transpose_ triangular_solve tril tril_
    triu triu_ true_divide true_divide_ trunc trunc_ type type_as unbind unflatten unfold uniform_
    unique unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_
    untyped_storage values var vdot view view_as vsplit where xlogy xlogy_ xpu zero_
    """.split()
)

TENSOR_PROPERTIES = frozenset(
    """
    H T data device dtype grad grad_dtype grad_fn imag is_cpu is_cuda is_ipu is_leaf is_maia is_meta
    is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse is_sparse_csr is_vulkan is_xla is_xpu
    itemsize layout mH mT names nbytes ndim output_nr real requires_grad retains_grad shape
    """.split()
)

MODULE_METHODS = frozenset(
    """
    add_module apply bfloat16 buffers children compile cpu cuda double eval extra_repr
    flatten_parameters float forward
    get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia
    named_buffers named_children named_modules named_parameters parameters register_backward_hook
    register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_parameter
    register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state
    set_submodule share_memory state_dict to to_empty train type xpu zero_grad
    """.split()
)

TENSOR_FUNCTIONS = frozenset(
    """
    abs absolute acos acosh adaptive_avg_pool1d add addbmm addcdiv addcmul addmm addmv addr adjoint
    all alpha_dropout amax amin angle any arange arccos arccosh arcsin arcsinh arctan arctan2
    arctanh argmax argmin argsort argwhere as_strided as_strided_scatter as_tensor asarray asin
    asinh atan atan2 atanh avg_pool1d baddbmm bartlett_window batch_norm bernoulli bilinear
    binary_cross_entropy_with_logits bincount binomial bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor blackman_window block_diag bmm broadcast_to bucketize
    cartesian_prod cat cdist ceil celu celu_ chain_matmul channel_shuffle cholesky cholesky_inverse
    cholesky_solve clamp clamp_max clamp_min clip clone column_stack combinations complex concat
    concatenate conj conj_physical conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
    conv_transpose3d copysign corrcoef cos cosh cosine_embedding_loss cosine_similarity
    count_nonzero cov cross ctc_loss cumprod cumsum cumulative_trapezoid deg2rad dequantize det
    detach diag diag_embed diagflat diagonal diagonal_scatter diff digamma dist div divide dot
    dropout dstack einsum embedding empty empty_like empty_permuted empty_strided eq erf erfc erfinv
    exp exp2 expm1 eye fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fill fix
    flatten flip fliplr flipud float_power floor floor_divide fmax fmin fmod frac from_dlpack
    from_file from_numpy frombuffer full full_like gather gcd ge ger get_rng_state greater
    greater_equal grid_sampler group_norm gt hamming_window hann_window hardshrink hash_tensor
    heaviside hinge_embedding_loss histc hspmm hstack hypot i0 igamma igammac imag index_add
    index_copy index_fill index_put index_reduce index_select inner instance_norm inverse isclose
    isfinite isin isinf isnan isneginf isposinf isreal istft kaiser_window kl_div kron layer_norm
    lcm ldexp le lerp less less_equal lgamma linspace log log10 log1p log2 log_softmax logaddexp
    logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logspace
    logsumexp lt lu_solve margin_ranking_loss masked_fill masked_scatter masked_select matmul
    matrix_exp matrix_power max_pool1d max_pool2d max_pool3d maximum mean minimum mm moveaxis
    movedim msort mul multinomial multiply mv mvlgamma nan_to_num nanmean nanquantile nansum narrow
    narrow_copy native_channel_shuffle ne neg negative nextafter nonzero nonzero_static norm normal
    not_equal ones ones_like orgqr ormqr outer pairwise_distance pdist permute pinverse
    pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu prod
    put quantile quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
    quantized_batch_norm quantized_max_pool1d quantized_max_pool2d rad2deg rand rand_like randint
    randint_like randn randn_like randperm range ravel real reciprocal relu relu_ remainder renorm
    repeat_interleave reshape resolve_conj resolve_neg rms_norm roll rot90 round row_stack rrelu
    rrelu_ rsqrt rsub scalar_tensor scatter scatter_add scatter_reduce searchsorted segment_reduce
    select select_scatter selu selu_ sgn sigmoid sign signbit sin sinc sinh slice_scatter smm
    softmax sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor
    sparse_csc_tensor sparse_csr_tensor sqrt square squeeze sspaddmm stack std stft sub subtract sum
    swapaxes swapdims t take take_along_dim tan tanh tensor tensordot threshold threshold_ tile
    trace transpose trapezoid trapz tril tril_indices triplet_margin_loss triu triu_indices
    true_divide trunc unflatten unsqueeze vander var vdot view_as_complex view_as_real vstack where
    xlogy zeros zeros_like
    """.split()
)
"""The functions of torch itself that return one tensor, whatever they are given."""

MODULES = frozenset(
    """
    einops einops.layers einops.layers.torch tensorboardX tensorboardX.writer
    torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn
    torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune
    torch.nn.utils.stateless torch.nn.utils.fusion torch.nn.parallel torch.nn.modules
    torch.nn.attention torch.nn.attention.flex_attention torch.nn.parameter torch.nn.quantized
    torch.nn.intrinsic torch.nn.qat torch.nn.grad torch.nn.common_types torch.optim
    torch.optim.lr_scheduler torch.optim.swa_utils torch.optim.optimizer torch.utils
    torch.utils.data torch.utils.data.distributed torch.utils.data.sampler torch.utils.data.dataset
    torch.utils.data.dataloader torch.utils.checkpoint torch.utils.tensorboard
    torch.utils.cpp_extension torch.utils.benchmark torch.utils.model_zoo torch.utils.dlpack
    torch.utils.hooks torch.utils.collect_env torch.utils.flop_counter torch.utils.bottleneck
    torch.utils._pytree torch.linalg torch.fft torch.special torch.amp torch.cuda torch.cuda.amp
    torch.cuda.nccl torch.cuda.nvtx torch.cuda.comm torch.cuda.random torch.cuda.memory torch.cpu
    torch.cpu.amp torch.mps torch.xpu torch.mtia torch.accelerator torch.distributed
    torch.distributed.rpc torch.distributed.optim torch.distributed.fsdp torch.distributed.tensor
    torch.distributed.device_mesh torch.distributed.checkpoint torch.distributed.nn
    torch.distributed.elastic torch.distributed.pipelining torch.distributed.algorithms
    torch.distributed.utils torch.autograd torch.autograd.functional torch.autograd.profiler
    torch.autograd.forward_ad torch.autograd.graph torch.autograd.function torch.func
    torch.distributions torch.distributions.constraints torch.distributions.kl
    torch.distributions.transforms torch.distributions.utils torch.jit torch.onnx torch.fx
    torch.fx.experimental torch.fx.experimental.proxy_tensor torch.hub torch.profiler
    torch.quantization torch.ao torch.ao.quantization torch.ao.nn torch.ao.pruning torch.sparse
    torch.backends torch.backends.cudnn torch.backends.cuda torch.backends.mps torch.backends.mkl
    torch.backends.mkldnn torch.backends.openmp torch.backends.quantized torch.backends.cpu
    torch.backends.xeon torch.random torch.serialization torch.storage torch.testing torch.overrides
    torch.library torch.package torch.futures torch.multiprocessing torch.monitor torch.masked
    torch.nested torch.signal torch.signal.windows torch.types torch.version torch.export
    torch.compiler torch.ops torch._C torch._dynamo torch._inductor torch._jit_internal torch._utils
    torch._six torch.functional torch.tensor_utils torch.return_types torch.torch_version
    torchvision torchvision.transforms torchvision.transforms.functional torchvision.transforms.v2
    torchvision.transforms.v2.functional torchvision.datasets torchvision.datasets.utils
    torchvision.datasets.folder torchvision.models torchvision.models.detection
    torchvision.models.segmentation torchvision.models.quantization torchvision.models.video
    torchvision.models.optical_flow torchvision.models.feature_extraction torchvision.models._utils
    torchvision.models._api torchvision.models.utils torchvision.ops torchvision.ops.misc
    torchvision.utils torchvision.io torchvision.tv_tensors torchvision.extension
    """.split()
)
"""The dotted names that are modules: a reference to one is no use of an API."""


CONTAINER_METHODS = frozenset(
    "append extend insert add_module pop keys values items update clear".split()
)

SETTING_UP = frozenset(
    "append insert extend update filterwarnings simplefilter basicConfig addHandler setLevel "
    "register seed manual_seed set_seed set_printoptions use setdefault".split()
)
"""Methods that modules call when they are imported: nobody runs a file for them."""
