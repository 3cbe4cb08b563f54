from msconvert.runtime import nn


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(15, 6)
        self.encoder = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.mlp = nn.SequentialCell(nn.Dense(10, 8), nn.ReLU(), nn.Dense(8, 3))

    def construct(self, ids):
        y, _ = self.encoder(self.words(ids))
        return self.mlp(y.mean(1))


def build():
    return Tagger()
