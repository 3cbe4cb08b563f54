"""What MindSpore's layers hold inside of them: operators, which derived layers call by name.

    class StdConv2d(nn.Conv2d):
        def construct(self, x):
            return self.conv2d(x, standardised(self.weight))

Our own layers compute otherwise; so an attribute is made when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import operations as P
from ..engine import dtype as dtypes
from ..engine.parameter import ParameterTuple
from ..engine.tensor import Tensor
from ..operations.operation import CLASSES
from ..ops.derivative import GradOperation
from ..ops.window import numbers

Made = dict[str, Callable[[Any], Any]]

HELD: dict[str, Made] = {}
"""By layer, then by attribute: how it is made of the layer."""

BY_NAME = {
    "abs": "Abs", "add": "Add", "array_mul": "MatMul", "assign": "Assign",
    "assign_sub_mean": "AssignSub", "assign_sub_var": "AssignSub", "assignsub": "AssignSub",
    "bias_add": "BiasAdd", "cast": "Cast", "ceil": "Ceil", "concat": "Concat", "cos": "Cos",
    "dtype": "DType", "exp": "Exp", "expand": "ExpandDims", "expand_dims": "ExpandDims",
    "fast_gelu": "FastGeLU", "gather": "Gather", "gather_d": "GatherD", "get_shp": "Shape",
    "hsigmoid": "HSigmoid", "hswish": "HSwish", "log": "Log", "logsoftmax": "LogSoftmax",
    "max": "Maximum", "maximum": "Maximum", "min": "Minimum", "mish": "Mish", "mul": "Mul",
    "mul_mean": "Mul", "mul_var": "Mul", "one_hot": "OneHot", "ones_like": "OnesLike",
    "pow": "Pow", "prelu": "PReLU", "rec": "Reciprocal", "reduce_mean": "ReduceMean",
    "reduce_sum": "ReduceSum", "relu": "ReLU", "relu6": "ReLU6", "reshape": "Reshape",
    "reshape_flat": "Reshape", "select": "Select", "selu": "SeLU", "shape": "Shape",
    "shape_op": "Shape", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin",
    "softmax_cross_entropy": "SoftmaxCrossEntropyWithLogits", "softsign": "Softsign",
    "sqrt": "Sqrt", "square": "Square", "squeeze": "Squeeze", "sub_mean": "Sub",
    "sub_var": "Sub", "tanh": "Tanh", "tile": "Tile", "transpose": "Transpose",
}  # fmt: skip
"""Operators without settings, by the names of their attributes."""


def hold(layers: str, names: str = "", **made: Callable[[Any], Any]) -> None:
    """The layers hold operators of BY_NAME, and what is `made` of the layer."""
    for layer in layers.split():
        plain: Made = {name: maker(BY_NAME[name]) for name in names.split()}
        HELD[layer] = HELD.get(layer, {}) | plain | made


def maker(operator: str) -> Callable[[Any], Any]:
    return lambda _: CLASSES[operator]()


def of_images(_: Any) -> str:
    return "NCHW"


def of_volumes(_: Any) -> str:
    return "NCDHW"


def conv2d(s: Any) -> Any:
    """Of a Conv1d too: an image of height 1, as MindSpore has it."""
    pads = numbers(s.padding, 1) if s.axes == 1 else s.padding
    sizes = [s.kernel_size, s.stride, s.dilation]
    if s.axes == 1:
        pads, sizes = (0, 0, *pads, *pads), [(1, *size) for size in sizes]
    kernel, stride, dilation = sizes
    return P.Conv2D(s.out_channels, kernel, 1, s.pad_mode, pads, stride, dilation, s.group)


def conv3d(s: Any) -> Any:
    return P.Conv3D(
        s.out_channels, s.kernel_size, 1, s.pad_mode, s.padding, s.stride, s.dilation, s.group
    )


def turned_around(s: Any) -> Any:
    return P.Conv2DTranspose(
        s.in_channels, s.kernel_size, s.pad_mode, s.padding,
        mode=1, stride=s.stride, dilation=s.dilation, group=s.group,
    )  # fmt: skip


def pool(name: str) -> Callable[[Any], Any]:
    """MaxPool or AvgPool; of a line, that of an image of height 1.

    With pad_mode "pad" MindSpore's layers hold others, which take volumes: AttributeError.
    """

    def of_layer(s: Any) -> Any:
        if padded(s):
            raise AttributeError(f"'{s.cls_name}' with pad_mode 'pad' holds no {name}")
        kernel, stride = (
            (1, *numbers(size, 1)) if s.axes == 1 else size for size in (s.kernel_size, s.stride)
        )
        return CLASSES[name](kernel, stride, s.pad_mode)

    return of_layer


def padded(s: Any) -> bool:
    return bool(s.pad_mode == "pad")


def parts(s: Any, start: str) -> ParameterTuple:
    """The parameters of all layers of a recurrent layer that are of one kind."""
    return ParameterTuple([p for name, p in s.parameters_and_names() if name.startswith(start)])


hold("Conv1d Conv2d", "bias_add", conv2d=conv2d, data_format=of_images)
hold("Conv1d", "expand_dims shape", squeeze=lambda _: P.Squeeze(2))
hold(
    "Conv3d", "bias_add shape", conv3d=conv3d, data_format=of_volumes, concat=lambda _: P.Concat(1)
)
hold("Conv1dTranspose Conv2dTranspose", "bias_add shape", data_format=of_images)
hold("Conv2dTranspose", conv2d_transpose=turned_around)
hold("Conv3dTranspose", "bias_add shape", data_format=of_volumes)
hold(
    "Conv1dTranspose Conv2dTranspose",
    is_valid=lambda s: s.pad_mode == "valid",
    is_same=lambda s: s.pad_mode == "same",
    is_pad=padded,
)
hold("Dense", "reshape shape_op bias_add", matmul=lambda _: P.MatMul(transpose_b=True))
hold("Dropout", dropout=lambda s: P.Dropout(keep_prob=1.0 - s.p))
hold("Dropout1d", prob=lambda s: s.p)
hold("Dropout2d", dropout2d=lambda s: P.Dropout2D(keep_prob=s.keep_prob))
hold("Dropout3d", dropout3d=lambda s: P.Dropout3D(keep_prob=s.keep_prob))
hold(
    "Embedding",
    "expand reshape_flat gather one_hot array_mul reshape get_shp concat",
    shp_flat=lambda _: (-1,),
    on_value=lambda s: Tensor(1.0, s.embedding_table.dtype),
    off_value=lambda s: Tensor(0.0, s.embedding_table.dtype),
)
hold(
    "_BatchNorm",
    "shape square sqrt cast dtype reshape sub_mean sub_var mul_mean mul_var",
    format=of_images,
    parallel_mode=lambda _: "stand_alone",
    reduce_mean=lambda _: P.ReduceMean(keep_dims=True),
    bn_train=lambda s: P.BatchNorm(True, s.eps, s.momentum),
    bn_infer=lambda s: P.BatchNorm(False, s.eps),
)
hold("_BatchNorm", "assign_sub_mean assign_sub_var")
hold("BatchNorm3d _InstanceNorm Unflatten", "shape")
hold("BatchNorm3d Unflatten", "reshape")
hold("MaxPool1d MaxPool2d", max_pool=pool("MaxPool"), format=of_images, use_pad=padded)
hold("AvgPool1d AvgPool2d", avg_pool=pool("AvgPool"), format=of_images)
hold("MaxPool1d AvgPool1d", "shape expand", squeeze=lambda _: P.Squeeze(2))
hold("MaxPool1d AvgPool1d", reduce_mean=lambda _: P.ReduceMean(keep_dims=True))
hold("AdaptiveAvgPool1d AdaptiveMaxPool1d", "shape expand dtype", squeeze=lambda _: P.Squeeze(2))
hold("AdaptiveAvgPool2d", adaptive_avgpool2d=lambda s: P.AdaptiveAvgPool2D(s.output_size))
hold("AdaptiveAvgPool3d", adaptive_avg_pool3d=lambda s: P.AdaptiveAvgPool3D(s.output_size))
hold("ReLU", "relu")
hold("ReLU6", "relu6")
hold("SeLU", "selu")
hold("FastGelu", "fast_gelu")
hold("Sigmoid", "sigmoid")
hold("Tanh", "tanh")
hold("PReLU", "prelu")
hold("RReLU", "sign")
hold("HSwish", "hswish")
hold("HSigmoid", "hsigmoid")
hold("LogSigmoid", "mul exp add rec log")
hold("Mish", "mish")
hold("Softsign", "softsign")
hold("ELU", elu=lambda s: P.Elu(s.alpha))
hold("CELU", celu=lambda s: P.CeLU(s.alpha))
hold("Softmax", softmax=lambda s: P.Softmax(s.axis))
hold("LogSoftmax", log_softmax=lambda s: P.LogSoftmax(s.axis))
hold("Softmax2d", "shape", softmax=lambda _: P.Softmax(-3))
hold("SoftShrink", softshrink=lambda s: P.SoftShrink(s.lambd))
hold("HShrink", hshrink=lambda s: P.HShrink(s.lambd))
hold("GLU", "sigmoid", dim=lambda s: s.axis)
hold("ChannelShuffle", "shape reshape transpose")
hold("Norm", "sqrt", reduce_sum=lambda _: P.ReduceSum(True))
hold("L1Regularizer", "abs reduce_sum")
hold("Tril Triu", "dtype mul cast")
hold("TimeDistributed", "transpose reshape")
hold("LossBase", "reduce_mean reduce_sum mul cast")
hold("CosineEmbeddingLoss PoissonNLLLoss", "maximum")
hold("DiceLoss MultiClassDiceLoss", "reshape")
hold("FocalLoss", "expand_dims gather_d squeeze tile dtype", logsoftmax=lambda _: P.LogSoftmax(1))
hold("RMSELoss", "dtype")
hold("MAELoss", "abs")
hold("SmoothL1Loss", smooth_l1_loss=lambda s: P.SmoothL1Loss(s.beta, s.reduction))
hold(
    "SoftmaxCrossEntropyWithLogits",
    "softmax_cross_entropy one_hot",
    on_value=lambda _: Tensor(1.0, dtypes.float32),
    off_value=lambda _: Tensor(0.0, dtypes.float32),
    is_cpugpu=lambda _: True,
    sparse_softmax_cross_entropy=lambda _: P.SparseSoftmaxCrossEntropyWithLogits(),
)
hold("TrainOneStepCell", parallel_mode=lambda _: "stand_alone")
hold(
    "ForwardValueAndGrad",
    grad=lambda s: GradOperation(s.get_all, s.get_by_list, s.sens_param),
)
hold(
    "LSTM GRU RNN",
    w_ih_list=lambda s: parts(s, "weight_ih"),
    w_hh_list=lambda s: parts(s, "weight_hh"),
    b_ih_list=lambda s: parts(s, "bias_ih"),
    b_hh_list=lambda s: parts(s, "bias_hh"),
)
hold("LSTM GRU RNN", is_lstm=lambda s: type(s).__name__ == "LSTM")
hold("CosineDecayLR", "cos sin min cast")
hold("ExponentialDecayLR NaturalExpDecayLR", "pow cast")
hold("PolynomialDecayLR", "pow ceil min max")
hold("WarmUpLR", "min cast")
hold("InverseDecayLR", "cast")
hold("Optimizer", _support_parallel_optimizer=lambda _: False)
hold("Momentum", params=lambda s: s.parameters)
hold("Momentum", opt=lambda s: P.ApplyMomentum(use_nesterov=s.use_nesterov))
hold("Adam", opt=lambda s: P.Adam(s.use_locking, s.use_nesterov))
hold("AdamWeightDecay", fused_opt=lambda _: P.AdamWeightDecay())
hold("Adagrad", opt=lambda s: P.ApplyAdagrad(update_slots=s.update_slots))
hold("AdaMax", opt=lambda _: P.ApplyAdaMax())
hold("Adadelta", opt=lambda _: P.ApplyAdadelta())
hold("ASGD", "pow maximum assign assignsub cast squeeze")
hold("Rprop", "sign assign cast select ones_like")
