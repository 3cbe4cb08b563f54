"""Other steps: distillation, accumulation by hand, sharpness-aware, and a function of one's own."""

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops


class DistillationCell(nn.Cell):
    """The network with a loss that looks at the inputs too."""

    def __init__(self, network, loss_fn):
        super().__init__(auto_prefix=False)
        self._backbone = network
        self._loss_fn = loss_fn

    def construct(self, data, label):
        out = self._backbone(data)
        return self._loss_fn(data, out, label)

    @property
    def backbone_network(self):
        return self._backbone


class SelfDistilled(nn.WithLossCell):
    """Consistency between an image and its mirror."""

    def construct(self, data, label):
        out = self._backbone(data)
        flipped = self._backbone(ops.flip(data, (3,)))
        return self._loss_fn(out, label) + 0.5 * ops.mse_loss(out, ops.stop_gradient(flipped))


class AccumulatingStep(nn.Cell):
    def __init__(self, network, optimizer, steps=2):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.steps = network, optimizer, steps
        self.network.set_grad()
        self.weights = ParameterTuple(network.trainable_params())
        self.grad_fn = ops.GradOperation(get_by_list=True)
        self.accumulated = self.weights.clone("accumulated", init="zeros")
        self.step = Parameter(Tensor(0, ms.int32), name="step")

    def construct(self, data, label):
        loss = self.network(data, label)
        grads = self.grad_fn(self.network, self.weights)(data, label)
        for held, grad in zip(self.accumulated, grads):
            ops.assign_add(held, grad / self.steps)
        ops.assign_add(self.step, Tensor(1, ms.int32))
        if self.step % self.steps == 0:
            self.optimizer(self.accumulated)
            for held in self.accumulated:
                ops.assign(held, ops.zeros_like(held))
        return loss


class StepWithSam(nn.TrainOneStepCell):
    """Gradients at weights that are moved to where the loss is larger."""

    def __init__(self, network, optimizer, rho=0.05):
        super().__init__(network, optimizer)
        self.rho = rho
        self.kept = self.weights.clone(prefix="kept", init="zeros")

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad_no_sens(self.network, self.weights)(*inputs)
        norm = 0.0
        for g in grads:
            norm = norm + ops.square(g).sum()
        norm = ops.sqrt(norm) + 1e-12
        for held, weight, g in zip(self.kept, self.weights, grads):
            ops.assign(held, weight)
            ops.assign_add(weight, self.rho * g / norm)
        grads = self.grad_no_sens(self.network, self.weights)(*inputs)
        for held, weight in zip(self.kept, self.weights):
            ops.assign(weight, held)
        return ops.depend(loss, self.optimizer(grads))


def train_function(network, loss_fn, optimizer, scaler=None, clip=None):
    """The step as a function, compiled as a whole."""

    def forward_fn(data, label):
        logits = network(data)
        loss = loss_fn(logits, label)
        if scaler is not None:
            loss = scaler.scale(loss)
        return loss, logits

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    @ms.jit
    def train_step(data, label):
        (loss, _), grads = grad_fn(data, label)
        if scaler is not None:
            loss = scaler.unscale(loss)
            grads = scaler.unscale(grads)
        if clip is not None:
            grads = ops.clip_by_value(grads, -clip, clip)
        loss = ops.depend(loss, optimizer(grads))
        return loss

    return train_step
