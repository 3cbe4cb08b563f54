"""The same for MindSpore."""

from mindspore import Parameter, mint, nn, ops


class Gate(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.fc1 = mint.nn.Linear(width, 4)
        self.fc2 = mint.nn.Linear(4, width)
        self.conv = mint.nn.Conv2d(2, 1, 3, padding=1)

    def construct(self, x):
        mean = ops.mean(x, (2, 3))
        most = ops.amax(x, (2, 3))
        shares = self.fc2(ops.relu(self.fc1(mean))) + self.fc2(ops.relu(self.fc1(most)))
        x = x * ops.sigmoid(shares).expand_dims(-1).expand_dims(-1)
        where = ops.cat((x.mean(1, True), ops.amax(x, 1, True)), axis=1)
        return x * ops.sigmoid(self.conv(where))


class Up(nn.Cell):
    def __init__(self, width, out):
        super().__init__()
        self.conv = mint.nn.Conv2d(width, out * 4, 1)
        self.join = mint.nn.Conv2d(2 * out, out, 3)

    def construct(self, x, skip):
        x = ops.pixel_shuffle(self.conv(x), 2)
        x = ops.hardswish(x)
        x = ops.cat((skip, x), axis=1)
        x = ops.pad(x, (1, 1, 1, 1), mode="reflect")
        return ops.silu(self.join(x))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = mint.nn.Conv2d(3, 8, 3, padding=1)
        self.second = mint.nn.Conv2d(8, 12, 3, padding=1)
        self.gate = Gate(12)
        self.up = Up(12, 8)
        self.last = mint.nn.Conv2d(8, 3, 1)
        self.level = Parameter(ops.ones(1), name="level")

    def construct(self, x):
        low, high = ops.amin(x, (1, 2, 3), True), ops.amax(x, (1, 2, 3), True)
        x = (x - low) / (high - low + 1e-5) * 2 - 1
        one = ops.gelu(self.first(x), approximate="tanh")
        two = ops.max_pool2d(self.second(one), 2)
        two = self.gate(two)
        noise = ops.floor(two * 8) / 8
        two = two + 0.3 * (noise - two)
        out = self.last(self.up(two, one))
        out = ops.interpolate(
            out, scale_factor=2.0, mode="bilinear", align_corners=True, recompute_scale_factor=True
        )
        edge = out[:, :, 1:, :] - out[:, :, :-1, :]
        middle = ops.adaptive_avg_pool2d(out, 3)
        shares = ops.softmax(out.reshape(out.shape[0], 3, -1) * self.level, axis=1)
        return shares, ops.abs(edge).mean((1, 2, 3)), ops.var(middle.reshape(x.shape[0], -1), 1, 0)


def build():
    return Net()
