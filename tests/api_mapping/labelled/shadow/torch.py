"""A module of this folder's own that is called torch: a script beside it imports this."""


def relu(x):
    return x


class Tensor:
    def view(self, n):
        return self
