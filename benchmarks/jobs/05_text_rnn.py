"""A classifier of sentences: TextFileDataset, Vocab, Lookup, PadEnd, Embedding and LSTM."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.text as text
import mindspore.dataset.transforms as transforms
import numpy as np
from mindspore import nn, ops, train

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(4)
good, bad = "good great fine lovely nice".split(), "bad awful poor ugly sad".split()
rng = np.random.RandomState(0)
lines = []
for n in range(40):
    words = list(rng.choice(good if n % 2 else bad, 3)) + list(
        rng.choice(["the", "a", "film", "was"], 3)
    )
    rng.shuffle(words)
    lines.append(f"{n % 2},{' '.join(words[: rng.randint(4, 7)])}")
with open("reviews.csv", "w") as file:
    file.write("\n".join(lines) + "\n")
data = ds.CSVDataset(
    "reviews.csv", column_defaults=[0, ""], column_names=["label", "text"], shuffle=False
)
data = data.map(text.WhitespaceTokenizer(), "text")
vocab = text.Vocab.from_dataset(
    data,
    "text",
    freq_range=(1, 100),
    top_k=12,
    special_tokens=["<pad>", "<unk>"],
    special_first=True,
)
print(len(vocab.vocab()), sorted(vocab.vocab().items(), key=lambda item: item[1])[:5])
data = data.map(
    [text.Lookup(vocab, "<unk>"), transforms.PadEnd([6], vocab.tokens_to_ids("<pad>"))], "text"
)
data = data.map(transforms.TypeCast(ms.int32), "label").project(["text", "label"])
training, testing = data.split([0.75, 0.25], randomize=False)
training, testing = training.batch(10), testing.batch(5)
print(
    training.get_dataset_size(),
    testing.get_dataset_size(),
    next(training.create_tuple_iterator(output_numpy=True))[0][:2].tolist(),
)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(14, 8)
        self.lstm = nn.LSTM(8, 12, batch_first=True, bidirectional=True)
        self.dense = nn.Dense(24, 2)

    def construct(self, ids):
        out, _ = self.lstm(self.embedding(ids))
        return self.dense(ops.mean(out, 1))


net = Net()
model = train.Model(
    net,
    nn.CrossEntropyLoss(),
    nn.Adam(net.trainable_params(), 0.02),
    metrics={"acc": train.Accuracy(), "f1": train.F1(), "recall": train.Recall()},
)
model.train(4, training, callbacks=[train.LossMonitor(3)])
found = model.eval(testing)
print({k: np.round(np.asarray(v, np.float64), 4).tolist() for k, v in sorted(found.items())})
