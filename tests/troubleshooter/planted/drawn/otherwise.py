"""The ported networks written otherwise, so that they do the same: texts, and other names."""

from __future__ import annotations

import ast
import re

REWRITINGS = (
    ("capsules", "square = x.pow(2).sum(dim, keepdim=True)",
     "square = ops.square(x).sum(dim, keepdims=True)"),
    ("capsules", "return square / (1.0 + square) * x / ops.sqrt(square + 1e-9)",
     "return x * (square / (1.0 + square)) * ops.rsqrt(square + 1e-9)"),
    ("capsules", "shares = ops.softmax(logits, axis=1)",
     "shares = ops.exp(logits) / ops.exp(logits).sum(1, keepdims=True)"),
    ("capsules", "agreed = (votes * v[:, :, None, :]).sum(-1)",
     "agreed = ops.matmul(votes, v.expand_dims(-1)).squeeze(-1)"),
    ("capsules", "length = v.norm(dim=-1)", "length = ops.sqrt((v * v).sum(-1))"),
    ("denoiser", "scores = compat.einsum(\"bci,bcj->bij\", q, k) * c**-0.5",
     "scores = ops.matmul(q.swapaxes(1, 2), k) / math.sqrt(c)"),
    ("denoiser", "shares = ops.softmax(scores - scores.amax(-1, keepdims=True), axis=-1)",
     "shares = ops.softmax(scores, axis=-1)"),
    ("denoiser", "return (self.skip(x) + h) / math.sqrt(2.0)",
     "return (h + self.skip(x)) * 0.5**0.5"),
    ("denoiser", "each = ops.mse_loss(guess, wanted, reduction=\"none\").mean((1, 2, 3))",
     "each = ops.square(guess - wanted).mean((1, 2, 3))"),
    ("denoiser", "weight = ops.minimum(ratio, ops.full_like(ratio, 5.0)) / (ratio + 1.0)",
     "weight = ratio.clamp(max=5.0) / (1.0 + ratio)"),
    ("drawing", "h = ops.softplus(self.fc(z)).view(-1, 8, 3, 3)",
     "h = ops.log(1.0 + ops.exp(self.fc(z))).view(-1, 8, 3, 3)"),
    ("drawing", "each = ops.binary_cross_entropy_with_logits(logits, x, reduction=\"none\")",
     "each = ops.softplus(logits) - logits * x"),
    ("drawing", "prior = compat.logsumexp(parts + ops.log_softmax(self.shares, axis=0), 1)",
     "prior = ops.log((ops.exp(parts) * ops.softmax(self.shares, axis=0)).sum(1))"),
    ("drawing", "same = kernel(z, z).mean() + kernel(noise, noise).mean()\n"
     "        apart = same - 2.0 * kernel(z, noise).mean()",
     "apart = (kernel(z, z) + kernel(noise, noise) - 2.0 * kernel(z, noise)).mean()"),
    ("forecast", "return ops.maximum(levels * apart, (levels - 1) * apart).sum(-1)",
     "return ops.where(apart > 0, levels * apart, (levels - 1) * apart).sum(-1)"),
    ("forecast", "moved = ops.stack([v[i][places[i]] for i in range(x.shape[0])], axis=0)",
     "moved = v[ops.arange(x.shape[0])[:, None, None], places]"),
    ("forecast", "bent = ahead[:, 2:] - 2 * ahead[:, 1:-1] + ahead[:, :-2]",
     "slope = ahead[:, 1:] - ahead[:, :-1]\n        bent = slope[:, 1:] - slope[:, :-1]"),
    ("forecast", "likely = ops.log(width) + 0.5 * ((wanted - mean) / width) ** 2",
     "likely = 0.5 * ops.square(wanted - mean) / ops.square(width) + ops.log(width)"),
    ("keeping", "kept = q @ k.transpose(-1, -2) * decays(n, self.heads)",
     "kept = compat.einsum(\"bhic,bhjc->bhij\", q, k) * decays(n, self.heads)"),
    ("keeping", "left = ops.where(away >= 0, left, ops.zeros_like(left))",
     "left = left * (away >= 0).float()"),
    ("keeping", "mixed = x * self.now + before * (1.0 - self.now)",
     "mixed = before + (x - before) * self.now"),
    ("keeping", "state = share * state + (1.0 - share) * ops.tanh(self.write(x[:, t]))",
     "new = ops.tanh(self.write(x[:, t]))\n            state = new + share * (state - new)"),
    ("masked_words", "variance = (centred * centred).mean(-1, keepdim=True)",
     "variance = x.var(-1, ddof=0, keepdims=True)"),
    ("masked_words", "mask = (1.0 - real[:, None, None, :]) * -10000.0",
     "mask = (tokens == 0)[:, None, None, :].float() * -10000.0"),
    ("masked_words", "scores = ops.matmul(q, k.transpose(-1, -2))\n"
     "        scores = scores / math.sqrt(self.size)",
     "q = q * self.size**-0.5\n        scores = ops.matmul(q, k.transpose(-1, -2))"),
    ("masked_words", "logits = ops.dense(changed, self.words.embedding_table) + self.bias",
     "logits = ops.matmul(changed, self.words.embedding_table.T) + self.bias"),
    ("molecules", "scores = scores.masked_fill(bonds[..., None] == 0, -1e9)",
     "scores = ops.where(bonds[..., None] > 0, scores, ms.tensor(-1e9, ms.float32))"),
    ("molecules", "mixed = compat.einsum(\"bijh,bjhc->bihc\", shares, h)",
     "mixed = ops.matmul(shares.permute(0, 3, 1, 2), h.permute(0, 2, 1, 3)).permute(0, 2, 1, 3)"),
    ("molecules", "return z * old + (1.0 - z) * new", "return new + z * (old - new)"),
    ("molecules", "x = x + 0.5 * ops.bmm(scaled, x)", "x = x + ops.matmul(scaled, x) * 0.5"),
    ("outlines", "hit = p * wanted + (1 - p) * (1 - wanted)",
     "hit = 1 - p - wanted + 2 * p * wanted"),
    ("outlines", "inner = (high - low).clamp(min=0).prod(-1)",
     "sides = ops.relu(high - low)\n    inner = sides[..., 0] * sides[..., 1]"),
    ("outlines", "return logits, (shares * steps).sum(-1) * stride",
     "return logits, ops.matmul(shares, steps.reshape(-1, 1)).squeeze(-1) * stride"),
    ("sounds", "hard = ops.one_hot(best, self.codes).float()",
     "hard = (best[..., None] == ops.arange(self.codes)).float()"),
    ("sounds", "logs = ops.log_softmax(near, axis=-1)[:, :, 0]",
     "logs = near[:, :, 0] - compat.logsumexp(near, -1)"),
    ("straightener", "cos, sin = ops.cos(angle) * scale, ops.sin(angle) * scale",
     "cos, sin = scale * ops.cos(angle), scale * ops.sin(angle)"),
    ("straightener", "x = compat.normalize(x, dim=1)",
     "x = x / ops.sqrt(ops.square(x).sum(1, keepdims=True)).clamp(min=1e-12)"),
    ("tiles", "places = rows[..., :, None] + columns[..., None, :]",
     "places = rows.expand_dims(-1) + columns.expand_dims(-2)"),
    ("tiles", "scores = (q * self.scale) @ k.transpose(-2, -1)",
     "scores = ops.matmul(q, k.swapaxes(-2, -1)) * self.scale"),
    ("transducer", "row.append(compat.logaddexp(stay[:, u], move))",
     "high = ops.maximum(stay[:, u], move)\n"
     "            low = ops.minimum(stay[:, u], move)\n"
     "            row.append(high + ops.log1p(ops.exp(low - high)))"),
)  # fmt: skip
"""The network, a text of the ported file, another one that does the same."""

LATER = (
    ("cells", "dx = flow[:, :, :, 1:] - flow[:, :, :, :-1]",
     "dx = flow[..., 1:] - flow[..., :-1]"),
    ("cells", "loss = shares[0] * plain + shares[1] * dice(p, wanted).mean()",
     "loss = dice(p, wanted).mean() * shares[1] + plain * shares[0]"),
    ("coupling", "slope = height / width\n    return top - (end - x) * slope, ops.log(slope)",
     "grown = ops.log(height) - ops.log(width)\n"
     "    return top - (end - x) * height / width, grown"),
    ("points", "shares = ops.softmax(self.weigh(both) / 0.7, axis=1)",
     "shares = ops.exp(ops.log_softmax(self.weigh(both) / 0.7, axis=1))"),
    ("points", "edges = ops.cat([own, others - own], axis=-1)",
     "apart = others - own\n        edges = ops.cat((own, apart), axis=3)"),
    ("shop", "return p * x + (1.0 - p) * self.alpha * x",
     "return x * (p + (1.0 - p) * self.alpha)"),
    ("shop", "scores = ops.where(real, scores, ops.full_like(scores, -1e4))",
     "scores = scores.masked_fill(ops.logical_not(real), -1e4)"),
    ("tongues", "scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)",
     "scores = ops.matmul(q * self.size**-0.5, k.swapaxes(-2, -1))"),
    ("tongues", "mixed = (1.0 - p) * own + p * taken", "mixed = own + p * (taken - own)"),
    ("walker", "return keep * h + (1.0 - keep) * new", "return new + keep * (h - new)"),
    ("walker", "each = -0.5 * scaled**2 - ops.log(spread) - 0.5 * math.log(2 * math.pi)",
     "each = -0.5 * (ops.square(scaled) + math.log(2 * math.pi)) - ops.log(spread)"),
)  # fmt: skip
"""The same of the networks that came later."""

THIRD = (
    ("experts", "scores = compat.einsum(\"bihc,bjc->bhij\", q, k) * self.size**-0.5",
     "scores = ops.matmul(q.permute(0, 2, 1, 3), k.expand_dims(1).swapaxes(-1, -2))\n"
     "        scores = scores / self.size**0.5"),
    ("experts", "mixed = (weights[..., None] * given).sum(1)",
     "mixed = ops.bmm(weights.expand_dims(1), given).squeeze(1)"),
    ("experts", "return self.down(gate * ops.sigmoid(1.702 * gate) * (up + 1.0))",
     "chosen = gate / (1.0 + ops.exp(-1.702 * gate))\n"
     "        return self.down(chosen + chosen * up)"),
    ("motion", "return (1.0 - z) * h + z * q", "return h + z * (q - h)"),
    ("motion", "common = compat.einsum(\"bcij,bckl->bijkl\", one, other) / c**0.5\n"
     "        common = common.reshape(b * h * w, 1, h, w)",
     "common = ops.bmm(one.reshape(b, c, -1).swapaxes(1, 2), other.reshape(b, c, -1))\n"
     "        common = (common * c**-0.5).reshape(-1, 1, h, w)"),
    ("motion", "across = 2.0 * places[..., 0] / (w - 1) - 1.0",
     "across = (places[..., 0] - 0.5 * (w - 1)) / (0.5 * (w - 1))"),
    ("rays", "stopped = 1.0 - ops.exp(-density * lengths)",
     "stopped = -ops.expm1(-(lengths * density))"),
    ("rays", "seen = (weights[..., None] * colours).sum(1)",
     "seen = ops.matmul(weights.expand_dims(1), colours).squeeze(1)"),
    ("rays", "edges = 1.0 / ((1.0 - steps) / self.near + steps / self.far)",
     "edges = self.near * self.far / (self.far + steps * (self.near - self.far))"),
    ("roads", "other = (h[source] * h[wrong]).sum(-1) / 12**0.5",
     "other = ops.index_select(h, 0, source) * ops.index_select(h, 0, wrong)\n"
     "        other = other.sum(-1) * 12**-0.5"),
    ("roads", "root = degree.pow(-0.5)", "root = 1.0 / ops.sqrt(degree)"),
    ("roads", "width = x.pow(2).mean(0, keepdim=True).add(self.eps).sqrt()\n"
     "        return self.weight * x / width + self.bias",
     "width = ops.rsqrt(ops.square(x).mean(0, keep_dims=True) + self.eps)\n"
     "        return self.bias + x * width * self.weight"),
    ("speaker", "return ops.bmm(shares[:, None], memory).squeeze(1), shares",
     "return (shares.expand_dims(-1) * memory).sum(1), shares"),
    ("speaker", "guide = 1.0 - ops.exp(-((at - letter) ** 2) / (2 * 0.2**2))",
     "guide = 1.0 - ops.exp(-12.5 * ops.square(at - letter))"),
    ("speaker", "scores = scores.masked_fill(real < 0.5, float(\"-inf\"))",
     "scores = ops.where(real > 0.5, scores, ms.tensor(float(\"-inf\"), ms.float32))"),
    ("states", "x = x * ops.rsqrt(x.square().mean(-1, keepdim=True) + self.eps)",
     "x = x / ops.sqrt(ops.mean(x * x, -1, keep_dims=True) + self.eps)"),
    ("states", "mixed = ops.lerp(before, x, self.share)",
     "mixed = before * (1.0 - self.share) + x * self.share"),
    ("states", "found.append((state * read[:, t, None, :]).sum(-1))",
     "found.append(ops.matmul(state, read[:, t, :].expand_dims(-1)).squeeze(-1))"),
)  # fmt: skip
"""And of those that came after these."""

FOURTH = (
    ("board", "straight = padded[:, :, 1:-1, 2:] + padded[:, :, 1:-1, :-2]",
     "straight = padded[..., 1:-1, :-2] + padded[..., 1:-1, 2:]"),
    ("board", "kept = ops.where(legal > 0.5, logits, low)",
     "kept = logits.masked_fill(legal < 0.5, -1e4)"),
    ("board", "score = (owned * empty[:, 0]).sum((1, 2)) - 3.5",
     "score = (owned * empty.squeeze(1)).reshape(-1, 25).sum(1) - 3.5"),
    ("genes", "return rate - counts * ops.log(rate + 1e-6)",
     "return -(counts * ops.log(rate + 1e-6) - rate)"),
    ("genes", "q = q * self.size**-0.5\n"
     "        scores = compat.einsum(\"bhid,bhjd->bhij\", q + self.bias, k)",
     "q = q / self.size**0.5\n"
     "        scores = ops.matmul(q + self.bias, k.swapaxes(-1, -2))"),
    ("genes", "both = 0.5 * (ahead + back)", "both = (back + ahead) / 2"),
    ("reader", "moved = ms.numpy.roll(x[:, :, i], 1, -1)",
     "moved = ops.cat([x[:, :, i, -1:], x[:, :, i, :-1]], axis=-1)"),
    ("reader", "state = gate * state + (1.0 - gate) * ops.tanh(new)",
     "new = ops.tanh(new)\n            state = new + gate * (state - new)"),
    ("reader", "loss = (smooth * real).sum() / real.sum().clamp(min=1.0)",
     "loss = ops.sum(smooth * real) / ops.maximum(ops.sum(real), 1.0)"),
    ("orbits", "bumps = ops.exp(-4.0 * (far[..., None] - middles) ** 2)",
     "bumps = ops.exp(-ops.square(2.0 * (far.expand_dims(-1) - middles)))"),
    ("orbits", "force = (strength[..., None] * to / far[..., None]).sum(2)",
     "force = ((strength / far).expand_dims(-1) * to).sum(2)"),
    ("orbits", "speeds = speeds + by / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)",
     "speeds = speeds + by * (first + 2.0 * (second + third) + fourth) / 6.0"),
    ("captions", "return x / (x.pow(2).sum(-1, keepdim=True).sqrt() + 1e-6)",
     "return x / (ops.sqrt(ops.square(x).sum(-1, keepdims=True)) + 1e-6)"),
    ("captions", "scores = 4.0 * ops.matmul(q, k.transpose(-1, -2))",
     "scores = ops.matmul(4.0 * q, k.swapaxes(-1, -2))"),
    ("captions", "margin = ops.relu(0.3 + hard.amax(1) - own).mean()",
     "margin = (hard.amax(1) - own + 0.3).clamp(min=0.0).mean()"),
    ("zoom", "return 0.299 * x[:, 0] + 0.587 * x[:, 1] + 0.114 * x[:, 2]",
     "red, green, blue = x[:, 0], x[:, 1], x[:, 2]\n"
     "    return 0.114 * blue + 0.587 * green + 0.299 * red"),
    ("zoom", "off = ops.sqrt((out - large) ** 2 + 1e-3)",
     "off = ops.sqrt(ops.square(large - out) + 1e-3)"),
    ("zoom", "mean = (a + b + c + d) / 4.0", "mean = 0.25 * (a + b) + 0.25 * (c + d)"),
)  # fmt: skip
"""And of the last ones."""

RENAMED = (
    *("capsules", "denoiser", "drawing", "forecast", "keeping", "masked_words", "molecules"),
    *("outlines", "tiles", "transducer"),
)
"""Whose ports are compared once more with all of their layers and weights called otherwise."""


def rewritten(text: str, network: str, spared: str) -> str:
    """The source with all rewritings of its network that do not touch the spared text."""
    for name, own, new in (*REWRITINGS, *LATER, *THIRD, *FOURTH):
        if name == network and text.count(own) == 1 and not (spared and spared in own):
            text = text.replace(own, new)
    return text


def renamed(text: str) -> str:
    """The source with names that say nothing for all that its classes set in `__init__`."""
    stored = (
        node.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )
    for number, name in enumerate(dict.fromkeys(stored)):
        text = re.sub(rf"\bself\.{name}\b", f"self.part_{number}", text)
        text = text.replace(f'register_buffer("{name}"', f'register_buffer("part_{number}"')
    return text
