from functools import partial

import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce

t = torch.arange(2 * 6 * 3 * 4.0).reshape(2, 6, 3, 4)


def told(x):
    print(
        tuple(x.shape),
        round((x.flatten() * torch.arange(1.0, x.numel() + 1)).sum().item() / 1000, 3),
    )


told(rearrange(t, "b (h d) ... -> b h (...) d", h=2))
told(rearrange(t, "b ... -> b (...)"))
told(rearrange(t, "... w -> w (...)"))
told(rearrange(t, "b c ... -> (b ...) c"))
told(rearrange(t, "b c ... -> ... b c"))
told(rearrange(t, "b (x p) y z -> b x (p y z)", p=2))
told(rearrange(t, "b (p x) y z -> b x p (y z)", p=2))
told(rearrange(t, "x y pattern z -> z (x pattern) y"))
told(reduce(t, "x (y k) ... -> x (...)", "mean", y=2))
told(reduce(t, "b ... -> b", "sum"))
told(repeat(t[0], "x ... -> x n (...)", n=2))
told(repeat(t[0, 0], "h x -> 3 (h x)"))
told(Rearrange("b (x d) ... -> b x (...) d", d=3)(t))
told(Reduce("x (y k) ... -> x y", "max", k=3)(t))
for size in (1, 2, 3):
    told(rearrange(t, "b (x d) h w -> (b x) d (h w)", d=size))
spread = reduce(t, "b ... -> b 1 1", partial(torch.var, unbiased=False))
told(spread)
told(reduce(t[..., 0], "b n d -> b d", torch.amax))
