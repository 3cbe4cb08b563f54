"""Families of faults and of healthy trainings, as loops of one's own, in both modes.

Each stands for what `msconvert watch` got wrong of a list written before it was run; docs/tuning.md
has the figures. A network here differs from the others of its family in the fault alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import msconvert
import msconvert.runtime as ms
from msconvert.observation.watch.as_text import paragraph, source_of
from msconvert.observation.watch.finding import Finding, statistics
from msconvert.runtime import nn, ops

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(256, 12)).astype(np.float32)
Y = X[:, :4].argmax(1).astype(np.int32)
HALVES = (X[:, :1] > 0).astype(np.float32)

Loop = Callable[[], None]


@pytest.fixture(params=["graph", "pynative"])
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    ms.set_context(mode=ms.GRAPH_MODE if request.param == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(4)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def network(outputs: int = 4, last: Any = None) -> Any:
    cells = [nn.Dense(12, 16), nn.ReLU(), nn.Dense(16, outputs)]
    return nn.SequentialCell(*cells, *([] if last is None else [last]))


def trained(
    net: Any, loss: Callable[[Any, Any], Any], y: Any = Y, steps: int = 12, every: int = 1,
    optimizer: Any = None,
) -> None:  # fmt: skip
    """A loop; `every` so many steps the sum of the gradients goes to the optimizer."""
    optimizer = optimizer or nn.Adam(net.trainable_params(), 0.003)
    step = ms.value_and_grad(lambda a, b: loss(net(a), b), None, optimizer.parameters)
    total: Any = None
    for k in range(steps):
        rows = np.random.default_rng(k).integers(0, 256, 32)
        _, gradients = step(ms.Tensor(X[rows]), ms.Tensor(y[rows]))
        total = gradients if total is None else tuple(map(ops.add, total, gradients))
        if k % every == every - 1:
            optimizer(total)
            total = None


def found_of(loop: Loop) -> list[Finding]:
    with msconvert.watch() as looking:
        loop()
    return looking.findings


def named(loop: Loop) -> list[tuple[str, str]]:
    return [(one.condition, one.layer) for one in found_of(loop) if not one.note]


# what a loss takes


class LogSoftmax(nn.Cell):
    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return ops.log_softmax(x, axis=self.axis)


LOSSES: dict[str, tuple[Any, Any, Any, str]] = {
    "logits": (None, nn.CrossEntropyLoss(), Y, ""),
    "softmax before its own": (nn.Softmax(), nn.CrossEntropyLoss(), Y, "probabilities already"),
    "the same, sparse": (
        nn.Softmax(), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), Y,
        "probabilities already",
    ),
    "the same, as a function": (nn.Softmax(), ops.cross_entropy, Y, "probabilities already"),
    "logarithms": (LogSoftmax(1), nn.NLLLoss(), Y, ""),
    "over the rows": (LogSoftmax(0), nn.NLLLoss(), Y, "sum to"),
    "no logarithms": (nn.Softmax(), ops.nll_loss, Y, "sum to"),
    "plain outputs": (None, ops.nll_loss, Y, "sum to"),
    "labels left out": (None, ops.cross_entropy, np.where(Y == 1, -100, Y), ""),
}  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("name", LOSSES)
def test_what_a_loss_is_given(name: str, mode: str) -> None:
    last, loss, y, problem = LOSSES[name]
    net = network(4, last)
    found = [f for f in found_of(lambda: trained(net, loss, y)) if f.condition == "data"]
    assert [problem in f.problem and f.layer.startswith("loss") for f in found] == (
        [True] if problem else []
    )
    assert all(f.line.startswith(__file__) for f in found)


@pytest.mark.parametrize("last", [None, nn.Sigmoid()], ids=["logits", "sigmoid"])
@pytest.mark.parametrize(
    "loss",
    [nn.BCEWithLogitsLoss(), ops.binary_cross_entropy_with_logits],
    ids=["a cell", "a function"],
)
def test_a_sigmoid_before_a_loss_that_has_one(loss: Any, last: Any, mode: str) -> None:
    net = network(1, last)
    found = named(lambda: trained(net, loss, HALVES))
    assert ("data" in [c for c, _ in found]) is (last is not None)


@pytest.mark.parametrize("scale", [1, 255])
def test_targets_of_a_binary_loss_are_probabilities(scale: int, mode: str) -> None:
    net = network(1)
    found = found_of(lambda: trained(net, nn.BCEWithLogitsLoss(), HALVES * np.float32(scale)))
    told = [f.problem for f in found if f.condition == "data" and f.layer.startswith("loss")]
    all_wrong = ["the targets of a binary loss go from 0 to 255, not from 0 to 1"]
    assert told == (all_wrong if scale > 1 else [])


DROPOUTS: dict[str, tuple[Callable[[], Any], list[bool]]] = {
    "half": (lambda: nn.Dropout(p=0.5), []),
    "much, and said so": (lambda: nn.Dropout(p=0.9), []),
    "next to all": (lambda: nn.Dropout(p=0.999), [False]),
    "next to all by what is kept": (lambda: nn.Dropout(0.001), [False]),
    "channels": (lambda: nn.Dropout1d(p=0.995), [False]),
    "PyTorch's argument": (lambda: nn.Dropout(0.1), [True]),
    "MindSpore's argument": (lambda: nn.Dropout(0.9), []),
}
"""Whether each finding is a note."""


@pytest.mark.sweep
@pytest.mark.parametrize("name", DROPOUTS)
def test_dropouts_that_leave_next_to_nothing(name: str, mode: str) -> None:
    make, notes = DROPOUTS[name]
    cells = [nn.Dense(12, 64), nn.ReLU(), make(), nn.Dense(64, 4)]
    net = nn.SequentialCell(*cells).set_train()
    found = found_of(lambda: trained(net, ops.cross_entropy, steps=4))
    told = [f.note for f in found if (f.condition, f.layer) == ("dead-activations", "2")]
    assert told == notes


def test_a_dropout_in_an_evaluation_drops_nothing(mode: str) -> None:
    net = nn.SequentialCell(nn.Dense(12, 64), nn.Dropout(p=0.999), nn.Dense(64, 4))
    found = named(lambda: trained(net, ops.cross_entropy, steps=4))
    assert "dead-activations" not in [condition for condition, _ in found]


# the sign of a loss


class Of(nn.Cell):
    """What `function` makes of a loss."""

    def __init__(self, inner: Any, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self.inner, self.function = inner, function

    def construct(self, x: Any, y: Any) -> Any:
        return self.function(self.inner(x, y))


SIGNS: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "as it is": (lambda loss: loss, False),
    "above 0": (lambda loss: loss + 3.0, False),
    "minus": (lambda loss: -loss, True),
    "one by it": (lambda loss: 10.0 / (loss + 1.0), True),
    "exp of minus": (lambda loss: ops.exp(-loss), True),
}


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("loss", "outputs", "y"),
    [(nn.CrossEntropyLoss(), 4, Y), (nn.BCEWithLogitsLoss(), 1, HALVES)],
    ids=["classes", "halves"],
)
@pytest.mark.parametrize("sign", SIGNS)
def test_a_loss_is_maximised(
    sign: str, loss: Any, outputs: int, y: Any, seed: int, mode: str
) -> None:
    function, told = SIGNS[sign]
    ms.set_seed(seed)
    net = network(outputs)
    rate = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    found = named(lambda: trained(net, Of(loss, function), y, steps=40, optimizer=rate))
    assert bool(found) is told
    assert all(one in ("loss-stuck", "exploding", "nan", "overflow") for one, _ in found)


def test_one_loss_of_two_may_rise(mode: str) -> None:
    """A network that is to hide something from a second loss while the first one falls."""

    class Hiding(nn.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            hidden = ops.cross_entropy(x[:, 2:], ops.cast(y > 1, ms.int32))
            return ops.cross_entropy(x, y) - 0.3 * hidden

    net = network(4)
    found = named(lambda: trained(net, Hiding(), np.minimum(Y, 1), steps=40))
    assert "loss-stuck" not in [condition for condition, _ in found]


def test_labels_of_a_function_are_looked_at(mode: str) -> None:
    def loop() -> None:
        with pytest.raises(Exception, match="Gather"):
            trained(network(), ops.cross_entropy, Y + 1)

    (one,) = found_of(loop)
    assert (one.condition, one.layer) == ("data", "loss")
    assert one.problem.startswith("labels go from 1 to 4, and the network has 4 outputs")


# which weights a step is to change


class Hidden(nn.Cell):
    """Its middle layer is in a CellList, or where the network does not look."""

    def __init__(self, kept: Callable[[list[Any]], Any]) -> None:
        super().__init__()
        self.first, self.last = nn.Dense(12, 16), nn.Dense(16, 4)
        self.middle = kept([nn.Dense(16, 16)])

    def construct(self, x: Any) -> Any:
        x = ops.relu(self.first(x))
        for layer in self.middle:
            x = ops.relu(layer(x))
        return self.last(x)


@pytest.mark.parametrize("known", [False, True])
def test_layers_that_their_network_does_not_know(known: bool, mode: str) -> None:
    net = Hidden(nn.CellList if known else lambda cells: [lambda x: cells[0](x)])
    found = named(lambda: trained(net, ops.cross_entropy))
    layer = "Dense (number 1 outside of its network)"
    assert found == ([] if known else [("unchanged-weights", layer)])


@pytest.mark.parametrize("every", [1, 8])
def test_gradients_that_are_added_up_are_no_fault(every: int, mode: str) -> None:
    assert named(lambda: trained(network(), ops.cross_entropy, steps=40, every=every)) == []


def test_an_optimizer_that_is_never_called_is_one(mode: str) -> None:
    found = named(lambda: trained(network(), ops.cross_entropy, steps=12, every=1000))
    assert found == [("unchanged-weights", "0"), ("unchanged-weights", "2")]


def test_a_rate_that_comes_to_its_end_is_noted(mode: str) -> None:
    def loop() -> None:
        net = network()
        rates = [0.3] * 20 + [0.0] * 8
        trained(net, ops.cross_entropy, steps=28, optimizer=nn.SGD(net.trainable_params(), rates))

    assert {(f.condition, f.layer, f.note) for f in found_of(loop)} == {
        ("unchanged-weights", layer, True) for layer in ("0", "2")
    }


def test_statistics_that_move_are_no_training(mode: str) -> None:
    """Beside BatchNorm, too, a rate of 0 from the first step on is a fault and no note."""

    def loop() -> None:
        net = nn.SequentialCell(nn.Dense(12, 16), nn.BatchNorm1d(16), nn.Dense(16, 4))
        net.set_train()
        trained(net, ops.cross_entropy, optimizer=nn.SGD(net.trainable_params(), 0.0))

    assert {(f.condition, f.layer, f.note) for f in found_of(loop)} == {
        ("unchanged-weights", layer, False) for layer in ("0", "1", "2")
    }


def test_what_has_no_finite_number_is_said_to_have_none() -> None:
    text = statistics("x", [np.array([np.inf, np.nan, np.inf], np.float32)])[0].text()
    assert text == "x 0: float32[3] without a finite number: 1 NaN, 2 inf"


class Hinge(nn.Cell):
    """Is exactly 0 once a row's own class is far enough above the mean."""

    def construct(self, logits: Any, y: Any) -> Any:
        own = (logits * ops.one_hot(y, 4)).sum(1)
        return ops.relu(0.3 - own).mean()


def test_a_loss_of_exactly_0_has_gradients_of_0(mode: str) -> None:
    def loop() -> None:
        net = network()
        rate = nn.SGD(net.trainable_params(), 0.3)
        trained(net, Hinge(), np.zeros_like(Y), steps=40, optimizer=rate)

    assert named(loop) == []


@pytest.mark.parametrize("start", [0.01, 0.0])
def test_small_tables_may_grow(start: float, mode: str) -> None:
    class Words(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            table = ms.Tensor(RANDOM.normal(0, start, (40, 16)).astype(np.float32))
            self.table = nn.Embedding(40, 16, embedding_table=table)
            self.out = nn.Dense(16, 4)

        def construct(self, x: Any) -> Any:
            return self.out(self.table(ops.cast(ops.abs(x) * 9, ms.int32)).mean(1))

    net = Words()
    fast = nn.Adam(net.trainable_params(), 0.01)
    found = named(lambda: trained(net, ops.cross_entropy, steps=10, optimizer=fast))
    assert "exploding" not in [condition for condition, _ in found]


def test_two_networks_against_each_other(mode: str) -> None:
    """Neither loss falls for long: it is noted. Six steps of the one are for one of the other."""

    def loop() -> None:
        maker, judge = network(2), nn.SequentialCell(nn.Dense(2, 8), nn.Tanh(), nn.Dense(8, 1))
        first = nn.Adam(maker.trainable_params(), 0.002)
        second = nn.Adam(judge.trainable_params(), 0.002)
        fooled = ms.value_and_grad(lambda z: judge(maker(z)).mean(), None, first.parameters)
        told = ms.value_and_grad(
            lambda z, x: judge(x).mean() - judge(ops.stop_gradient(maker(z))).mean(), None,
            second.parameters,
        )  # fmt: skip
        for k in range(42):
            z = ms.Tensor(X[k : k + 32])
            if k % 7 == 6:
                first(fooled(z)[1])
            else:
                second(told(z, ms.Tensor(X[100:132, :2]))[1])

    assert "unchanged-weights" not in [condition for condition, _ in named(loop)]


@pytest.mark.parametrize("given", ["its own", "the other's"])
def test_two_optimizers_of_the_same_weights(given: str, mode: str) -> None:
    maker, judge = network(2), nn.SequentialCell(nn.Dense(2, 8), nn.Tanh(), nn.Dense(8, 1))
    maker.update_parameters_name("maker.")

    def loop() -> None:
        net = maker if given == "its own" else judge
        first = nn.Adam(net.trainable_params(), 0.002)
        second = nn.Adam(judge.trainable_params(), 0.002)
        fooled = ms.value_and_grad(lambda z: judge(maker(z)).mean(), None, first.parameters)
        for k in range(24):
            z = ms.Tensor(X[k : k + 32])
            first(fooled(z)[1])
            second(ms.value_and_grad(lambda x: -judge(x).mean(), None, second.parameters)(
                ms.Tensor(X[100:132, :2]))[1])  # fmt: skip

    still = [one for one in found_of(loop) if one.condition == "unchanged-weights"]
    own = {one.layer for one in still if not one.note}
    assert own == (set() if given == "its own" else {"maker.0", "maker.2"})
    assert all("two optimizers" in one.advice for one in still)


@pytest.mark.parametrize("sizes", ["of both signs", "of one sign"])
def test_losses_about_zero_need_not_fall(sizes: str, mode: str) -> None:
    """As of a policy's gradient, whose rewards are what they are."""

    def loop() -> None:
        net = network(4)
        rate = nn.SGD(net.trainable_params(), 1e-4)
        level = 0.0 if sizes == "of both signs" else 3.0
        rewards = np.random.default_rng(1).normal(level, 1.0, (40, 1)).astype(np.float32)
        step = ms.value_and_grad(
            lambda x, reward: -(ops.log_softmax(net(x), -1)[:, 0] * reward).mean(), None,
            rate.parameters,
        )  # fmt: skip
        for k in range(40):
            rate(step(ms.Tensor(X[k : k + 32]), ms.Tensor(rewards[k]))[1])

    stuck = [one.note for one in found_of(loop) if one.condition == "loss-stuck"]
    assert stuck == [sizes == "of both signs"]


# the mode of layers


class Normed(nn.Cell):
    def __init__(self, middle: Any) -> None:
        super().__init__()
        self.a, self.middle, self.b = nn.Dense(12, 16), middle, nn.Dense(16, 4)

    def construct(self, x: Any) -> Any:
        return self.b(ops.relu(self.middle(self.a(x))))


@pytest.mark.sweep
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("middle", "told"),
    [(lambda: nn.BatchNorm1d(16), True), (lambda: nn.Dropout(p=0.2), True),
     (lambda: nn.Dropout(p=0.0), False), (lambda: nn.LayerNorm((16,)), False),
     (lambda: nn.BatchNorm1d(16, use_batch_statistics=True), False)],
    ids=["batch norm", "dropout", "dropout of none", "layer norm", "always by batch"],
)  # fmt: skip
def test_a_training_in_the_mode_of_evaluation(
    middle: Any, told: bool, training: bool, mode: str
) -> None:
    net = Normed(middle()).set_train(training)
    found = named(lambda: trained(net, ops.cross_entropy))
    assert found == ([("unchanged-weights", "middle")] if told and not training else [])


# where an overflow comes from


class Grown(nn.Cell):
    """The result of its first line overflows in a later one."""

    def __init__(self, first: Callable[[Any], Any]) -> None:
        super().__init__()
        self.dense, self.first = nn.Dense(12, 4), first

    def construct(self, x: Any) -> Any:
        y = self.first(self.dense(x)).reshape(-1, 2, 2)
        y = y.swapaxes(1, 2) + 1.0
        return (y * y).reshape(-1, 4)


ORIGINS: dict[str, tuple[Callable[[Any], Any], str | None]] = {
    "a large exp": (lambda x: ops.exp(x * 0.0 + 60.0), "Exp"),
    "a large factor": (lambda x: (x * 0.0 + 3.0) * 1e25, "Mul"),
    "half precision": (lambda x: ops.exp(ops.cast(x * 0.0 + 7.0, ms.float16)), "Exp"),
    "overflows at once": (lambda x: ops.exp(x * 0.0 + 100.0), None),
}


@pytest.mark.parametrize("name", ORIGINS)
def test_an_overflow_says_where_its_numbers_have_grown(name: str, mode: str) -> None:
    first, op = ORIGINS[name]
    (one,) = [f for f in found_of(lambda: trained(Grown(first), ops.cross_entropy, steps=2))
              if f.condition == "overflow"]  # fmt: skip
    assert one.op == ("Mul" if op else "Exp")
    assert (one.grown[0] if one.grown else None) == op
    if one.grown is not None:
        lines = [source_of(line).partition(": ")[2] for line in (one.line, one.grown[2])]
        assert lines[0] == "return (y * y).reshape(-1, 4)"
        assert lines[1].startswith(f'"{name}"')
        assert f"grown in: {op} of " in "\n".join(paragraph(one))
    assert Finding.from_dict(json.loads(json.dumps(one.as_dict()))) == one


@pytest.mark.parametrize("detached", [False, True])
def test_a_bias_that_cancels_out_is_noted(detached: bool, mode: str) -> None:
    """As the last one of two towers, of whose results the difference is taken."""
    tower = network(4)

    def distance(x: Any, y: Any) -> Any:
        d = tower(x[:, :12]) - tower(x[:, ::-1])
        d = ops.stop_gradient(d) + tower[2].weight.sum() * 0.0 if detached else d
        return (d * d).mean()

    def loop() -> None:
        rate = nn.SGD(tower.trainable_params(), 0.003)
        step = ms.value_and_grad(distance, None, rate.parameters)
        for k in range(12):
            rate(step(ms.Tensor(X[k : k + 32]), ms.Tensor(Y[k : k + 32]))[1])

    found = {(f.layer, f.note) for f in found_of(loop) if f.condition == "zero-gradients"}
    assert found == ({("0", False), ("2", False)} if detached else {("2", True)})
