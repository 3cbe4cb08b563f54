"""Five decoding algorithms, and a training loop of 100 steps that is compiled as one function.

Written down before anything ran them. `CALLS` has, for each function, the arguments of its calls.
"""

from __future__ import annotations

import mindspore as ms
from mindspore import ops

STEPS = 6


def greedy(table, start):
    """Tokens of the best successor each, until token 0 comes or the buffer is full."""
    tokens = ops.zeros((STEPS,), ms.int32)
    token = start
    t = 0
    while t < STEPS:
        token = table[token].argmax().astype(ms.int32)
        if token == 0:
            break
        tokens[t] = token
        t = t + 1
    return tokens, t


def beam_search(table, start):
    """The two best sequences; a beam that has ended keeps its score."""
    scores = ms.Tensor([0.0, -1e9], ms.float32)
    last = ops.stack([start, start])
    paths = ops.zeros((2, STEPS), ms.int32)
    size = table.shape[1]
    for t in range(STEPS):
        if (last == 0).all() and t > 0:
            break
        following = ops.log_softmax(table[last], -1)
        ended = (last == 0).astype(ms.float32).reshape((2, 1))
        if ended.sum() > 0:
            only_end = ops.concat(
                [ops.zeros((2, 1), ms.float32), ops.full((2, size - 1), -1e9, dtype=ms.float32)], 1
            )
            following = following * (1 - ended) + only_end * ended
        total = (scores.reshape((2, 1)) + following).reshape((-1,))
        scores, index = ops.topk(total, 2)
        beam = (index // size).astype(ms.int32)
        last = (index % size).astype(ms.int32)
        paths = paths[beam]
        paths[:, t] = last
    return paths, scores


def top_k_sampling(table, start, uniform):
    """Tokens drawn among the three best by numbers in [0, 1) that are given."""
    tokens = []
    token = start
    for t in range(STEPS):
        values, index = ops.topk(table[token], 3)
        chances = ops.softmax(values, -1)
        kept = 2
        mass = ops.zeros((), ms.float32)
        for k in range(3):
            mass = mass + chances[k]
            if uniform[t] < mass:
                kept = k
                break
        token = index[kept].astype(ms.int32)
        tokens.append(token)
    return ops.stack(tokens)


def ctc_greedy(logits):
    """The best labels without repetitions and blanks (0), and how many."""
    best = logits.argmax(-1).astype(ms.int32)
    labels = ops.zeros((8,), ms.int32)
    count = ops.zeros((), ms.int32)
    previous = ops.zeros((), ms.int32)
    for t in range(8):
        label = best[t]
        if label != 0 and label != previous:
            labels[count] = label
            count = count + 1
        previous = label
    return labels, count


def suppression(boxes, scores, limit):
    """Which boxes are kept: greedy, by score, none over one that is kept."""
    order = ops.argsort(-scores).astype(ms.int32)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = ops.zeros((6,), ms.int32)
    for i in range(6):
        here = order[i]
        box = boxes[here]
        good = True
        for j in range(i):
            other = order[j]
            if kept[other] == 0:
                continue
            width = ops.minimum(box[2], boxes[other][2]) - ops.maximum(box[0], boxes[other][0])
            height = ops.minimum(box[3], boxes[other][3]) - ops.maximum(box[1], boxes[other][1])
            if width <= 0 or height <= 0:
                continue
            shared = width * height
            if shared / (areas[here] + areas[other] - shared) > limit:
                good = False
                break
        if good:
            kept[here] = 1
    return kept


def loss_of(weight, x, y):
    error = ops.matmul(x, weight) - y
    if error.abs().max() > 1:
        return error.abs().mean()
    return (error * error).mean()


gradient_of_loss = ms.value_and_grad(loss_of, 0)


def training(weight, x, y):
    """Up to 100 steps of gradient descent with momentum and a rate that falls."""
    momentum = weight * 0
    loss = ops.zeros((), ms.float32)
    rate = 0.1
    step = ops.zeros((), ms.int32)
    while step < 100:
        loss, gradient = gradient_of_loss(weight, x, y)
        if loss < 1e-6:
            break
        if step > 50:
            rate = 0.05
        momentum = momentum * 0.8 + gradient
        weight = weight - rate * momentum
        step = step + 1
    return weight, loss, step


TABLE = [
    [0.1, 0.5, 0.2, 0.3, 0.9],
    [0.3, 0.1, 2.0, 0.7, 0.2],
    [0.2, 0.4, 0.1, 1.5, 1.4],
    [0.9, 1.1, 0.3, 0.2, 1.6],
    [1.7, 0.6, 0.8, 0.4, 0.3],
]
LOOPING = [[row[(k + 1) % 5] for k in range(5)] for row in TABLE]
FRAMES = [
    [0.1, 0.9, 0.2],
    [0.1, 0.8, 0.3],
    [0.7, 0.1, 0.2],
    [0.1, 0.6, 0.2],
    [0.2, 0.1, 0.7],
    [0.2, 0.1, 0.6],
    [0.9, 0.3, 0.4],
    [0.1, 0.2, 0.3],
]
BOXES = [
    [0, 0, 2, 2],
    [0.1, 0.1, 2.1, 2.1],
    [3, 3, 4, 4],
    [3, 3, 4, 4.2],
    [0, 3, 1, 4],
    [1, 1, 3, 3],
]
BOXES = [[float(n) for n in box] for box in BOXES]
X = [[1.0, 2.0], [0.5, -1.0], [-1.5, 0.3], [0.2, 0.8]]

CALLS = {
    greedy: [(TABLE, 1), (LOOPING, 1), (TABLE, 4)],
    beam_search: [(TABLE, 1), (LOOPING, 2)],
    top_k_sampling: [(TABLE, 1, [0.1, 0.9, 0.5, 0.99, 0.3, 0.7]), (LOOPING, 2, [0.5] * 6)],
    ctc_greedy: [(FRAMES,), (FRAMES[::-1],)],
    suppression: [
        (BOXES, [0.9, 0.8, 0.7, 0.95, 0.5, 0.6], 0.5),
        (BOXES, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 0.1),
    ],
    training: [([0.0, 0.0], X, [1.0, 2.0, 3.0, 4.0]), ([1.0, -1.0], X, [-1.0, 1.5, -1.8, -0.6])],
}
