"""Metrics: their values on batches, averages, names, and what they refuse."""

from __future__ import annotations

from msconvert.tests.runtime.train.table import differs, refused, rows

ONE = ("pynative",)
MADE = """
p, q = Tensor(values(6, 4)), Tensor(values(6, 4, seed=1))
y, z = Tensor(np.array([0, 1, 2, 3, 1, 1], np.int32)), Tensor(np.array([3, 3, 0, 0, 1, 2]))
hot = Tensor(np.eye(4)[[0, 1, 2, 3, 1, 1]])
a, b = (values(6, 4) > 0.5).astype(np.int64), (values(6, 4, seed=3) > 0.5).astype(np.int64)
deep, flat = Tensor(values(2, 3, 5)), Tensor(np.arange(10).reshape(2, 5) % 3)
m = {made}
"""
TWICE = (
    MADE
    + "m.update(p, y)\nresult = [plain(m.eval())]\nm.update(q, z)\nresult += [m.eval(), m(p, y)]"
)
ONCE = MADE + "m.update({given})\nresult = m.eval()"

for made in (
    *("train.Accuracy()", "train.Precision()", "train.Recall()", "train.Fbeta(0.5)", "train.F1()"),
    *("train.Fbeta(2)", "train.Top1CategoricalAccuracy()", "train.TopKCategoricalAccuracy(2)"),
    *("train.TopKCategoricalAccuracy(4)", "nn.Accuracy('classification')", "nn.Perplexity()"),
    *("train.Perplexity(1)", "train.Perplexity(ignore_label=3)", "nn.ConfusionMatrix(4)"),
    *("train.ConfusionMatrix(5)", "train.ConfusionMatrix(4, 'target')"),
    *("train.ConfusionMatrix(4, 'prediction')", "train.ConfusionMatrix(4, normalize='all')"),
    *(
        "train.get_metric_fn('accuracy')",
        "train.get_metric_fn('topk', 3)",
        "nn.get_metric_fn('F1')",
    ),
):
    rows(TWICE.format(made=made), modes=ONE)

for made in ("train.Precision()", "train.Recall()", "train.F1()", "train.Fbeta(3.0)"):
    rows(MADE.format(made=made) + "m.update(p, y)\nresult = m.eval(True)", modes=ONE)
    rows(MADE.format(made=made) + "m.update(p, hot)\nresult = m.eval(average=True)", modes=ONE)
for made in ("train.Precision('multilabel')", "train.Recall('multilabel')"):
    for average in (True, False):
        text = f"m.update(a, b)\nm.update(b, a)\nresult = m.eval({average})"
        rows(MADE.format(made=made) + text, modes=ONE)

for made, given in (
    ("train.Accuracy()", "p, hot"),
    ("train.Accuracy()", "deep, flat"),
    ("train.Accuracy()", "p.asnumpy(), y.asnumpy()"),
    ("train.Accuracy()", "p.asnumpy().tolist(), y.asnumpy().tolist()"),
    ("train.Accuracy('multilabel')", "a, b"),
    ("train.Accuracy('multilabel')", "a, a"),
    ("train.Accuracy('multilabel')", "np.stack([a, b], 2), np.stack([a, a], 2)"),
    ("train.Precision()", "deep, flat"),
    ("train.Recall()", "deep, flat"),
    ("train.F1()", "deep, flat"),
    ("train.Top5CategoricalAccuracy()", "values(3, 7), [1, 2, 6]"),
    ("train.Top1CategoricalAccuracy()", "p, hot"),
    ("train.MAE()", "p, q"),
    ("train.MSE()", "p, q"),
    ("train.MAE()", "[1.0, 2.0, 4.0], [1.5, 2.0, 3.0]"),
    ("train.MSE()", "values(4), values(4, 1)"),
    ("train.MAE()", "values(2, 3, 4), values(2, 12)"),
    ("train.MSE()", "np.zeros((2, 2)), np.ones((2, 2))"),
    ("train.Loss()", "Tensor(2.5)"),
    ("train.Loss()", "Tensor(values(4))"),
    ("train.Loss()", "[0.5, 1.5]"),
    ("train.Perplexity()", "p, hot.argmax(1)"),
    ("train.ConfusionMatrix(2)", "values(6), np.array([0, 1, 1, 0, 1, 1])"),
    ("train.ConfusionMatrix(2, threshold=0.8)", "values(6), np.array([0, 1, 1, 0, 1, 1])"),
    ("train.ConfusionMatrix(3)", "np.array([0, 1, 2, 2]), np.array([0, 2, 1, 2])"),
    ("train.ConfusionMatrix(3)", "deep, flat"),
    ("train.ConfusionMatrix(6, 'target')", "p, y"),
    ("train.CosineSimilarity()", "p"),
    ("train.CosineSimilarity('dot')", "p"),
    ("train.CosineSimilarity('cosine', 'mean')", "p"),
    ("train.CosineSimilarity(reduction='sum', zero_diagonal=False)", "p"),
    ("train.CosineSimilarity('dot', 'mean', False)", "values(3, 2)"),
    ("train.Dice()", "p, q"),
    ("train.Dice(1.0)", "a, b"),
    ("train.Dice(smooth=1e-3)", "values(2, 1, 3, 3), values(2, 1, 3, 3, seed=4)"),
    ("train.ROC()", "values(6), np.array([0, 1, 1, 0, 1, 0])"),
    ("train.ROC(pos_label=2)", "values(6), np.array([0, 2, 2, 0, 1, 0])"),
    ("train.ROC(class_num=1, pos_label=1)", "np.array([3, 1, 4, 2]), np.array([0, 1, 1, 0])"),
    ("train.ROC(class_num=4)", "values(4, 4), np.array([0, 1, 2, 3])"),
    ("train.BleuScore()", "[list('abcdefg')], [[list('abcdefx'), list('abcd')]]"),
    ("train.BleuScore(2)", "[list('abcb'), list('xy')], [[list('abc')], [list('xyz'), list('x')]]"),
    ("train.BleuScore(n_gram=3, smooth=True)", "[list('abcbabc')], [[list('abcab')]]"),
    ("train.BleuScore(4, True)", "[list('abc')], [[list('abcab')]]"),
    ("train.BleuScore(1)", "[list('abc')], [[list('xyz')]]"),
    ("train.BleuScore(1)", "[list('aaa')], [[list('abbbbbb'), list('abaa')]]"),
):
    rows(ONCE.format(made=made, given=given), modes=ONE)

IMAGES = "a.reshape(2, 3, 2, 2), b.reshape(2, 3, 2, 2)"
FIGURES = (
    *("sensitivity", "recall", "hit rate", "TPR", "specificity", "tnr", "precision", "ppv", "npv"),
    *("negative predictive value", "miss_rate", "fall_out", "fdr", "false_omission_rate", "for"),
    *("prevalence_threshold", "threat_score", "csi", "accuracy", "balanced_accuracy", "ba", "f1"),
    *("f1_score", "matthews_correlation_coefficient", "mcc", "fowlkes_mallows_index", "fm"),
    *("informedness", "bm", "markedness", "deltap", "mk"),
)
for name in FIGURES:
    made = f"train.ConfusionMatrixMetric(metric_name={name!r})"
    rows(ONCE.format(made=made, given=IMAGES), modes=ONE)
for name in ("tpr", "acc", "mcc", "fm", "pt", "npv"):
    made = f"train.ConfusionMatrixMetric(True, {name!r}, True)"
    rows(ONCE.format(made=made, given=IMAGES), modes=ONE)
for options in (
    "False, 'tpr', False", "False, 'ppv', True", "True, 'acc', True, 'sum'",
    "True, 'acc', False, 'none'",
):  # fmt: skip
    made = f"train.ConfusionMatrixMetric({options})"
    given = "a.reshape(1, 1, 24), b.reshape(1, 1, 24)" if "sum" in options else IMAGES
    rows(ONCE.format(made=made, given=given), modes=ONE)
rows(
    ONCE.format(made="train.ConfusionMatrixMetric(metric_name='acc')", given="a, b"),
    MADE.format(made="train.ConfusionMatrixMetric(metric_name='f1', calculation_method=True)")
    + f"m.update({IMAGES})\nm.update({IMAGES.replace('a', 'b', 1)})\nresult = m.eval()",
    modes=ONE,
)

MASKS = """
first, second = np.zeros((8, 9), int), np.zeros((8, 9), int)
first[2:6, 1:7] = 1
second[3:8, 2:6] = 1
first[6, 6], second[1, 1] = 2, 2
cube = np.zeros((5, 6, 7), int)
cube[1:4, 2:5, 1:6] = 1
line = np.zeros((8, 9), int)
line[3, 2:8] = 1
m = {made}
m.update({given})
result = m.eval()
"""
for kind in ("HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"):
    for distance in ("euclidean", "chessboard", "taxicab"):
        made = f"train.{kind}(distance_metric={distance!r})"
        rows(MASKS.format(made=made, given="first, second, 1"), modes=ONE)
    for given in (
        *("second, first, 1", "Tensor(first), Tensor(second), 2"),
        "cube, cube.T.reshape(5, 6, 7), 1",
        *("line, first, 1", "first, line, 1", "first, first, 1", "first, second, 0"),
        *("first == 1, second == 1, 1", "first, np.zeros_like(first), 1"),
        "np.zeros_like(first), first, 1",
    ):  # fmt: skip
        rows(MASKS.format(made=f"train.{kind}()", given=given), modes=ONE)
for made in (
    *("HausdorffDistance(percentile=95.0)", "HausdorffDistance(percentile=50.0, directed=True)"),
    *("HausdorffDistance(directed=True)", "HausdorffDistance(crop=False)"),
    *("HausdorffDistance('taxicab', 10.0, True, False)", "HausdorffDistance(percentile=0.0)"),
    *("MeanSurfaceDistance(True)", "MeanSurfaceDistance(True, 'chessboard')"),
    "RootMeanSquareDistance(True)",
    "RootMeanSquareDistance(symmetric=True, distance_metric='taxicab')",
):  # fmt: skip
    rows(MASKS.format(made=f"train.{made}", given="first, second, 1"), modes=ONE)
    rows(MASKS.format(made=f"train.{made}", given="first, line, 1"), modes=ONE)

LOOKS = """
class Looks(nn.Cell):
    def construct(self, x):
        return ops.stack([x.reshape(x.shape[0], -1).sum(1), x.reshape(x.shape[0], -1)[:, 3]], 1)
m = {made}
m.update(Looks(), Tensor(values(1, 3, 4)), Tensor(np.array({label})))
result = m.eval()
"""
for made in (
    *("train.OcclusionSensitivity()", "train.OcclusionSensitivity(margin=1)"),
    *("train.OcclusionSensitivity(1.5, 1, 4)", "train.OcclusionSensitivity(n_batch=5)"),
    "train.OcclusionSensitivity(b_box=[0, 1, 1, 2])",
    "train.OcclusionSensitivity(b_box=[-1, -1, 0, 3])",
):  # fmt: skip
    for label in (0, 1):
        rows(LOOKS.format(made=made, label=label), modes=ONE, tolerance=2e-6)

rows(
    "result = [train.names(), nn.names()]",
    """
    try:
        train.Metric()
    except TypeError:
        result = "abstract"
    """,
    "result = train.auc(np.array([0.0, 0.2, 1.0]), np.array([0.0, 0.6, 1.0]))",
    "result = train.auc(np.array([1.0, 0.2, 0.0]), np.array([0.0, 0.6, 1.0]))",
    "result = train.auc(np.array([0.0, 1.0, 0.5, 0.5]), np.array([0.0, 1.0, 0.6, 0.2]), True)",
    "result = train.auc(np.array([[0.0], [0.2], [1.0]]), np.array([0, 1, 1]))",
    "result = train.auc(np.array([1.0, 1.0]), np.array([2, 3]))",
    """
    m = train.ROC()
    m.update(values(9), np.array([0, 1, 1, 0, 1, 0, 0, 1, 1]))
    fpr, tpr, thresholds = m.eval()
    result = nn.auc(fpr, tpr)
    """,
    "result = train.Accuracy().set_indexes([0, 2])(values(3, 2), values(3), [0, 1, 1])",
    "result = train.Accuracy().set_indexes([2, 0])([0, 1, 1], values(3), values(3, 2))",
    "m = train.Accuracy().set_indexes([1, 0])\nresult = [m.indexes, train.Loss().indexes]",
    """
    class Last(train.Metric):
        def clear(self): self.seen = 0
        @train.rearrange_inputs
        def update(self, *inputs): self.seen = [plain(self._convert_data(x)) for x in inputs]
        def eval(self): return self.seen
    result = [Last()([1], [2]), Last().set_indexes([1])([1], [2]), Last().set_indexes([])([3])]
    """,
    """
    m = train.Accuracy()
    m.update(values(3, 2), [0, 1, 1])
    m.clear()
    m.update(values(2, 3), [0, 1])
    result = [m.eval(), m._correct_num, m._total_num, m._class_num]
    """,
    "result = [issubclass(train.F1, train.Fbeta), issubclass(train.Top5CategoricalAccuracy, "
    "train.TopKCategoricalAccuracy), issubclass(train.Accuracy, train.Metric)]",
    """
    m = train.Accuracy()
    m.update(values(3, 2), [0, 1, 1])
    print(m.eval(), {"acc": float(m.eval())})
    """,
    modes=ONE,
)

for made in (
    *("Accuracy()", "Precision()", "Recall('multilabel')", "F1()", "TopKCategoricalAccuracy(1)"),
    *("MAE()", "MSE()", "Loss()", "Perplexity()", "ConfusionMatrix(2)", "ConfusionMatrixMetric("),
    *("Dice()", "ROC()", "BleuScore()", "HausdorffDistance()", "OcclusionSensitivity()"),
):
    made = made + "calculation_method=True)" if made.endswith("(") else made
    refused(f"train.{made}.eval()", f"train.{made}.update(*[values(2, 2)] * 4)", modes=ONE)
for kind in ("MeanSurfaceDistance", "RootMeanSquareDistance"):
    refused(f"train.{kind}().update(*[values(2, 2)] * 4)", modes=ONE)
refused("train.CosineSimilarity().eval()", modes=ONE)

refused(
    "train.Accuracy('labels')",
    "train.Precision(1)",
    "train.Accuracy()(values(3, 2), 'labels')",
    "train.Accuracy()(values(3, 2), (0, 1, 1))",
    "train.Accuracy()(values(3, 2), [0, 1])",
    "train.Accuracy()(values(3, 2), values(3, 2, 2))",
    "train.Accuracy('multilabel')(values(3, 2), values(3, 2))",
    "train.Accuracy('multilabel')(values(3, 2), [0, 1, 1])",
    "m = train.Accuracy(); m.update(values(3, 2), [0, 1, 1]); m.update(values(3, 3), [0, 1, 1])",
    "m = train.Recall(); m.update(values(3, 2), [0, 1, 1]); m.update(values(3, 3), [0, 1, 1])",
    "train.Precision()(values(3, 2), [0, 1, 2])",
    "train.Precision().eval(average=1)",
    "train.Fbeta(0)",
    "train.Fbeta(-1.0)",
    "train.F1()(values(3, 2), [0, 1, 2])",
    "m = train.F1(); m.update(values(3, 2), [0, 1, 1]); m.eval(1)",
    "m = train.F1(); m.update(values(3, 2), [0, 1, 1]); m.update(values(3, 3), [0, 1, 1])",
    "train.TopKCategoricalAccuracy('2')",
    "train.TopKCategoricalAccuracy(0)",
    "train.TopKCategoricalAccuracy(3)(values(3, 2), [0, 1, 1])",
    "train.MAE()(values(3), values(4))",
    "train.MSE()(values(3, 2), [1.0])",
    "train.Loss()(values(2, 2))",
    "train.Loss()(1.0)",
    "train.Perplexity('1')",
    "train.Perplexity()(values(3, 2), [0, 1])",
    "train.ConfusionMatrix(2.0)",
    "train.ConfusionMatrix(2, 'rows')",
    "train.ConfusionMatrix(2, threshold=1)",
    "train.ConfusionMatrix(2)(np.array([0, 3]), np.array([0, 1]))",
    "train.ConfusionMatrix(2)(values(2, 2, 2), np.array([0, 1]))",
    "train.ConfusionMatrixMetric(1)",
    "train.ConfusionMatrixMetric(metric_name=1)",
    "train.ConfusionMatrixMetric(decrease='batch')",
    "train.ConfusionMatrixMetric(calculation_method=1)",
    "train.ConfusionMatrixMetric()(values(2, 2), values(2, 2))",
    "train.ConfusionMatrixMetric()(np.ones(3), np.ones(3))",
    "train.ConfusionMatrixMetric()(np.ones((2, 2)), np.ones((2, 3)))",
    "train.ConfusionMatrixMetric(metric_name='hits')(np.ones((2, 2)), np.ones((2, 2)))",
    "train.CosineSimilarity('euclid')",
    "train.CosineSimilarity(reduction='max')",
    "train.CosineSimilarity(zero_diagonal=1)",
    "train.CosineSimilarity()(values(3))",
    "train.Dice(0.0)",
    "train.Dice(-1.0)",
    "train.Dice()(values(2, 2), values(2, 3))",
    "train.ROC('2')",
    "train.ROC(pos_label=1.0)",
    "train.ROC(2)(values(4), np.array([0, 1, 0, 1]))",
    "train.ROC(3)(values(4, 2), np.array([0, 1, 0, 1]))",
    "train.ROC(2, 1)(values(4, 2), np.array([0, 1, 0, 1]))",
    "train.ROC()(values(4), np.array([1, 1, 1, 1]))",
    "train.ROC()(values(4), np.array([0, 0, 0, 0]))",
    "train.auc([0.0, 1.0], [0.0, 1.0])",
    "train.auc(values(3), values(4))",
    "train.auc(values(1), values(1))",
    "train.auc(values(3, 2), values(3, 2))",
    "train.auc(np.array([0.0, 1.0, 0.5]), values(3))",
    "train.BleuScore(5)",
    "train.BleuScore(0)",
    "train.BleuScore('4')",
    "train.BleuScore(smooth=1)",
    "train.BleuScore()([list('ab')], [])",
    "train.HausdorffDistance('l2')",
    "train.HausdorffDistance(percentile=95)",
    "train.HausdorffDistance(percentile=101.0)(np.ones((3, 3)), np.ones((3, 3)), 1)",
    "train.HausdorffDistance(directed=1)",
    "train.HausdorffDistance()(np.ones((3, 3)), np.ones((3, 3)), 5)",
    "train.HausdorffDistance()(np.ones((3, 3)), np.ones((3, 4)), 1)",
    "train.HausdorffDistance()(np.ones((3, 3)), np.ones((3, 3)), '1')",
    "train.MeanSurfaceDistance(1)",
    "train.MeanSurfaceDistance(distance_metric=1)",
    "train.MeanSurfaceDistance()(np.ones((3, 3)), np.ones((3, 3)), [1])",
    "train.RootMeanSquareDistance('no')",
    "train.RootMeanSquareDistance()(np.ones((3, 3)), np.ones((3, 3)), [1])",
    "train.RootMeanSquareDistance()(np.ones((3, 3)), np.ones((3, 4)), 1)",
    "train.OcclusionSensitivity(0)",
    "train.OcclusionSensitivity(margin=1.0)",
    "train.OcclusionSensitivity(n_batch=1.0)",
    "train.OcclusionSensitivity(b_box=(0, 1))",
    "train.OcclusionSensitivity()(1, values(1, 2), [0])",
    "train.OcclusionSensitivity()(nn.ReLU(), values(2, 2), [0])",
    "train.OcclusionSensitivity()(nn.ReLU(), values(1, 2), [0, 1])",
    "train.OcclusionSensitivity(b_box=[0, 1, 0])(nn.ReLU(), values(1, 2), [0])",
    "train.OcclusionSensitivity(b_box=[0, 5])(nn.ReLU(), values(1, 2), [0])",
    "train.OcclusionSensitivity(b_box=[1, 0])(nn.ReLU(), values(1, 2), [0])",
    "train.get_metric_fn('accurate')",
    "train.get_metric_fn(1)",
    "train.Accuracy().set_indexes(0)",
    "train.Accuracy().set_indexes(['0'])",
    modes=ONE,
)

differs(
    """
    m = train.ROC(class_num=3)
    scores, y = values(5, 3), np.array([0, 1, 2, 1, 0])
    m.update(scores, y)
    found = m.eval()
    for c in range(3):
        alone = train.ROC(pos_label=c)
        alone.update(scores[:, c], y)
        fpr, tpr, thresholds = alone.eval()
        assert [fpr.tolist(), tpr.tolist()] == [found[0][c].tolist(), found[1][c].tolist()]
        assert np.allclose(thresholds, found[2][c])
    """,
    here={"error": None},
    because="MindSpore takes scores of samples for scores of classes, unless there are as many",
    modes=ONE,
)
differs(
    MADE.format(made="train.ConfusionMatrixMetric(True, 'acc', True, 'mean_batch')")
    + "m.update(a.reshape(6, 1, 4), b.reshape(6, 1, 4))\nresult = m.eval() == (a == b).mean()",
    here={"error": None, "result": True},
    because="MindSpore forgets to call the function of mean_batch",
    modes=ONE,
)
differs(
    LOOKS.format(made="train.OcclusionSensitivity(margin=[1, 0])", label=1),
    here={"error": None, "result": [[0.0] * 4] * 3},
    because="MindSpore subtracts a list from a number, and raises a TypeError",
    modes=ONE,
)
differs(
    "train.CosineSimilarity().update(values(2, 2), values(2, 2))",
    here={"error": "ValueError"},
    because="MindSpore's other metrics raise a ValueError for the number of inputs too",
    modes=ONE,
)
for kind in ("MeanSurfaceDistance", "RootMeanSquareDistance"):
    differs(
        f"train.{kind}().eval()",
        here={"error": "RuntimeError", "result": None},
        because="MindSpore means to refuse it, and forgets",
        modes=ONE,
    )
