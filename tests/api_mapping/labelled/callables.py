"""What is only known to be called: what it gives may be anything, unless its type says it."""

from collections.abc import Callable

from torch import Tensor, nn


class Stage(nn.Module):  #: nn.Module
    def __init__(self, dim: int, norm_layer: Callable, act: Callable[..., nn.Module]):  #: nn.Module
        super().__init__()
        self.norm = norm_layer(dim)
        self.act = act()

    def forward(self, x: Tensor):  #: torch.Tensor
        x = self.norm(x)
        x = x.reshape(2, -1).permute(1, 0)  #: T.reshape T.permute
        self.act.eval()  #: M.eval
        return self.act(x)


def applied(
    fn: Callable[[Tensor], Tensor],  #: torch.Tensor torch.Tensor
    name: Callable[[int], str],
    attention: Callable,
    x: Tensor,  #: torch.Tensor
):
    out, weights = attention(x)
    out = out.transpose(1, 2).contiguous()  #: T.transpose T.contiguous
    print(name(3).split(), attention.__name__.count("x"))
    return fn(x).sum(), out, weights  #: T.sum
