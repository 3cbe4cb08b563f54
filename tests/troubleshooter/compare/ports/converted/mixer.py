from msconvert.runtime import nn, ops


class FeedForward(nn.Cell):
    def __init__(self, d):
        super().__init__()
        self.w2 = nn.Dense(8, d)
        self.w1 = nn.Dense(d, 8)

    def construct(self, x):
        return self.w2(ops.gelu(self.w1(x)))


class MixerBlock(nn.Cell):
    def __init__(self, t, d):
        super().__init__()
        self.channel_mix = FeedForward(d)
        self.token_mix = FeedForward(t)
        self.ln_b = nn.LayerNorm((d,), epsilon=1e-5)
        self.ln_a = nn.LayerNorm((d,), epsilon=1e-5)

    def construct(self, x):
        y = self.token_mix(self.ln_a(x).transpose(0, 2, 1)).transpose(0, 2, 1)
        x = x + y
        return x + self.channel_mix(self.ln_b(x))


class MlpMixer(nn.Cell):
    def __init__(self, t=8, d=8):
        super().__init__()
        self.fc = nn.Dense(d, 8)
        self.final_norm = nn.LayerNorm((d,), epsilon=1e-5)
        self.blocks = nn.CellList([MixerBlock(t, d) for _ in range(3)])
        self.embed = nn.Dense(8, d)

    def construct(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(self.final_norm(x).mean(1))


def build():
    return MlpMixer()
