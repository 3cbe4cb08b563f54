"""Counts that begin as numbers and become tensors of whole numbers, round by round."""

import torch


class Meter:
    def __init__(self):
        self.hits, self.seen = 0, 0

    def update(self, scores, labels):
        self.hits += (scores.argmax(1) == labels).sum()
        self.seen += labels.numel()

    def show(self):
        return f"{self.hits:d} of {self.seen:d}: {100 * self.hits / self.seen:.1f}%"


def accuracy(batches):
    right = count = 0
    for scores, labels in batches:
        predicted = scores.argmax(dim=1)
        right += predicted.eq(labels).sum()
        count += labels.size(0)
    return right, count


scores = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
labels = torch.tensor([1, 0, 0])
meter = Meter()
for _ in range(2):
    meter.update(scores, labels)
print(meter.show())
right, count = accuracy([(scores, labels), (scores[:2], labels[:2])])
print(f"{right:d}/{count:d} {right / count:.3f}")

hits = 0
i = 0
while i < 3:
    if i != 1:
        hits += (scores > 0.5).long().sum()
    i += 1
print(f"{hits:3d} {hits * 2:d} {hits * 0.5:.2f}")

true_positive, false_positive, weighted = 0, 0, 0
for threshold in (0.2, 0.5, 0.75):
    for row, label in zip(scores, labels):
        above = (row > threshold).int()
        true_positive += above[label]
        false_positive += above.sum() - above[label]
        weighted = weighted * 0.5 + above.sum()
print(f"{true_positive:d} {false_positive:d} {weighted:.4f}")
print(f"{true_positive / (true_positive + false_positive):.3f}", "%d" % true_positive)

errors = 0
for k in range(2):
    errors = errors + (labels != k).sum()
    both = errors if k else 0
print(f"{errors:d} {both:d} {torch.exp(-errors / 3):.4f}", "{:05d}".format(errors))
total = 0.0
for k in range(2):
    total += labels.sum()
print(f"{total:.2f} {total:g}")
