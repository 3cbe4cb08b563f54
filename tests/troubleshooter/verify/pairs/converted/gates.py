from msconvert.runtime import nn, ops


class Gates(nn.Cell):
    """Functions that kernels approximate, at numbers where it shows."""

    def __init__(self, size=12):
        super().__init__()
        self.inner = nn.Dense(size, size)
        self.gru = nn.GRU(size, size, batch_first=True)
        self.act = nn.ELU()

    def construct(self, x):
        y = ops.tanh(4 * self.inner(x)) * ops.sigmoid(x)
        z = self.gru(y)[0]
        kinds = [ops.silu(z), ops.softplus(y), ops.gelu(z), self.act(2 * y), ops.exp(z) - ops.log(x.abs() + 1)]
        return ops.log_softmax(sum(kinds), -1), ops.softmax(y, 1), ops.logsumexp(z, -1)
