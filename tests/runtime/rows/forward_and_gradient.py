"""A network's run and then its gradient, as training cells write them: its state moves once."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

STEP = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = nn.Dense(3, 2, weight_init='ones', bias_init='zeros')
        self.bn = nn.BatchNorm1d(2)
        self.count = ms.Parameter(ms.Tensor([0.0]), name='count', requires_grad=False)
    def construct(self, x):
        self.count += 1.0
        return (self.bn(self.d(x))[:1] * self.count).sum()
class Step(nn.Cell):
    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad({flag})
        self.weights = ms.ParameterTuple(network.bn.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True)
    def construct(self, x):
        {body}
net = Net()
gradients = Step(net).set_train()(x(4, 3))
result = [gradients, net.count + 0, net.bn.moving_mean + 0, net.bn.moving_variance + 0]
"""
ONCE = (
    "return self.network(x), self.grad(self.network, self.weights)(x)",
    "return self.network(x), ms.grad(self.network, None, self.weights)(x)",
    "return self.network(x), ms.value_and_grad(self.network, None, self.weights)(x)",
)
EACH_TIME = (
    "return self.grad(self.network, self.weights)(x)",
    "return self.network(x * 2.0), self.grad(self.network, self.weights)(x)",
    "return self.network(x), self.network(x)",
)
rows(
    *[STEP.format(flag=True, body=body) for body in ONCE + EACH_TIME],
    *[STEP.format(flag=False, body=body) for body in EACH_TIME],
    gradient=False,
    because="the state is what is looked at",
)
