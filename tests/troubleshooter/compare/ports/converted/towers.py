from msconvert.runtime import nn, ops


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.second = nn.Dense(8, 4)
        self.first = nn.Dense(6, 8, activation="relu")

    def construct(self, x):
        return self.second(self.first(x))


class TwoTowers(nn.Cell):
    """Those of the items are computed first."""

    def __init__(self):
        super().__init__()
        self.right = Mlp()
        self.left = Mlp()
        self.score = nn.Dense(8, 1)

    def construct(self, user, item):
        b = self.right(item)
        a = self.left(user)
        return self.score(ops.concat((a, b), 1)), (a * b).sum(1)


def build():
    return TwoTowers()
