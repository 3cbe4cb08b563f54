"""Mistakes in the own code of networks that were ported by hand, and the same written otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NETWORKS = Path(__file__).with_name("networks_by_hand")


@dataclass(frozen=True)
class Slip:
    """A text of the ported file and what is written instead.

    `line`: a text in the original's line that answers to it. `causes`: names in docs/causes.md.
    `used`: a text in the line that uses what is made wrong elsewhere, as in NumPy.
    """

    network: str
    right: str
    wrong: str
    line: str
    causes: tuple[str, ...]
    used: str = ""

    @property
    def key(self) -> str:
        return f"{self.network}: {self.wrong.strip()[:40] or 'left out'}"


@dataclass(frozen=True)
class Planted:
    """The ported file with the slip: where it is written, and the number of its line."""

    file: Path
    line: int


def planted(network: str, right: str, wrong: str, folder: Path) -> Planted:
    """Writes the ported file with one text for another.

    Raises: ValueError if the first is not there once
    """
    plain = ported(network).read_text(encoding="utf-8")
    if plain.count(right) != 1:
        raise ValueError(f"{right!r} is there {plain.count(right)} times")
    spoiled = plain.replace(right, wrong)
    file = folder / ported(network).name
    file.write_text(spoiled, encoding="utf-8")
    same = next(i for i, (a, b) in enumerate(zip(plain, spoiled, strict=False)) if a != b)
    return Planted(file, spoiled[:same].count("\n") + 1)


def original(network: str) -> Path:
    return NETWORKS / f"{network}.py"


def ported(network: str) -> Path:
    return NETWORKS / f"{network}_ported.py"


def lines_with(network: str, text: str) -> list[int]:
    """The numbers of the original's lines with the text."""
    return lines_of(original(network), text)


def lines_of(file: Path, text: str) -> list[int]:
    """The numbers of a file's lines with the text."""
    lines = file.read_text(encoding="utf-8").split("\n")
    return [number for number, line in enumerate(lines, 1) if text in line]


SLIPS = (
    Slip(
        "decoder",
        "q = q * cos + rotate_half(q) * sin",
        "q = q * cos - rotate_half(q) * sin",
        "q = q * cos",
        ("operator-other",),
    ),
    Slip(
        "decoder",
        "ops.cat((-second, first), axis=-1)",
        "ops.cat((first, -second), axis=-1)",
        "torch.cat([-second",
        ("function-order",),
    ),
    Slip(
        "decoder",
        "ops.triu(ops.ones((n, n)), 1)",
        "ops.triu(ops.ones((n, n)), 0)",
        "causal = torch.triu",
        ("function-mask-shifted",),
    ),
    Slip(
        "decoder",
        "scores = ops.masked_fill(scores, causal,",
        "scores = ops.masked_fill(scores, ~causal,",
        "scores.masked_fill(causal",
        ("function-mask-inverted",),
    ),
    Slip(
        "decoder",
        "        scores = scores.masked_fill(padded.expand_dims(1).expand_dims(1), -1e9)\n",
        "",
        "scores.masked_fill(padded",
        ("function-mask-missing",),
    ),
    Slip(
        "decoder",
        "k = ops.repeat_interleave(k, self.heads // self.groups, axis=1)",
        "k = ops.tile(k, (1, self.heads // self.groups, 1, 1))",
        "k = k.repeat_interleave",
        ("operator-other",),
    ),
    Slip(
        "decoder",
        "logits / 0.7",
        "logits / 0.9",
        "logits / 0.7",
        ("function-constant",),
    ),
    Slip(
        "windows",
        "y = ops.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))",
        "y = ops.roll(y, shifts=(-self.shift, -self.shift), dims=(1, 2))",
        "y = torch.roll(y",
        ("function-roll",),
    ),
    Slip(
        "windows",
        "self.heads, n, n) + mask[None, :, None]\n",
        "self.heads, n, n)\n",
        "mask[None, :, None]",
        ("operator-missing",),
    ),
    Slip(
        "boxes",
        'mode="bilinear", align_corners=False',
        'mode="bilinear", align_corners=True',
        "wide = F.interpolate",
        ("function-interpolate",),
    ),
    Slip(
        "boxes",
        "two = ops.leaky_relu(self.c2(one), 0.1)",
        "two = ops.leaky_relu(self.c2(one), 0.2)",
        "two = F.leaky_relu",
        ("function-slope", "function-constant"),
    ),
    Slip(
        "losses",
        "label_smoothing=0.1",
        "label_smoothing=0.01",
        "classes = F.cross_entropy",
        ("function-label-smoothing",),
    ),
    Slip(
        "losses",
        "weight=self.shares, ignore_index=3",
        "weight=self.shares",
        "classes = F.cross_entropy",
        ("function-ignore-index",),
    ),
    Slip(
        "losses",
        'reduction="batchmean"',
        'reduction="mean"',
        "F.kl_div(",
        ("function-reduction",),
    ),
    Slip(
        "messages",
        "weights = powers / (total[target] + 1e-9)",
        "weights = powers / (total[source] + 1e-9)",
        "weights = powers",
        ("function-value",),
    ),
    Slip(
        "sequence",
        "alpha = ops.logsumexp(paths, 1)",
        "alpha = ops.logsumexp(paths, 2)",
        "alpha = torch.logsumexp",
        ("function-axis",),
    ),
    Slip(
        "segmenting",
        "ops.cat((skip, x), axis=1)",
        "ops.cat((x, skip), axis=1)",
        "torch.cat([skip, x]",
        ("function-order",),
    ),
    Slip(
        "segmenting",
        "return ops.silu(self.join(x))",
        "return ops.relu(self.join(x))",
        "F.silu(self.join",
        ("operator-other",),
    ),
    Slip(
        "experts",
        "turned = ops.flip(parts, (1,))",
        "turned = ops.flip(parts, (2,))",
        "turned = parts.flip",
        ("function-axis",),
    ),
    Slip(
        "experts",
        "bins = ops.arange(8) // 3",
        "bins = ops.arange(8) / 3",
        "bins = torch.div",
        ("operator-other", "function-division"),
    ),
    Slip(
        "translator",
        "math.sqrt(q.shape[-1])",
        "math.sqrt(q.shape[-2])",
        "F.scaled_dot_product_attention",
        ("function-constant",),
    ),
    Slip(
        "translator",
        "scores = scores + mask\n",
        "scores = scores - mask\n",
        "F.scaled_dot_product_attention",
        ("operator-other",),
    ),
    Slip(
        "translator",
        "weights = ops.softmax(scores, -1)",
        "weights = ops.softmax(scores, -2)",
        "F.scaled_dot_product_attention",
        ("function-axis",),
    ),
    Slip(
        "translator",
        "spread = logs.mean(-1)",
        "spread = logs.sum(-1)",
        "loss = F.cross_entropy",
        ("operator-other",),
    ),
    Slip(
        "translator",
        "counted = (wanted != 0)",
        "counted = (wanted != 1)",
        "loss = F.cross_entropy",
        ("function-constant",),
    ),
    Slip(
        "translator",
        "np.sin(angles), np.cos(angles)]",
        "np.cos(angles), np.sin(angles)]",
        "x = self.embedding(tokens)",
        ("function-made",),
        "x = self.embedding(tokens)",
    ),
    Slip(
        "speech",
        "high = ops.maximum(a, b)",
        "high = ops.minimum(a, b)",
        "torch.logaddexp(alpha, came)",
        ("operator-other",),
    ),
    Slip(
        "speech",
        "/ (mel.shape[1] - 1))",
        "/ mel.shape[1])",
        "return (mel - mean) / (mel.std",
        ("function-constant",),
    ),
    Slip(
        "points",
        "own - 2 * product + others",
        "own - product + others",
        "return torch.cdist",
        ("function-scale",),
    ),
    Slip(
        "points",
        "nearest = ops.minimum(nearest, away)",
        "nearest = ops.maximum(nearest, away)",
        "nearest = torch.minimum",
        ("operator-other",),
    ),
    Slip(
        "mixer",
        "x * ops.rsqrt(size + self.eps)",
        "x * ops.rsqrt(size + 1e-3)",
        "return F.rms_norm",
        ("function-constant",),
    ),
    Slip(
        "mixer",
        "scores = ops.matmul(q, k.transpose(0, 1, 3, 2)) * self.scale\n",
        "scores = ops.matmul(q, k.transpose(0, 1, 3, 2))\n",
        'scores = torch.einsum("bhid',
        ("function-scale",),
    ),
    Slip(
        "mixer",
        "np.array([0.229, 0.224, 0.225]",
        "np.array([0.229, 0.225, 0.224]",
        "spread = torch.tensor",
        ("function-made",),
        "images = (images",
    ),
    Slip(
        "tree",
        "last = ops.cat((h[-2], h[-1]), axis=-1)",
        "last = ops.cat((h[-1], h[-1]), axis=-1)",
        "last = torch.cat",
        ("function-index",),
    ),
    Slip(
        "tree",
        "h = now * new + (1 - now) * h\n",
        "h = now * new\n",
        "h, c = torch.where",
        ("operator-missing",),
    ),
    Slip(
        "advert",
        "(7, 5, 11)",
        "(7, 11, 5)",
        "hashed =",
        ("function-made",),
        "buckets =",
    ),
    Slip(
        "advert",
        "item_embedding(item)",
        "item_embedding(item - 1)",
        "target = self.items",
        ("operator-extra",),
    ),
    Slip(
        "advert",
        "xl = x0 * kernel(xl) + xl",
        "xl = xl * kernel(xl) + xl",
        "x = first * layer",
        ("function-value",),
    ),
    Slip(
        "selective",
        "a = -ops.exp(self.decay)",
        "a = -self.decay",
        "a = -torch.exp",
        ("operator-missing",),
    ),
    Slip(
        "selective",
        "starts = tokens == 1",
        "starts = tokens == 0",
        "starts =",
        ("function-constant",),
    ),
    Slip(
        "stereo",
        "ops.exp(-gap[..., 1:])",
        "ops.exp(-gap[..., :-1])",
        "smooth =",
        ("function-index",),
    ),
    Slip(
        "stereo",
        "up.transpose(0, 3, 1, 4, 2)",
        "up.transpose(0, 3, 2, 4, 1)",
        "found = (mask * around)",
        ("function-axis",),
    ),
)

OTHERWISE = (
    ("decoder", "weights = ops.softmax(scores, axis=-1)",
     "weights = ops.exp(scores - ops.logsumexp(scores, -1, True))"),
    ("decoder", "return x * ops.rsqrt(variance + self.eps) * self.weight",
     "return self.weight * (x / ops.sqrt(variance + self.eps))"),
    ("windows", "x = x / ops.maximum(ops.norm(x, dim=-1, keepdim=True), 1e-12)",
     "x = x * ops.rsqrt(ops.square(x).sum(-1, keepdims=True))"),
    ("losses", "return 1 - score.mean()", "return (1 - score).mean()"),
    ("messages", "return ops.matmul(member.T, values)", "return ops.matmul(values.T, member).T"),
    ("sequence", "return new + update * (h - new)", "return update * h + (1 - update) * new"),
    ("experts", "bins = ops.arange(8) // 3", "bins = ops.floor(ops.arange(8) / 3)"),
    ("translator", "weights = ops.softmax(scores, -1)",
     "powers = ops.exp(scores)\n    weights = powers / powers.sum(-1, keepdims=True)"),
    ("translator", "hit = ops.gather_elements(logs, 1, wanted.expand_dims(1)).squeeze(1)",
     "hit = (logs * ops.one_hot(wanted, 20).astype(ms.float32)).sum(-1)"),
    ("tree", "h = now * new + (1 - now) * h\n", "h = h + now * (new - h)\n"),
    ("points", "return ops.clamp(own - 2 * product + others, min=0.0)",
     "return ops.square(one.expand_dims(2) - other.expand_dims(1)).sum(-1)"),
    ("mixer", "self.norm(x[:, 1:].swapaxes(1, 2).reshape(b, 16, 4, 4))",
     "self.norm(x[:, 1:].swapaxes(1, 2)).reshape(b, 16, 4, 4)"),
    ("mixer", "self.patch(patches.reshape(b, 16, 48))",
     "self.patch(patches.reshape(b * 16, 48)).reshape(b, 16, 16)"),
    ("translator", "self.up(self.norm2(x))",
     "self.up(self.norm2(x).reshape(1, -1, 16)).reshape(*x.shape[:2], 32)"),
    ("points", "self.one(pairs)",
     "self.one(pairs.reshape(-1, pairs.shape[-1])).reshape(*pairs.shape[:-1], -1)"),
    ("tree", "self.score(states).squeeze(-1)",
     "self.score(states.reshape(-1, 6)).reshape(real.shape)"),
    ("mixer", "x * ops.rsqrt(size + self.eps) * self.weight",
     "self.weight * (x / ops.sqrt(self.eps + size))"),
)  # fmt: skip
"""The network, a text of the ported file, another one that does the same."""

CUTS = (
    Slip(
        "experts",
        "x + ops.stop_gradient(chosen - x), commit",
        "x + (chosen - x), commit",
        "return x + (chosen - x).detach()",
        (),
    ),
    Slip(
        "experts",
        "ops.mse_loss(ops.stop_gradient(chosen), x) * 0.25",
        "ops.mse_loss(chosen, x) * 0.25",
        "commit = F.mse_loss",
        (),
    ),
    Slip(
        "experts",
        "shares = ops.softmax(best, axis=-1)",
        "shares = ops.softmax(ops.stop_gradient(best), axis=-1)",
        "shares = F.softmax(best",
        (),
    ),
    Slip(
        "decoder",
        "h = ops.silu(self.gate(h)) * self.up(h)",
        "h = ops.stop_gradient(ops.silu(self.gate(h))) * self.up(h)",
        "h = F.silu(self.gate",
        (),
    ),
    Slip(
        "sequence",
        "reset = ops.sigmoid(ri + rh)",
        "reset = ops.stop_gradient(ops.sigmoid(ri + rh))",
        "reset = torch.sigmoid",
        (),
    ),
    Slip(
        "segmenting",
        "two = two + 0.3 * (noise - two)",
        "two = two + 0.3 * (noise - ops.stop_gradient(two))",
        "torch.lerp",
        (),
    ),
)
"""Gradients that are cut off, or not: seen in training only."""
