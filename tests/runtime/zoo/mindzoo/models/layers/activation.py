"""Activations by name, some of them as zoos write them themselves."""

from mindspore import nn, ops


class Swish(nn.Cell):
    def __init__(self):
        super().__init__()
        self.result = None
        self.sigmoid = nn.Sigmoid()

    def construct(self, x):
        return x * self.sigmoid(x)


class HardMish(nn.Cell):
    def construct(self, x):
        return (x / 2) * ops.clamp(x + 2, 0, 2)


class QuickGELU(nn.GELU):
    """Derived from the layer of the framework, and computed in another way."""

    def __init__(self):
        super().__init__(approximate=True)

    def construct(self, x):
        return x * ops.sigmoid(1.702 * x)


class SquaredReLU(nn.ReLU):
    def construct(self, x):
        return ops.square(super().construct(x))


class StarReLU(nn.Cell):
    def __init__(self, scale=0.8944, bias=-0.4472):
        super().__init__()
        self.relu = ops.ReLU()
        self.scale = scale
        self.bias = bias

    def construct(self, x):
        return self.scale * self.relu(x) ** 2 + self.bias


_ACTIVATION_DEFAULT = dict(
    relu=nn.ReLU, relu6=nn.ReLU6, leaky_relu=nn.LeakyReLU, prelu=nn.PReLU, elu=nn.ELU, selu=nn.SeLU,
    gelu=nn.GELU, swish=Swish, silu=nn.SiLU, mish=nn.Mish, hard_sigmoid=nn.HSigmoid,
    hard_swish=nn.HSwish, hard_mish=HardMish, quick_gelu=QuickGELU, sigmoid=nn.Sigmoid,
    tanh=nn.Tanh, squared_relu=SquaredReLU, star_relu=StarReLU,
)


def create_activation(name):
    if not name:
        return None
    if isinstance(name, type):
        return name
    name = name.lower()
    assert name in _ACTIVATION_DEFAULT, f"{name} is not a supported activation"
    return _ACTIVATION_DEFAULT[name]
