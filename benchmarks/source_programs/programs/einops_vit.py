"""A vision transformer in the style of lucidrains: einops layers, pre-norm, talking heads, masked patches."""
import torch
import torch.nn.functional as F
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import einsum, nn


def pair(t):
    return t if isinstance(t, tuple) else (t, t)


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class Attention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=4):
        super().__init__()
        inner_dim = dim_head * heads
        self.heads, self.scale = heads, dim_head ** -0.5
        self.mix_heads_pre = nn.Parameter(torch.eye(heads) + 0.1)
        self.to_qkv = nn.Linear(dim, inner_dim * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, dim), nn.Dropout(0.0))

    def forward(self, x, mask=None):
        b, n, _, h = *x.shape, self.heads
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> b h n d", h=h), qkv)
        dots = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        dots = einsum("b h i j, h g -> b g i j", dots, self.mix_heads_pre)
        if mask is not None:
            dots = dots.masked_fill(~rearrange(mask, "b j -> b 1 1 j"), -torch.finfo(dots.dtype).max)
        out = einsum("b h i j, b h j d -> b h i d", dots.softmax(dim=-1), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))


class Transformer(nn.Module):
    def __init__(self, dim, depth, mlp_dim):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([
                PreNorm(dim, Attention(dim)),
                PreNorm(dim, nn.Sequential(nn.Linear(dim, mlp_dim), nn.GELU(), nn.Linear(mlp_dim, dim)))]))

    def forward(self, x, mask=None):
        for attn, ff in self.layers:
            x = attn(x, mask=mask) + x
            x = ff(x) + x
        return x


class ViT(nn.Module):
    def __init__(self, *, image_size, patch_size, num_classes, dim, depth, mlp_dim, channels=2):
        super().__init__()
        image_height, image_width = pair(image_size)
        patch_height, patch_width = pair(patch_size)
        num_patches = (image_height // patch_height) * (image_width // patch_width)
        patch_dim = channels * patch_height * patch_width
        self.to_patch_embedding = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch_height, p2=patch_width),
            nn.LayerNorm(patch_dim), nn.Linear(patch_dim, dim))
        self.pos_embedding = nn.Parameter(torch.cos(torch.arange((num_patches + 1) * dim).float()).view(1, num_patches + 1, dim))
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.transformer = Transformer(dim, depth, mlp_dim)
        self.mlp_head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, num_classes))
        self.pool = Reduce("b n d -> b d", "mean")

    def forward(self, img, mask=None, pool="cls"):
        x = self.to_patch_embedding(img)
        b, n, _ = x.shape
        x = torch.cat((repeat(self.cls_token, "() n d -> b n d", b=b), x), dim=1)
        x = x + self.pos_embedding[:, :(n + 1)]
        if mask is not None:
            mask = F.pad(rearrange(mask, "b ... -> b (...)"), (1, 0), value=True)
        x = self.transformer(x, mask=mask)
        return self.mlp_head(x[:, 0] if pool == "cls" else self.pool(x))


vit = ViT(image_size=(8, 4), patch_size=2, num_classes=3, dim=8, depth=2, mlp_dim=16)
with torch.no_grad():
    for i, (name, p) in enumerate(vit.named_parameters()):
        if name.endswith("weight") and p.dim() == 2:
            p.copy_(torch.sin(torch.arange(p.numel()).float() * 0.43 + i).view(p.shape) * 0.4)
        elif name.endswith("bias"):
            p.zero_()
imgs = torch.sin(torch.arange(6 * 2 * 8 * 4).float() * 0.11).view(6, 2, 8, 4)
labels = torch.arange(6) % 3
opt = torch.optim.Adam(vit.parameters(), lr=5e-3)
for epoch in range(4):
    loss = F.cross_entropy(vit(imgs), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, round(loss.item(), 4))
vit.eval()
mask = reduce(imgs, "b c (h p) (w q) -> b h w", "max", p=2, q=2) > 0.3
with torch.no_grad():
    print(mask.sum().item(), [round(v, 4) for v in vit(imgs, mask=mask)[0].tolist()])
    print([round(v, 4) for v in vit(imgs, pool="mean").mean(0).tolist()])
grid = rearrange(imgs, "(r k) c h w -> (r h) (k w) c", r=2)
print(tuple(grid.shape), round(reduce(grid, "h w c -> c", "sum")[1].item(), 4))
up = repeat(imgs[:1], "b c h w -> b c (h a) (w d)", a=2, d=3)
print(tuple(up.shape), torch.equal(reduce(up, "b c (h a) (w d) -> b c h w", "min", a=2, d=3), imgs[:1]))
