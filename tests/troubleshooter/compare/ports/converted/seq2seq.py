from msconvert.runtime import nn, ops


class Attention(nn.Cell):
    def __init__(self, d):
        super().__init__()
        self.keys = nn.Dense(d, d)
        self.queries = nn.Dense(d, d)
        self.merge = nn.Dense(2 * d, d)

    def construct(self, y, memory):
        keys = self.keys(memory)
        a = ops.softmax(ops.matmul(self.queries(y), keys.transpose(0, 2, 1)), -1)
        return ops.tanh(self.merge(ops.concat((y, ops.matmul(a, memory)), -1)))


class Translator(nn.Cell):
    def __init__(self, d=8):
        super().__init__()
        self.out = nn.Dense(d, 12)
        self.target_words = nn.Embedding(12, d)
        self.source_words = nn.Embedding(12, d)
        self.reader = nn.GRU(d, d, batch_first=True)
        self.writer = nn.GRU(d, d, batch_first=True)
        self.attention = Attention(d)

    def construct(self, src, tgt):
        written = self.target_words(tgt)
        memory, h = self.reader(self.source_words(src))
        y, _ = self.writer(written, h)
        return ops.log_softmax(self.out(self.attention(y, memory)), -1)


def build():
    return Translator()
