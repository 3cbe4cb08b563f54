"""What gives the same when it is computed once more: layers and functions, by their names."""

from __future__ import annotations

PURE = frozenset(
    """
    Linear Bilinear Identity Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
    Embedding LayerNorm GroupNorm RMSNorm LocalResponseNorm InstanceNorm1d InstanceNorm2d
    InstanceNorm3d ReLU ReLU6 LeakyReLU PReLU ELU SELU CELU GELU SiLU Mish Tanh Sigmoid LogSigmoid
    Softplus Softsign Softshrink Hardshrink Hardtanh Hardsigmoid Hardswish Tanhshrink Threshold GLU
    Softmax LogSoftmax Softmin Softmax2d MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d LPPool1d LPPool2d ZeroPad1d ZeroPad2d ConstantPad1d ConstantPad2d
    ReflectionPad1d ReflectionPad2d ReplicationPad1d ReplicationPad2d Flatten Unflatten Upsample
    UpsamplingNearest2d UpsamplingBilinear2d PixelShuffle PixelUnshuffle Fold Unfold
    CosineSimilarity PairwiseDistance RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention
    Parameter ParameterList ParameterDict Buffer Sequential ModuleList ModuleDict
    MSELoss L1Loss SmoothL1Loss HuberLoss CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss
    KLDivLoss PoissonNLLLoss GaussianNLLLoss TripletMarginLoss CosineEmbeddingLoss
    """.split()
)
"""Layers that draw nothing and keep nothing, by their names in torch.nn."""

WEIGHTED = frozenset(
    """
    Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding
    RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention
    """.split()
)
"""Layers that draw their weights when they are made."""

CHANGED_AT = {
    "Embedding": 3,
    "MultiheadAttention": 2,
    "RNN": 6,
    "LSTM": 5,
    "GRU": 5,
    "InstanceNorm1d": 4,
    "InstanceNorm2d": 4,
    "InstanceNorm3d": 4,
    "scaled_dot_product_attention": 4,
}
"""The places of these arguments."""

DRAWING = frozenset(
    """
    rand randn rand_like randn_like randint randint_like randperm normal bernoulli multinomial
    poisson binomial normal_ uniform_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ random_
    sample rsample dropout dropout_ dropout1d dropout2d dropout3d alpha_dropout
    feature_alpha_dropout rrelu rrelu_ gumbel_softmax batch_norm random uniform choice choices
    shuffle gauss permutation standard_normal random_sample integers sample_n time perf_counter
    fractional_max_pool2d fractional_max_pool3d
    multi_head_attention_forward trunc_normal_ kaiming_normal_ xavier_normal_ kaiming_uniform_
    xavier_uniform_ manual_seed seed monotonic checkpoint set_rng_state native_dropout
    """.split()
)
"""Functions and methods that draw numbers, keep statistics, or tell the time."""
