"""A board game: columns of stones, blocks that weigh channels, a policy of legal moves, a value."""

from mindspore import nn, ops


def legal_shares(logits, legal):
    """Softmax over what is allowed."""
    low = ops.full_like(logits, -1e4)
    kept = ops.where(legal > 0.5, logits, low)
    return ops.softmax(kept, axis=-1), ops.log_softmax(kept, axis=-1)


def around(x):
    """How many stones stand next to each place, diagonals by half."""
    padded = ops.pad(x, (1, 1, 1, 1))
    straight = padded[:, :, 1:-1, 2:] + padded[:, :, 1:-1, :-2]
    straight = straight + padded[:, :, 2:, 1:-1] + padded[:, :, :-2, 1:-1]
    across = padded[:, :, 2:, 2:] + padded[:, :, :-2, :-2]
    return straight + 0.5 * across


class Weighed(nn.Cell):
    """A residual block whose channels are scaled and shifted by what the whole board says."""

    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, pad_mode="pad", padding=1, has_bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm2 = nn.BatchNorm2d(width)
        self.squeeze = nn.Dense(2 * width, width)
        self.excite = nn.Dense(width, 2 * width)

    def construct(self, x):
        y = ops.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        pooled = ops.cat([y.mean((2, 3)), y.amax((2, 3))], axis=1)
        scale, shift = self.excite(ops.relu(self.squeeze(pooled))).chunk(2, 1)
        y = y * ops.sigmoid(scale)[:, :, None, None] + shift[:, :, None, None]
        return ops.relu(x + y)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(7, 10, 3, pad_mode="pad", padding=1, has_bias=True)
        self.blocks = nn.CellList([Weighed(10) for _ in range(2)])
        self.policy = nn.Conv2d(10, 3, 1, pad_mode="valid", has_bias=True)
        self.wait = nn.Dense(10, 1)
        self.value1 = nn.Dense(10, 12)
        self.value2 = nn.Dense(12, 3)
        self.owner = nn.Conv2d(10, 1, 1, pad_mode="valid", has_bias=True)

    def construct(self, board, legal, played):
        own, other = board[:, 0:1], board[:, 1:2]
        empty = 1.0 - own - other
        near = around(own) - around(other)
        free = around(empty) / 6.0
        pressed = (own * (1.0 - free)).clamp(min=0.25)
        x = ops.cat([own, other, empty, near, free, pressed, own - other], axis=1)
        x = ops.relu(self.enter(x))
        for block in self.blocks:
            x = block(x)
        moves = self.policy(x)
        best = moves.amax(1) + 0.1 * moves.mean(1)
        whole = x.mean((2, 3))
        logits = ops.cat([best.flatten(1), self.wait(whole)], axis=1)
        shares, logs = legal_shares(logits, legal)
        outcome = ops.softmax(self.value2(ops.elu(self.value1(whole))), axis=-1)
        value = outcome[:, 0] - outcome[:, 2]
        owned = ops.tanh(self.owner(x)).squeeze(1)
        score = (owned * empty[:, 0]).sum((1, 2)) - 3.5
        spread = -(shares * logs).sum(-1)
        missed = -ops.gather_elements(logs, 1, played[:, None]).squeeze(1).clamp(min=-8.0)
        loss = (missed * (1.0 + value.abs())).mean() - 0.01 * spread.mean()
        return shares, value, owned, score / 10.0, loss


def build():
    return Net()


def inputs():
    stones = ops.randint(0, 3, (2, 1, 5, 5))
    board = ops.cat([(stones == 1).float(), (stones == 2).float()], axis=1)
    legal = ops.cat([(stones == 0).float().flatten(1), ops.ones((2, 1))], axis=1)
    return board, legal, ops.randint(0, 26, (2,))
