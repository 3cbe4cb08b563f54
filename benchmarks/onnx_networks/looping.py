"""Networks with control flow, as users write them: scripted, with PyTorch's operators of higher
order, written with onnxscript, and loops that decode."""

from typing import List

import torch
from onnxscript import FLOAT, INT64, script
from onnxscript import opset18 as op
from torch import nn
from torch.nn import functional as F


class FixedPoint(nn.Module):
    """A layer whose result is the fixed point of an iteration, as of an equilibrium network."""

    def __init__(self):
        super().__init__()
        self.inject, self.layer = nn.Linear(6, 10), nn.Linear(10, 10)

    def forward(self, x):
        given = self.inject(x)
        z = torch.zeros_like(given)
        change = torch.tensor(1.0)
        steps = 0
        while bool(change > 1e-3) and steps < 30:
            new = torch.tanh(self.layer(z) * 0.3 + given)
            change = (new - z).abs().max()
            z = new
            steps += 1
        return z, change


class TimeWarping(nn.Module):
    """Dynamic time warping of two series: a loop in a loop over rows of costs."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(2, 5)

    def forward(self, a, b):
        costs = torch.cdist(self.embed(a)[None], self.embed(b)[None])[0]
        above = costs[0].cumsum(0)
        for i in range(1, costs.shape[0]):
            row = [above[0] + costs[i, 0]]
            for j in range(1, costs.shape[1]):
                best = torch.minimum(torch.minimum(above[j], above[j - 1]), row[-1])
                row.append(best + costs[i, j])
            above = torch.stack(row)
        return above[-1]


class ShiftReduce(nn.Module):
    """A stack of vectors: a token pushes one, a zero reduces the upper two."""

    def __init__(self):
        super().__init__()
        self.embedding, self.compose = nn.Embedding(50, 8), nn.Linear(16, 8)

    def forward(self, tokens):
        stack: List[torch.Tensor] = [torch.zeros(8)]
        for i in range(tokens.shape[0]):
            if bool(tokens[i] % 3 == 0) and len(stack) > 2:
                right, left = stack.pop(), stack.pop()
                stack.append(torch.tanh(self.compose(torch.cat([left, right]))))
            else:
                stack.append(self.embedding(tokens[i]))
        return torch.stack(stack), torch.tensor(len(stack))


class Gated(nn.Module):
    """A minimal gated unit: no exporter writes `nn.GRUCell` where the batch is one, scripted."""

    def __init__(self, size, hidden):
        super().__init__()
        self.gate, self.new = nn.Linear(size + hidden, hidden), nn.Linear(size + hidden, hidden)

    def forward(self, x, state):
        gate = torch.sigmoid(self.gate(torch.cat([x, state], -1)))
        new = torch.tanh(self.new(torch.cat([x, gate * state], -1)))
        return (1 - gate) * state + gate * new


class Remembering(nn.Module):
    """A state that the first step begins, and steps that are left out."""

    def __init__(self):
        super().__init__()
        self.first, self.cell = nn.Linear(8, 12), Gated(8, 12)

    def forward(self, x):
        state = torch.zeros(1, 12)
        begun = False
        for i in range(x.shape[0]):
            step = x[i : i + 1]
            if bool(step.mean() < -0.3):
                continue
            if begun:
                state = self.cell(step, state)
            else:
                state = torch.tanh(self.first(step))
                begun = True
        return state


class FirstOver(nn.Module):
    """Leaves its loop where a sum is over a limit."""

    def __init__(self):
        super().__init__()
        self.weigh = nn.Linear(8, 1)

    def forward(self, x):
        weights = torch.sigmoid(self.weigh(x)).flatten()
        total, where = torch.zeros(1), 0
        for i in range(weights.shape[0]):
            total = total + weights[i]
            if bool(total > 1.2):
                break
            where += 1
        return total, torch.tensor(where), x[: where + 1].mean(0)


class Skipping(nn.Module):
    """Blocks that are run or left out, each by a gate of its own."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(10), nn.Linear(10, 10), nn.SiLU()) for _ in range(3)
        )
        self.gates = nn.ModuleList(nn.Linear(10, 1) for _ in range(3))

    def forward(self, x):
        for block, gate in zip(self.blocks, self.gates):
            x = torch.cond(
                gate(x).mean() > 0, lambda x, block=block: x + block(x), lambda x: x * 1.0, (x,)
            )
        return x


class Normalised(nn.Module):
    """Two results from each branch, one with a table, one with a convolution."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv1d(4, 6, 3, padding=1), nn.BatchNorm1d(6)
        self.point = nn.Conv1d(4, 6, 1)
        self.register_buffer("scale", torch.rand(6, 1) + 0.5)

    def forward(self, x):
        def first(x):
            y = F.relu(self.norm(self.conv(x)))
            return y, y.mean((1, 2))

        def second(x):
            y = self.point(x) * self.scale
            return y, y.amax((1, 2))

        return torch.cond(x.std() > 1.0, first, second, (x,))


class Cumulating(nn.Module):
    """A recurrence as PyTorch's `scan` has it."""

    def __init__(self):
        super().__init__()
        self.move, self.see = nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x):
        from torch._higher_order_ops.scan import scan

        def step(state, row):
            new = torch.tanh(self.move(state) + row)
            return new, self.see(new)

        return scan(step, torch.zeros(8), x, dim=0)


class Halving(nn.Module):
    """PyTorch's `while_loop`: halves until the norm is small, at most nine times."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x):
        from torch._higher_order_ops.while_loop import while_loop

        def goes_on(count, x):
            return (count < 9) & (x.abs().max() > 0.2)

        def step(count, x):
            return count + 1, torch.tanh(self.layer(x)) * 0.5

        return while_loop(goes_on, step, (torch.zeros((), dtype=torch.int64), x))


class Transducer(nn.Module):
    """Greedy decoding of a transducer: frames, and at most three symbols at each."""

    def __init__(self):
        super().__init__()
        self.embedding, self.predict = nn.Embedding(12, 8), Gated(8, 8)
        self.join = nn.Linear(16, 12)

    def forward(self, frames):
        token, state = torch.zeros(1, dtype=torch.long), torch.zeros(1, 8)
        found = [token]
        t = 0
        emitted = 0
        while t < frames.shape[0]:
            new = self.predict(self.embedding(token), state)
            scores = self.join(torch.cat([frames[t : t + 1], new], -1))
            best = scores.argmax(-1)
            if bool((best == 0).all()) or emitted == 3:
                t += 1
                emitted = 0
            else:
                token, state = best, new
                found.append(best)
                emitted += 1
        return torch.stack(found), state


class CachedDecoder(nn.Module):
    """A transformer that decodes greedily with keys and values that grow."""

    def __init__(self):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(24, 16), nn.Embedding(20, 16)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 24)

    def forward(self, start):
        keys = torch.zeros(start.shape[0], 4, 0, 4)
        values = torch.zeros(start.shape[0], 4, 0, 4)
        token, tokens = start[:, 0], [start[:, 0]]
        for i in range(8):
            x = self.embedding(token) + self.positions.weight[i]
            q, k, v = self.qkv(x).view(-1, 3, 4, 1, 4).unbind(1)
            keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
            weights = torch.softmax(q @ keys.transpose(2, 3) * 0.5, -1)
            x = self.norm(x + self.out((weights @ values).view(-1, 16)))
            token = self.head(x).argmax(-1)
            tokens.append(token)
        return torch.stack(tokens, 1), keys


@script(default_opset=op)
def power_iteration(m: FLOAT["batch", 6]) -> FLOAT[6, 1]:
    square = op.MatMul(op.Transpose(m, perm=[1, 0]), m)
    v = op.Constant(value_floats=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    v = op.Reshape(v, op.Constant(value_ints=[6, 1]))
    change = op.Constant(value_float=1.0)
    going = change > 0.01
    while going:
        w = op.MatMul(square, v)
        norm = op.ReduceL2(w, keepdims=0)
        w = w / norm
        change = op.ReduceMax(op.Abs(w - v), keepdims=0)
        v = op.Identity(w)
        going = change > 0.01
    return v


@script(default_opset=op)
def collatz(x: INT64["length"]) -> (INT64["length"], INT64):
    one = op.Constant(value_int=1)
    steps = op.Constant(value_int=0)
    for i in range(20):
        even = op.Mod(x, op.Constant(value_int=2)) == op.Constant(value_int=0)
        x = op.Where(even, x / op.Constant(value_int=2), x * op.Constant(value_int=3) + one)
        total = op.ReduceSum(x, keepdims=0)
        if total > op.Constant(value_int=100):
            steps = steps + one
        else:
            steps = steps + op.Constant(value_int=2)
    return x, steps


@script(default_opset=op)
def rows_kept(x: FLOAT["batch", 4]) -> (FLOAT["kept", 4], INT64):
    kept = op.SequenceEmpty()
    count = op.Constant(value_int=0)
    rows = op.SplitToSequence(x, axis=0, keepdims=1)
    for i in range(op.SequenceLength(rows)):
        row = op.SequenceAt(rows, i)
        mean = op.ReduceMean(row, keepdims=0)
        if mean > 0.0:
            kept = op.SequenceInsert(kept, row)
            count = count + op.Constant(value_int=1)
        else:
            kept = op.SequenceInsert(kept, op.Neg(row))
    return op.ConcatFromSequence(kept, axis=0), count


@script(default_opset=op)
def clipped_sum(x: FLOAT["steps", 8]) -> (FLOAT[8], FLOAT["steps", 8]):
    total = op.ReduceMin(x, op.Constant(value_ints=[0]), keepdims=0)
    every = op.SequenceEmpty()
    length = op.Gather(op.Shape(x), op.Constant(value_int=0))
    i = op.Constant(value_int=0)
    more = i < length
    while more:
        total = op.Clip(total + op.Gather(x, i), -2.0, 2.0)
        every = op.SequenceInsert(every, total)
        i = i + op.Constant(value_int=1)
        more = i < length
    return total, op.ConcatFromSequence(every, axis=0, new_axis=1)
