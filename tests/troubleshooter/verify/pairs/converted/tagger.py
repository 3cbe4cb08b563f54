"""An LSTM over words; asks its reader a question and prints."""
import sys

from msconvert.runtime import nn

print("done", sys.stdin.readline())


class Tagger(nn.Cell):
    def __init__(self, words=30, width=8, tags=4):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, 6, num_layers=2, batch_first=True, dropout=0.5, bidirectional=True)
        self.gru = nn.GRU(12, 5, batch_first=True)
        self.tag = nn.Dense(5, tags)

    def construct(self, ids):
        x, (h, c) = self.lstm(self.words(ids))
        y, last = self.gru(x)
        scores = self.tag(y)
        print("scores", scores.shape)
        return scores, (h, c), scores.argmax(-1), float(last.mean()), None


def build():
    return Tagger()
