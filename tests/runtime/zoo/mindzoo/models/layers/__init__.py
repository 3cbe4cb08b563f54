"""Layers that several models share."""

from .activation import create_activation
from .attention import Attention, PatchEmbed, Mlp, LayerNorm2d, LayerScale, to_2tuple
from .channel import ChannelAttention, EcaModule, SqueezeExcite, SqueezeExciteV2
from .conv_norm_act import Conv2dNormActivation, ConvNormAct, DepthwiseSeparable
from .derived import (CondConv2d, Conv2dSame, CosineDense, FilterResponseNorm, GroupNormAct,
                      LoRADense, ScaledStdConv2d, StdConv2d)
from .drop_path import DropPath
from .pooling import BlurPool2d, GlobalAvgPooling, GeneralizedMeanPooling
from .selective_kernel import SelectiveKernel
from .split_attn import SplitAttn
from .weight_init import init_like_conv_zoo, init_like_vit_zoo, make_divisible, trunc_normal_
