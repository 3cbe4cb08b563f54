"""The same for MindSpore."""

import mindspore as ms
from mindspore import Parameter, mint, nn, ops

SIZE = 4


def partition(x):
    b, h, w, c = x.shape
    x = x.reshape(b, h // SIZE, SIZE, w // SIZE, SIZE, c)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(-1, SIZE * SIZE, c)


def reverse(windows, h, w):
    b = windows.shape[0] // (h * w // SIZE // SIZE)
    x = windows.reshape(b, h // SIZE, w // SIZE, SIZE, SIZE, -1)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(b, h, w, -1)


def places():
    rows, columns = ops.meshgrid(ops.arange(SIZE), ops.arange(SIZE), indexing="ij")
    flat = ops.stack((rows.reshape(-1), columns.reshape(-1)))
    relative = flat.expand_dims(2) - flat.expand_dims(1)
    relative = relative.transpose(1, 2, 0) + (SIZE - 1)
    return relative[..., 0] * (2 * SIZE - 1) + relative[..., 1]


class WindowAttention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scale = (width // heads) ** -0.5
        self.table = Parameter(ops.zeros(((2 * SIZE - 1) ** 2, heads)), name="table")
        self.qkv = mint.nn.Linear(width, 3 * width)
        self.proj = mint.nn.Linear(width, width)

    def construct(self, x, mask):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(q, k.swapaxes(-2, -1)) * self.scale
        bias = self.table[places().reshape(-1)].reshape(n, n, -1).transpose(2, 0, 1)
        scores = scores + bias.expand_dims(0)
        count = mask.shape[0]
        scores = scores.reshape(b // count, count, self.heads, n, n) + mask[None, :, None]
        scores = ops.softmax(scores.reshape(-1, self.heads, n, n), axis=-1)
        return self.proj(ops.matmul(scores, v).swapaxes(1, 2).reshape(b, n, c))


class Block(nn.Cell):
    def __init__(self, width, heads, shift):
        super().__init__()
        self.shift = shift
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.attention = WindowAttention(width, heads)
        self.fc1 = mint.nn.Linear(width, 2 * width)
        self.fc2 = mint.nn.Linear(2 * width, width)

    def regions(self, h, w):
        marks = ops.zeros((1, h, w, 1))
        count = 0
        cuts = (slice(0, -SIZE), slice(-SIZE, -self.shift), slice(-self.shift, None))
        for rows in cuts:
            for columns in cuts:
                marks[:, rows, columns, :] = count
                count += 1
        marks = partition(marks).squeeze(-1)
        apart = marks.expand_dims(1) - marks.expand_dims(2)
        return (apart != 0).astype(ms.float32) * -100.0

    def construct(self, x):
        _, h, w, _ = x.shape
        y = ops.roll(self.norm(x), shifts=(-self.shift, -self.shift), dims=(1, 2))
        windows = self.attention(partition(y), self.regions(h, w))
        y = reverse(windows, h, w)
        y = ops.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))
        x = x + y
        return x + self.fc2(mint.nn.functional.gelu(self.fc1(x)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = mint.nn.Conv2d(3, 16, 2, 2)
        self.block = Block(16, 2, 2)
        self.reduce = mint.nn.Linear(64, 24)
        self.head = mint.nn.Linear(24, 5)

    def merge(self, x):
        parts = [x[:, i::2, j::2, :] for j in (0, 1) for i in (0, 1)]
        return self.reduce(ops.cat(parts, axis=-1))

    def construct(self, x):
        x = self.embed(x).transpose(0, 2, 3, 1)
        x = self.merge(self.block(x))
        x = x.reshape(x.shape[0], -1, x.shape[-1]).mean(1)
        x = x / ops.maximum(ops.norm(x, dim=-1, keepdim=True), 1e-12)
        return self.head(x)


def build():
    return Net()
