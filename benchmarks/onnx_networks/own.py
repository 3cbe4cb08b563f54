"""Networks of our own, as users write them: loops, conditions, routing, decoding, odd layers."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, 1), nn.ELU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ELU()
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(16, 8, 3, 2, 1, 1), nn.ELU(), nn.ConvTranspose2d(8, 1, 4, 2, 1)
        )

    def forward(self, x):
        return torch.sigmoid(self.decoder(self.encoder(x)))


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 32)
        self.mu, self.log_var = nn.Linear(32, 6), nn.Linear(32, 6)
        self.decode = nn.Sequential(nn.Linear(6, 32), nn.Softplus(), nn.Linear(32, 20))

    def forward(self, x, noise):
        h = torch.tanh(self.hidden(x))
        mu, log_var = self.mu(h), self.log_var(h)
        return self.decode(mu + noise * torch.exp(0.5 * log_var)), mu, log_var


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        for c, o in ((3, 8), (8, 16), (16, 32)):
            layers += [nn.Conv2d(c, o, 4, 2, 1, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.2)]
        self.main = nn.Sequential(*layers, nn.Conv2d(32, 1, 4))

    def forward(self, x):
        return self.main(x).flatten(1)


class TimeEmbedding(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.linear_1, self.linear_2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, t):
        half = self.width // 2
        rates = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32) / half)
        angles = t[:, None].float() * rates[None]
        x = torch.cat([angles.sin(), angles.cos()], dim=-1).to(self.linear_1.weight.dtype)
        return self.linear_2(F.silu(self.linear_1(x)))


class ResBlock(nn.Module):
    def __init__(self, c, o, width):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, c), nn.Conv2d(c, o, 3, 1, 1)
        self.time = nn.Linear(width, o)
        self.norm2, self.conv2 = nn.GroupNorm(4, o), nn.Conv2d(o, o, 3, 1, 1)
        self.skip = nn.Identity() if c == o else nn.Conv2d(c, o, 1)

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(t))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class ImageAttention(nn.Module):
    def __init__(self, c, heads):
        super().__init__()
        self.norm, self.qkv, self.out = (
            nn.GroupNorm(4, c),
            nn.Conv2d(c, 3 * c, 1),
            nn.Conv2d(c, c, 1),
        )
        self.heads = heads

    def forward(self, x):
        n, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(n, 3, self.heads, c // self.heads, h * w).unbind(1)
        a = torch.softmax(torch.einsum("nhci,nhcj->nhij", q, k) / math.sqrt(c // self.heads), -1)
        return x + self.out(torch.einsum("nhij,nhcj->nhci", a, v).reshape(n, c, h, w))


class DiffusionUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = TimeEmbedding(16)
        self.conv_in = nn.Conv2d(3, 16, 3, 1, 1)
        self.down1, self.pool1 = ResBlock(16, 16, 16), nn.Conv2d(16, 16, 3, 2, 1)
        self.down2 = ResBlock(16, 32, 16)
        self.mid, self.attention = ResBlock(32, 32, 16), ImageAttention(32, 4)
        self.up1 = ResBlock(48, 16, 16)
        self.norm_out, self.conv_out = nn.GroupNorm(4, 16), nn.Conv2d(16, 3, 3, 1, 1)

    def forward(self, x, t):
        t = self.time(t)
        first = self.down1(self.conv_in(x), t)
        h = self.attention(self.mid(self.down2(self.pool1(first), t), t))
        h = F.interpolate(h, scale_factor=2.0, mode="nearest")
        return self.conv_out(F.silu(self.norm_out(self.up1(torch.cat([h, first], 1), t))))


class WaveNetLayer(nn.Module):
    def __init__(self, c, dilation):
        super().__init__()
        self.dilation = dilation
        self.filter, self.gate = (
            nn.Conv1d(c, c, 2, dilation=dilation),
            nn.Conv1d(c, c, 2, dilation=dilation),
        )
        self.residual, self.skip = nn.Conv1d(c, c, 1), nn.Conv1d(c, c, 1)

    def forward(self, x):
        padded = F.pad(x, (self.dilation, 0))
        h = torch.tanh(self.filter(padded)) * torch.sigmoid(self.gate(padded))
        return x + self.residual(h), self.skip(h)


class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Conv1d(1, 8, 1)
        self.layers = nn.ModuleList(WaveNetLayer(8, 2**i) for i in range(5))
        self.end = nn.Conv1d(8, 16, 1)

    def forward(self, x):
        x, total = self.start(x), 0
        for layer in self.layers:
            x, skip = layer(x)
            total = total + skip
        return self.end(F.relu(total))


class AttentionDecoder(nn.Module):
    """A GRU encoder, and a decoder with additive attention that is called five times."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 12)
        self.encoder = nn.GRU(12, 16, batch_first=True)
        self.query, self.key, self.score = nn.Linear(16, 10), nn.Linear(16, 10), nn.Linear(10, 1)
        self.cell = nn.GRUCell(28, 16)
        self.out = nn.Linear(16, 40)

    def forward(self, source, target):
        states, last = self.encoder(self.embedding(source))
        hidden, keys, logits = last[0], self.key(states), []
        for i in range(5):
            energy = self.score(torch.tanh(self.query(hidden)[:, None] + keys))
            context = (torch.softmax(energy, 1) * states).sum(1)
            hidden = self.cell(torch.cat([self.embedding(target[:, i]), context], -1), hidden)
            logits.append(self.out(hidden))
        return torch.stack(logits, 1)


class GreedyDecoder(nn.Module):
    """Decodes until all sequences have ended, at most 12 steps; scripted."""

    def __init__(self):
        super().__init__()
        self.embedding, self.cell, self.out = (
            nn.Embedding(20, 8),
            nn.LSTMCell(8, 8),
            nn.Linear(8, 20),
        )

    def forward(self, state):
        hidden, cell = state, torch.zeros_like(state)
        token = torch.zeros(state.shape[0], dtype=torch.long)
        ended = torch.zeros(state.shape[0], dtype=torch.bool)
        tokens = [token]
        step = 0
        while step < 12 and not bool(ended.all()):
            hidden, cell = self.cell(self.embedding(token), (hidden, cell))
            token = self.out(hidden).argmax(-1)
            ended = ended | (token == 1)
            tokens.append(token)
            step += 1
        return torch.stack(tokens, 1), hidden


class BeamSearch(nn.Module):
    """Three beams, six steps, over scores of a small recurrent network; scripted."""

    def __init__(self):
        super().__init__()
        self.embedding, self.cell, self.out = (
            nn.Embedding(15, 8),
            nn.GRUCell(8, 8),
            nn.Linear(8, 15),
        )

    def forward(self, state):
        beams = 3
        hidden = state.repeat(beams, 1)
        tokens = torch.zeros(beams, 1, dtype=torch.long)
        scores = torch.tensor([0.0, -1e4, -1e4])
        for _ in range(6):
            hidden = self.cell(self.embedding(tokens[:, -1]), hidden)
            total = scores[:, None] + torch.log_softmax(self.out(hidden), -1)
            scores, best = total.view(-1).topk(beams)
            origin = torch.div(best, 15, rounding_mode="floor")
            tokens = torch.cat([tokens[origin], (best % 15)[:, None]], 1)
            hidden = hidden[origin]
        return tokens, scores


class AdaptiveDepth(nn.Module):
    """The same layer again and again until the mean norm is small; scripted."""

    def __init__(self):
        super().__init__()
        self.layer, self.halt = nn.Linear(10, 10), nn.Linear(10, 1)

    def forward(self, x):
        used = torch.zeros(1)
        for _ in range(8):
            x = torch.tanh(self.layer(x))
            halting = torch.sigmoid(self.halt(x)).mean()
            if bool(halting > 0.6):
                x = x * 2.0
            else:
                x = x - 0.5 * halting
            used = used + halting
        return x, used


class Viterbi(nn.Module):
    """The best path of a CRF: forward over the steps, and back; scripted."""

    def __init__(self):
        super().__init__()
        self.emission = nn.Linear(8, 5)
        self.transitions = nn.Parameter(torch.randn(5, 5))

    def forward(self, x):
        emissions = self.emission(x)
        score = emissions[0]
        history = []
        for i in range(1, emissions.shape[0]):
            best, origin = (score[:, None] + self.transitions).max(0)
            score = best + emissions[i]
            history.append(origin)
        value, last = score.max(0)
        return value, last, torch.stack(history)


class Kalman(nn.Module):
    """A filter whose state runs through a loop over the observations; scripted."""

    def __init__(self):
        super().__init__()
        self.move, self.see = nn.Parameter(torch.eye(3)), nn.Linear(3, 2, bias=False)
        self.gain = nn.Linear(2, 3, bias=False)

    def forward(self, observed):
        state = torch.zeros(observed.shape[1], 3)
        found = []
        for t in range(observed.shape[0]):
            state = state @ self.move * 0.5
            state = state + self.gain(observed[t] - self.see(state))
            found.append(state)
        return torch.stack(found)


class Selective(nn.Module):
    """Two branches of a condition on a value, with layers of their own; torch.cond."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 4))
        self.narrow = nn.Linear(8, 4)

    def forward(self, x):
        return torch.cond(
            x.abs().mean() > 0.8, lambda x: self.wide(x), lambda x: self.narrow(x) * 2, (x,)
        )


class NestedChoice(nn.Module):
    """A condition inside of a condition; torch.cond."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (nn.Linear(6, 6) for _ in range(3))

    def forward(self, x, y):
        def inner(x, y):
            return torch.cond(
                y.mean() > 0,
                lambda x, y: self.first(x) + y,
                lambda x, y: self.second(x) - y,
                (x, y),
            )

        return torch.cond(x.mean() > 0, inner, lambda x, y: self.third(x + y), (x, y))


class Collector(nn.Module):
    """A list that grows in a loop with a condition in it; scripted."""

    def __init__(self):
        super().__init__()
        self.even, self.odd = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        kept = []
        for i in range(x.shape[0]):
            if i % 2 == 0:
                kept.append(self.even(x[i]))
            else:
                kept.append(torch.relu(self.odd(x[i])))
        return torch.stack(kept).sum(0)


class EarlyExit(nn.Module):
    """Returns from the first classifier where it is sure; scripted."""

    def __init__(self):
        super().__init__()
        self.first, self.exit = nn.Linear(12, 16), nn.Linear(16, 5)
        self.second, self.last = nn.Linear(16, 16), nn.Linear(16, 5)

    def forward(self, x):
        h = torch.relu(self.first(x))
        y = torch.softmax(self.exit(h), -1)
        if bool(y.max() > 0.7):
            return y
        return torch.softmax(self.last(torch.relu(self.second(h))), -1)


class BagClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(50, 12, mode="mean")
        self.fc = nn.Linear(12, 3)

    def forward(self, tokens):
        return self.fc(self.bag(tokens))


class DeepFM(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.embedding = nn.Embedding(60, 1), nn.Embedding(60, 6)
        self.deep = nn.Sequential(
            nn.Linear(30, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1)
        )

    def forward(self, fields):
        e = self.embedding(fields)
        pairs = 0.5 * (e.sum(1) ** 2 - (e**2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.linear(fields).sum(1) + pairs + self.deep(e.flatten(1)))


class NeRF(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(39, 32), nn.Linear(32, 32), nn.Linear(71, 32)])
        self.sigma, self.color = nn.Linear(32, 1), nn.Linear(32, 3)

    def forward(self, points):
        bands = 2.0 ** torch.arange(6, dtype=points.dtype)
        angles = (points[..., None] * bands).flatten(-2)
        encoded = torch.cat([points, angles.sin(), angles.cos()], -1)
        h = encoded
        for i, layer in enumerate(self.layers):
            h = torch.cat([h, encoded], -1) if i == 2 else h
            h = F.relu(layer(h))
        return torch.cat([torch.sigmoid(self.color(h)), F.softplus(self.sigma(h))], -1)


class Sine(nn.Module):
    def __init__(self, c, o):
        super().__init__()
        self.linear = nn.Linear(c, o)

    def forward(self, x):
        return torch.sin(30.0 * self.linear(x) / 10.0)


class Siren(nn.Sequential):
    def __init__(self):
        super().__init__(Sine(2, 24), Sine(24, 24), Sine(24, 24), nn.Linear(24, 3))


class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.localization = nn.Sequential(
            nn.Conv2d(1, 4, 5), nn.MaxPool2d(2), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten()
        )
        self.theta = nn.Linear(36, 6)
        self.classify = nn.Sequential(nn.Conv2d(1, 4, 3, 2), nn.Flatten(), nn.Linear(4 * 121, 5))

    def forward(self, x):
        theta = self.theta(self.localization(x)).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return self.classify(F.grid_sample(x, grid, align_corners=False))


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.transform = nn.Sequential(nn.Conv1d(3, 16, 1), nn.BatchNorm1d(16), nn.ReLU())
        self.fc = nn.Linear(16, 9)
        self.features = nn.Sequential(
            nn.Conv1d(3, 24, 1), nn.BatchNorm1d(24), nn.ReLU(), nn.Conv1d(24, 32, 1)
        )
        self.head = nn.Linear(32, 4)

    def forward(self, points):
        t = self.fc(self.transform(points).max(-1)[0]).view(-1, 3, 3) + torch.eye(3)
        moved = torch.bmm(points.transpose(1, 2), t).transpose(1, 2)
        return F.log_softmax(self.head(torch.max(self.features(moved), 2)[0]), dim=1)


class NearestNeighbours(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(6, 8)
        self.register_buffer("bank", torch.randn(40, 8))
        self.register_buffer("labels", torch.arange(40) % 5)

    def forward(self, x):
        near = torch.cdist(self.embed(x), self.bank).topk(5, largest=False)
        votes = F.one_hot(self.labels[near.indices], 5).float()
        return (votes / (near.values[..., None] + 1e-3)).sum(1)


class ConvLSTMCell(nn.Module):
    def __init__(self, c, hidden):
        super().__init__()
        self.hidden, self.conv = hidden, nn.Conv2d(c + hidden, 4 * hidden, 3, padding=1)

    def forward(self, x, h, c):
        i, f, o, g = torch.split(self.conv(torch.cat([x, h], 1)), self.hidden, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class ConvLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = ConvLSTMCell(2, 6), nn.Conv2d(6, 2, 1)

    def forward(self, frames):
        n, _, _, height, width = frames.shape
        h = torch.zeros(n, 6, height, width)
        c = torch.zeros(n, 6, height, width)
        for i in range(4):
            h, c = self.cell(frames[:, i], h, c)
        return self.out(h)


class Capsules(nn.Module):
    def __init__(self):
        super().__init__()
        self.primary = nn.Conv2d(1, 16, 5, 2)
        self.weight = nn.Parameter(torch.randn(1, 400, 4, 6, 4) * 0.1)

    @staticmethod
    def squash(s):
        square = (s**2).sum(-1, keepdim=True)
        return square / (1 + square) * s / torch.sqrt(square + 1e-8)

    def forward(self, x):
        u = self.squash(self.primary(x).view(x.shape[0], -1, 4))
        votes = (self.weight @ u[:, :, None, :, None]).squeeze(-1)
        b = torch.zeros_like(votes[..., :1])
        for _ in range(3):
            v = self.squash((torch.softmax(b, 2) * votes).sum(1, keepdim=True))
            b = b + (votes * v).sum(-1, keepdim=True)
        return v.squeeze(1).norm(dim=-1)


class Highway(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
        self.gate = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))

    def forward(self, x):
        for plain, gate in zip(self.plain, self.gate, strict=True):
            t = torch.sigmoid(gate(x))
            x = t * F.relu(plain(x)) + (1 - t) * x
        return x


class GraphAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project, self.source, self.target = (
            nn.Linear(8, 12),
            nn.Linear(12, 1),
            nn.Linear(12, 1),
        )
        self.out = nn.Linear(12, 3)

    def forward(self, x, adjacency):
        h = self.project(x)
        e = F.leaky_relu(self.source(h) + self.target(h).transpose(-1, -2), 0.2)
        a = torch.softmax(e.masked_fill(adjacency <= 0, float("-inf")), -1)
        return self.out(F.elu(torch.nan_to_num(a) @ h))


class EdgeConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.message, self.update = nn.Linear(10, 8), nn.GRUCell(8, 5)

    def forward(self, x, edges):
        for _ in range(2):
            sent = F.relu(self.message(torch.cat([x[edges[0]], x[edges[1]]], -1)))
            received = torch.zeros(x.shape[0], 8).index_add(0, edges[1], sent)
            x = self.update(received, x)
        return x


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(12, 4, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(12, 24), nn.SiLU(), nn.Linear(24, 12)) for _ in range(4)
        )

    def forward(self, x):
        weights, chosen = torch.topk(torch.softmax(self.gate(x), -1), 2)
        weights = weights / weights.sum(-1, keepdim=True)
        total = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            share = (weights * (chosen == i)).sum(-1, keepdim=True)
            total = total + share * expert(x)
        return total


class MaskedConv(nn.Conv2d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        mask = torch.ones_like(self.weight)
        mask[:, :, mask.shape[2] // 2, mask.shape[3] // 2 :] = 0
        mask[:, :, mask.shape[2] // 2 + 1 :] = 0
        self.register_buffer("mask", mask)

    def forward(self, x):
        return F.conv2d(x, self.weight * self.mask, self.bias, padding=self.padding)


class PixelCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = MaskedConv(1, 8, 5, padding=2)
        self.blocks = nn.Sequential(nn.ReLU(), nn.Conv2d(8, 8, 1), nn.ReLU(), nn.Conv2d(8, 4, 1))

    def forward(self, x):
        return self.blocks(self.first(x)).permute(0, 2, 3, 1)


class ESPCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 5, padding=2), nn.Conv2d(8, 9, 3, padding=1)
        self.shuffle = nn.PixelShuffle(3)

    def forward(self, x):
        up = F.interpolate(x, scale_factor=3, mode="bicubic", align_corners=False)
        return up + self.shuffle(self.conv2(torch.tanh(self.conv1(x))))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 10, padding_idx=0)
        self.lstm = nn.LSTM(10, 12, 2, batch_first=True, bidirectional=True)
        self.attend, self.fc = nn.Linear(24, 1), nn.Linear(24, 4)

    def forward(self, tokens):
        h, (last, _) = self.lstm(self.embedding(tokens))
        scores = self.attend(h).squeeze(-1).masked_fill(tokens == 0, -1e4)
        pooled = torch.bmm(torch.softmax(scores, -1)[:, None], h).squeeze(1)
        return self.fc(h), pooled, last


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 6))

    def forward(self, x):
        a, b = x.chunk(2, -1)
        a, b = (b, a) if self.flip else (a, b)
        scale, shift = self.net(a).chunk(2, -1)
        scale = torch.tanh(scale)
        b = b * scale.exp() + shift
        return torch.cat((b, a) if self.flip else (a, b), -1), scale.sum(-1)


class RealNVP(nn.Module):
    def __init__(self):
        super().__init__()
        self.couplings = nn.ModuleList(Coupling(bool(i % 2)) for i in range(4))

    def forward(self, x):
        total = torch.zeros(x.shape[0])
        for coupling in self.couplings:
            x, log_det = coupling(x)
            total = total + log_det
        return x, total


class Translator(nn.Module):
    """nn.Transformer with a causal mask and positions."""

    def __init__(self):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(40, 16), nn.Parameter(torch.randn(30, 16))
        self.transformer = nn.Transformer(16, 4, 1, 1, 32, 0.1, batch_first=True)
        self.generator = nn.Linear(16, 40)

    def forward(self, source, target):
        s = self.embedding(source) + self.positions[: source.shape[1]]
        t = self.embedding(target) + self.positions[: target.shape[1]]
        mask = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        return self.generator(self.transformer(s, t, tgt_mask=mask))


class Dueling(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(4, 8, 4, 2), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU()
        )
        self.value = nn.Sequential(nn.Linear(128, 16), nn.ReLU(), nn.Linear(16, 1))
        self.advantage = nn.Sequential(nn.Linear(128, 16), nn.ReLU(), nn.Linear(16, 6))

    def forward(self, x):
        x = self.features(x).flatten(1)
        advantage = self.advantage(x)
        return self.value(x) + advantage - advantage.mean(1, keepdim=True)


class Normed(nn.Module):
    """Weight normalisation and spectral normalisation."""

    def __init__(self):
        super().__init__()
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 8, 3, padding=1))
        self.fc = nn.utils.parametrizations.spectral_norm(nn.Linear(8, 5))

    def forward(self, x):
        return self.fc(F.gelu(self.conv(x)).mean(-1))


class FourierMixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.fc1, self.fc2 = nn.LayerNorm(16), nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x):
        mixed = torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real
        x = self.norm(x + mixed)
        return x + self.fc2(F.gelu(self.fc1(x)))


class Speech(nn.Module):
    """Convolutions, two directions of GRU, log probabilities for CTC."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 4, 3, (2, 1), 1), nn.BatchNorm2d(4), nn.Hardtanh(0, 20)
        )
        self.gru = nn.GRU(32, 12, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(24, 10)

    def forward(self, spectrum):
        x = self.conv(spectrum)
        n, c, f, t = x.shape
        x, _ = self.gru(x.permute(0, 3, 1, 2).reshape(n, t, c * f))
        return F.log_softmax(self.fc(x), -1)


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.bottom_up = nn.ModuleList(
            nn.Conv2d(c, o, 3, 2, 1) for c, o in ((3, 8), (8, 12), (12, 16))
        )
        self.lateral = nn.ModuleList(nn.Conv2d(c, 8, 1) for c in (8, 12, 16))
        self.output = nn.ModuleList(nn.Conv2d(8, 8, 3, 1, 1) for _ in range(3))

    def forward(self, x):
        found = []
        for conv in self.bottom_up:
            x = F.relu(conv(x))
            found.append(x)
        top = self.lateral[2](found[2])
        outputs = [self.output[2](top)]
        for i in (1, 0):
            side = self.lateral[i](found[i])
            top = side + F.interpolate(top, size=side.shape[-2:], mode="nearest")
            outputs.append(self.output[i](top))
        return tuple(outputs)


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(6, 12), nn.Mish(), nn.Linear(12, 1))

    def forward(self, items):
        scores = self.score(items).squeeze(-1)
        ordered, order = scores.sort(dim=-1, descending=True)
        discounts = 1 / torch.log2(torch.arange(items.shape[1], dtype=items.dtype) + 2)
        return torch.cumsum(ordered * discounts, -1), order, scores.logsumexp(-1)


class StandardizedConv(nn.Conv2d):
    def forward(self, x):
        w = self.weight
        mean, var = w.mean((1, 2, 3), keepdim=True), w.var((1, 2, 3), keepdim=True, unbiased=False)
        return F.conv2d(
            x, (w - mean) / torch.sqrt(var + 1e-5), self.bias, self.stride, self.padding
        )


class Standardized(nn.Sequential):
    def __init__(self):
        super().__init__(
            StandardizedConv(3, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU(),
            StandardizedConv(8, 8, 3, 2, 1), nn.GroupNorm(2, 8), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5),
        )  # fmt: skip


class Perceptron(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 10)
        )


class SmallConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, 1, 1), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 8, 3, 1, 1, groups=8), nn.BatchNorm2d(8)
        self.conv3 = nn.Conv2d(8, 16, 1)
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu6(self.bn1(self.conv1(x)))
        x = F.max_pool2d(x + F.hardswish(self.bn2(self.conv2(x))), 2)
        return self.fc(F.relu(self.conv3(x)).mean((2, 3)))
