from torch import nn
from functools import partial
import torch

pair = lambda x: x if isinstance(x, tuple) else (x, x)

class PreNormResidual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.fn(self.norm(x)) + x

class Patches(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        # b c (h p1) (w p2) -> b (h w) (p1 p2 c)
        p = self.p
        x = x.unfold(2, p, p).unfold(3, p, p)
        b, c, h, w, _, _ = x.size()
        return x.permute(0, 2, 3, 4, 5, 1).contiguous().view(b, h * w, p * p * c)

def FeedForward(dim, expansion_factor = 4, dropout = 0., dense = nn.Linear):
    inner_dim = int(dim * expansion_factor)
    return nn.Sequential(
        dense(dim, inner_dim),
        nn.GELU(),
        nn.Dropout(dropout),
        dense(inner_dim, dim),
        nn.Dropout(dropout)
    )

class Mean(nn.Module):
    def forward(self, x): return torch.mean(x, dim=1)

def MLPMixer(*, image_size, channels, patch_size, dim, depth, num_classes, expansion_factor = 4, expansion_factor_token = 0.5, dropout = 0.):
    image_h, image_w = pair(image_size)
    assert (image_h % patch_size) == 0 and (image_w % patch_size) == 0, 'image must be divisible by patch size'
    num_patches = (image_h // patch_size) * (image_w // patch_size)
    chan_first, chan_last = partial(nn.Conv1d, kernel_size = 1), nn.Linear

    return nn.Sequential(
        Patches(patch_size),
        nn.Linear((patch_size ** 2) * channels, dim),
        *[nn.Sequential(
            PreNormResidual(dim, FeedForward(num_patches, expansion_factor, dropout, chan_first)),
            PreNormResidual(dim, FeedForward(dim, expansion_factor_token, dropout, chan_last))
        ) for _ in range(depth)],
        nn.LayerNorm(dim),
        Mean(),
        nn.Linear(dim, num_classes)
    )


def build():
    return MLPMixer(image_size=16, channels=3, patch_size=4, dim=16, depth=2, num_classes=4)

def inputs():
    torch.manual_seed(0)
    return (torch.randn(2, 3, 16, 16),)
