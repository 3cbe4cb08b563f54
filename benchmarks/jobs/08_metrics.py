"""All kinds of metrics, fed batch by batch."""

import numpy as np
from mindspore import Tensor, train

rng = np.random.RandomState(11)
p = rng.rand(3, 20, 4).astype(np.float32)
p /= p.sum(-1, keepdims=True)
y = rng.randint(0, 4, (3, 20)).astype(np.int32)
for name in (
    "accuracy",
    "precision",
    "recall",
    "F1",
    "top_1_accuracy",
    "top_5_accuracy",
    "confusion_matrix",
):
    try:
        metric = train.get_metric_fn(
            name, **({"num_classes": 4} if name == "confusion_matrix" else {})
        )
        metric.clear()
        for a, b in zip(p, y):
            metric.update(
                Tensor(np.pad(a, ((0, 0), (0, 2)))) if name == "top_5_accuracy" else Tensor(a),
                Tensor(b),
            )
        print(name, np.round(np.asarray(metric.eval(), np.float64), 5).tolist())
    except (ValueError, TypeError, KeyError) as error:
        print(name, type(error).__name__)
print(sorted(train.names()))
u, v = rng.rand(4, 5).astype(np.float32), rng.rand(4, 5).astype(np.float32)
for metric in (train.MAE(), train.MSE(), train.CosineSimilarity()):
    metric.clear()
    if isinstance(metric, train.CosineSimilarity):
        metric.update(u)
        print(np.round(metric.eval(), 4).tolist())
        continue
    metric.update(Tensor(u), Tensor(v))
    print(type(metric).__name__, round(float(metric.eval()), 6))
roc = train.ROC(pos_label=1)
roc.update(
    Tensor(np.array([3, 1, 4, 2, 0.5], np.float32)), Tensor(np.array([1, 0, 1, 1, 0], np.int32))
)
fpr, tpr, thresholds = roc.eval()
print(
    np.round(fpr, 4).tolist(),
    np.round(tpr, 4).tolist(),
    np.round(thresholds, 4).tolist(),
    round(float(train.auc(fpr, tpr)), 5),
)
dice = train.Dice()
dice.update(Tensor((p[0] > 0.3).astype(np.int32)), Tensor(np.eye(4, dtype=np.int32)[y[0]]))
print(round(float(dice.eval()), 5))
bleu = train.BleuScore()
bleu.update(
    [["i", "have", "a", "pen", "on", "my", "desk"]],
    [
        [
            ["i", "have", "a", "pen", "in", "my", "desk"],
            ["there", "is", "a", "pen", "on", "the", "desk"],
        ]
    ],
)
print(round(float(bleu.eval()), 5))
perplexity = train.Perplexity(ignore_label=None)
perplexity.update(Tensor(p[0]), Tensor(y[0]))
print(round(float(perplexity.eval()), 5))


class Share(train.Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.hits, self.count = 0, 0

    def update(self, *inputs):
        a, b = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        self.hits += int((a.argmax(1) == b).sum())
        self.count += len(b)

    def eval(self):
        return self.hits / self.count


share = Share().set_indexes([1, 0])
share.update(Tensor(y[0]), Tensor(p[0]))
print(round(share.eval(), 5))
