import numpy as np

from msconvert.runtime import Parameter, Tensor, nn, ops


class SelfAttention(nn.Cell):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.wq = nn.Dense(d, d)
        self.wk = nn.Dense(d, d)
        self.wv = nn.Dense(d, d)
        self.wo = nn.Dense(d, d)
        self.softmax = nn.Softmax(-1)

    def split(self, x):
        n, t, d = x.shape
        return x.reshape(n, t, self.h, d // self.h).transpose(0, 2, 1, 3)

    def construct(self, x):
        n, t, d = x.shape
        q, k, v = self.split(self.wq(x)), self.split(self.wk(x)), self.split(self.wv(x))
        a = self.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) * (d // self.h) ** -0.5)
        y = ops.matmul(a, v).transpose(0, 2, 1, 3).reshape(n, t, d)
        return self.wo(y)


class FeedForward(nn.Cell):
    def __init__(self, d):
        super().__init__()
        self.mapping = nn.Dense(d, 2 * d)
        self.act = nn.GELU(approximate=False)
        self.projection = nn.Dense(2 * d, d)

    def construct(self, x):
        return self.projection(self.act(self.mapping(x)))


class Layer(nn.Cell):
    def __init__(self, d, h):
        super().__init__()
        self.layernorm1 = nn.LayerNorm((d,), epsilon=1e-6)
        self.layernorm2 = nn.LayerNorm((d,), epsilon=1e-6)
        self.attention = SelfAttention(d, h)
        self.output = FeedForward(d)

    def construct(self, x):
        x = x + self.attention(self.layernorm1(x))
        return x + self.output(self.layernorm2(x))


class Net(nn.Cell):
    def __init__(self, d=12):
        super().__init__()
        self.position = Parameter(Tensor(np.zeros((1, 5, d), np.float32)), name="position")
        self.token = Parameter(Tensor(np.zeros((1, 1, d), np.float32)), name="token")
        self.embedding = nn.Conv2d(3, d, 4, 4, pad_mode="valid", has_bias=True)
        self.encoder = nn.SequentialCell([Layer(d, 3) for _ in range(2)])
        self.encoder_norm = nn.LayerNorm((d,), epsilon=1e-6)
        self.fc = nn.Dense(d, 7)

    def construct(self, x):
        x = self.embedding(x)
        n, d = x.shape[:2]
        x = x.reshape(n, d, -1).transpose(0, 2, 1)
        token = ops.broadcast_to(self.token, (n, 1, d))
        x = ops.concat((token, x), 1) + self.position
        return self.fc(self.encoder_norm(self.encoder(x))[:, 0])


def build():
    return Net()
