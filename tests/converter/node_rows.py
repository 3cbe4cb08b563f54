"""Cases of our own where ONNX has none: ONNX Runtime says what they must give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from msconvert.tests.converter.node_scripts import NodeCase

MICROSOFT, LEARNING = "com.microsoft", "ai.onnx.ml"
OPSETS = {MICROSOFT: 1, LEARNING: 3, "": 17}


@dataclass(frozen=True)
class Row:
    """One node: float32 inputs of these shapes; an array is a constant, None is left out.

    `dynamic` are the axes whose sizes the file gives names; `fed` are inputs that are not drawn.
    """

    op: str
    inputs: Sequence[tuple[int, ...] | np.ndarray[Any, Any] | None]
    attrs: dict[str, Any] = field(default_factory=dict)
    domain: str = ""
    opset: int = 17
    outputs: int = 1
    dynamic: Sequence[int] = ()
    label: str = ""
    fed: dict[int, np.ndarray[Any, Any]] = field(default_factory=dict)


def weights(*shape: int) -> np.ndarray[Any, Any]:
    """Reproducible constants."""
    values = np.random.default_rng(sum(shape)).standard_normal(shape)
    return values.astype(np.float32)


def ints(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


FEW = np.array([0.3], np.float32)

ROIS = np.array([[0, 0, 6, 6], [1.5, 2, 3, 8], [-3, -2, 4, 12], [2, 2, 2, 2]], np.float32)
"""Regions inside of a small image, beyond it, and empty ones."""

THREE = {"coefficients": [0.5, -1.0, 2.0, 1.0, 1.0, 1.0], "intercepts": [0.25, 1.0, -0.5]}
"""A linear classifier of three classes and two features."""

PLAIN_SVM = {"kernel_type": "LINEAR", "kernel_params": [0.0] * 3, "coefficients": [0.5, 2.0]}

TREES = {
    "nodes_treeids": [0, 0, 0, 0, 0, 1, 1, 1],
    "nodes_nodeids": [0, 1, 2, 3, 4, 0, 1, 2],
    "nodes_featureids": [0, 1, 0, 0, 0, 1, 0, 0],
    "nodes_values": [0.1, -0.2, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0],
    "nodes_modes": [*["BRANCH_LEQ"] * 2, *["LEAF"] * 3, "BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 2, 0, 0, 0, 1, 0, 0],
    "nodes_falsenodeids": [4, 3, 0, 0, 0, 2, 0, 0],
}
"""A tree of two branches and one of one."""

STRICT = {**TREES, "nodes_modes": [m.replace("LEQ", "LT") for m in TREES["nodes_modes"]]}
LEAVES = {"treeids": [0, 0, 0, 1, 1], "nodeids": [2, 3, 4, 1, 2]}
EDGES = np.array([[0.1, -0.2], [0.0, 0.3], [0.2, 0.31], [-1.0, -1.0], [np.nan, np.nan]], np.float32)
"""Features that are thresholds, or missing."""


def leaves(what: str, ids: Sequence[int], weights: Sequence[float]) -> dict[str, Any]:
    """Weights at the leaves of TREES, for each of them one or more."""
    times = len(ids) // 5
    places = {
        f"{what}_{key}": [i for i in value for _ in range(times)] for key, value in LEAVES.items()
    }
    return {**places, f"{what}_ids": list(ids), f"{what}_weights": [float(w) for w in weights]}


ONE_CLASS = leaves("class", [0] * 5, [0.1, 0.2, 0.4, 0.1, 0.5])
SIGNED = leaves("class", [0] * 5, [0.1, -0.2, 0.4, 0.1, -0.5])
THREE_CLASSES = leaves("class", [0, 1, 2] * 5, [0.1 * (i * i % 11) for i in range(15)])

ROWS = [
    Row("Not", [np.array([True, False])], label="constant"),
    Row("GlobalLpPool", [(2, 3, 4, 5)]),
    Row("GlobalLpPool", [(2, 3, 4, 5)], {"p": 1}, label="p1"),
    Row("GlobalLpPool", [(2, 3, 4)], {"p": 3}, label="p3"),
    Row("SimplifiedLayerNormalization", [(2, 5), weights(5)], {"epsilon": 1e-5, "axis": -1}),
    Row("Gelu", [(3, 4)], domain=MICROSOFT),
    Row("BiasGelu", [(3, 4), weights(4)], domain=MICROSOFT),
    Row("FastGelu", [(3, 4), weights(4)], domain=MICROSOFT),
    Row("FastGelu", [(3, 4)], domain=MICROSOFT, label="plain"),
    Row("QuickGelu", [(3, 4)], {"alpha": 1.702}, domain=MICROSOFT),
    Row("FusedMatMul", [(2, 3, 4), (2, 5, 4)], {"transB": 1, "alpha": 0.5}, domain=MICROSOFT),
    Row("FusedMatMul", [(2, 4, 3), (2, 4, 5)], {"transA": 1}, domain=MICROSOFT, label="a"),
    Row("FusedGemm", [(3, 4), weights(4, 5), weights(5)], {"activation": "Relu"}, MICROSOFT),
    Row(
        "FusedGemm",
        [(3, 4), weights(4, 5), weights(5)],
        {"activation": "LeakyRelu", "activation_alpha": 0.2},
        MICROSOFT,
        label="leaky",
    ),
    Row(
        "FusedConv",
        [(1, 2, 5, 5), weights(3, 2, 3, 3), weights(3)],
        {"activation": "Relu", "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
        MICROSOFT,
    ),
    Row(
        "FusedConv",
        [(1, 2, 5, 5), weights(3, 2, 3, 3), weights(3)],
        {"activation": "Clip", "activation_params": [0.0, 1.0], "kernel_shape": [3, 3]},
        MICROSOFT,
        label="clip",
    ),
    Row(
        "SkipLayerNormalization",
        [(2, 3, 4), (2, 3, 4), weights(4), weights(4)],
        {"epsilon": 1e-5},
        MICROSOFT,
    ),
    Row(
        "SkipLayerNormalization",
        [(2, 3, 4), (2, 3, 4), weights(4), None, weights(4)],
        {"epsilon": 1e-5},
        MICROSOFT,
        label="bias",
    ),
    Row(
        "SkipSimplifiedLayerNormalization",
        [(2, 3, 4), (2, 3, 4), weights(4)],
        {"epsilon": 1e-5},
        MICROSOFT,
    ),
    Row("Scaler", [(2, 3)], {"offset": [0.5, 1.0, 2.0], "scale": [2.0, 1.0, 0.5]}, LEARNING),
    Row("Scaler", [(2, 3)], {"offset": [0.5], "scale": [2.0]}, LEARNING, label="one"),
    Row(
        "LinearRegressor",
        [(4, 3)],
        {"coefficients": [0.5, -1.0, 2.0, 1.0, 1.0, 1.0], "intercepts": [0.25, 1.0], "targets": 2},
        LEARNING,
    ),
    Row("LinearRegressor", [(4, 3)], {"coefficients": [0.5, -1.0, 2.0]}, LEARNING, label="one"),
    Row(
        "LinearClassifier",
        [(4, 2)],
        {**THREE, "classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX"},
        LEARNING,
        outputs=2,
    ),
    Row(
        "LinearClassifier",
        [(4, 2)],
        {**THREE, "classlabels_ints": [7, 1, 5], "post_transform": "LOGISTIC"},
        LEARNING,
        outputs=2,
        label="labels",
    ),
    Row(
        "LinearClassifier",
        [(6, 2)],
        {"coefficients": [1.0, -2.0], "intercepts": [0.1], "classlabels_ints": [4, 9]},
        LEARNING,
        outputs=2,
        label="one_score",
    ),
    Row("Normalizer", [(4, 3)], {"norm": "L2"}, LEARNING),
    Row("Normalizer", [(4, 3)], {"norm": "L1"}, LEARNING, label="l1"),
    Row("Normalizer", [(4, 3)], {"norm": "MAX"}, LEARNING, label="max"),
    Row("Binarizer", [(4, 3)], {"threshold": 0.1}, LEARNING, label="own"),
    Row(
        "Imputer",
        [(3, 2)],
        {"imputed_value_floats": [5.0, 6.0], "replaced_value_float": float("nan")},
        LEARNING,
        fed={0: np.array([[np.nan, 1], [2, np.nan], [0, 3]], np.float32)},
    ),
    Row(
        "Imputer",
        [(3, 2)],
        {"imputed_value_int64s": [5], "replaced_value_int64": -1},
        LEARNING,
        label="integers",
        fed={0: np.array([[-1, 1], [2, -1], [0, 3]])},
    ),
    Row("ArrayFeatureExtractor", [(4, 3), ints(2, 0)], {}, LEARNING, label="own"),
    Row("ArrayFeatureExtractor", [(3,), ints(2, 0)], {}, LEARNING, label="vector"),
    Row(
        "TreeEnsembleRegressor",
        [(9, 2)],
        {**TREES, **leaves("target", [0] * 5, range(5)), "n_targets": 1},
        LEARNING,
    ),
    Row(
        "TreeEnsembleRegressor",
        [(5, 2)],
        {
            **STRICT,
            **leaves("target", [1, 0] * 5, range(10)),
            "n_targets": 2,
            "aggregate_function": "AVERAGE",
            "base_values": [0.5, -1.5],
            "nodes_missing_value_tracks_true": [1, 0, 0, 0, 0, 0, 0, 0],
        },
        LEARNING,
        label="mean",
        fed={0: EDGES},
    ),
    *(
        Row(
            "TreeEnsembleClassifier",
            [(5, 2)],
            {**TREES, **weights, "classlabels_int64s": labels, "post_transform": post, **more},
            LEARNING,
            outputs=2,
            label=f"{label}_{post.lower()}",
            fed={0: EDGES},
        )
        for label, labels, weights, posts, more in [
            ("one", [4, 9], ONE_CLASS, ("NONE", "LOGISTIC"), {}),
            ("signed", [0, 1], SIGNED, ("NONE", "LOGISTIC"), {"base_values": [0.05]}),
            ("three", [5, 0, 2], THREE_CLASSES, ("NONE", "SOFTMAX", "LOGISTIC"), {}),
        ]
        for post in posts
    ),
    *(
        Row(
            "SVMRegressor",
            [(6, 3)],
            {
                "kernel_type": kind,
                "kernel_params": [0.3, 0.2, 2.0],
                "support_vectors": weights(4, 3).reshape(-1).tolist(),
                "coefficients": [0.5, -1.0, 0.25, 0.7],
                "n_supports": 4,
                "rho": [0.1],
            },
            LEARNING,
            label=kind.lower(),
        )
        for kind in ("LINEAR", "POLY", "RBF", "SIGMOID")
    ),
    Row("SVMRegressor", [(6, 2)], {**PLAIN_SVM, "rho": [0.1]}, LEARNING),
    Row("FeatureVectorizer", [(4, 3), (4, 2)], {"inputdimensions": [3, 2]}, LEARNING),
    Row(
        "OneHotEncoder",
        [(4, 1)],
        {"cats_int64s": [0, 1, -1]},
        LEARNING,
        fed={0: np.array([[1], [-1], [5], [0]])},
    ),
    Row("OneHotEncoder", [(4, 3)], {"cats_int64s": [0, 1, -1]}, LEARNING, label="floats"),
    Row(
        "LabelEncoder",
        [(4, 2)],
        {"keys_int64s": [3, -1, 7], "values_floats": [0.5, 1.5, 2.5], "default_float": 9.0},
        LEARNING,
        fed={0: np.array([[3, 7], [-1, 2], [7, 7], [0, 3]])},
    ),
    Row(
        "LabelEncoder",
        [(4,)],
        {"keys_floats": [0.5, 1.5], "values_int64s": [2, 2**40]},
        LEARNING,
        label="of_floats",
        fed={0: np.array([0.5, 1.5, 1.0, -0.5], np.float32)},
    ),
    Row("NonMaxSuppression", [(2, 40, 4), (2, 3, 40), ints(6), FEW, FEW], label="two_images"),
    Row("NonMaxSuppression", [(1, 30, 4), (1, 2, 30), ints(50)], opset=10, label="no_overlap"),
    Row("NonMaxSuppression", [(1, 9, 4), (1, 2, 9)], label="none"),
    Row(
        "NonMaxSuppression",
        [(1, 30, 4), (1, 2, 30), ints(8), np.float32([0.5])],
        {"center_point_box": 1},
        dynamic=(0, 1),
        label="centred",
    ),
    Row(
        "NonMaxSuppression",
        [(1, 30, 4), (1, 1, 30), (1,), (1,), (1,)],
        fed={2: ints(7), 3: FEW, 4: FEW},
        label="computed_limits",
    ),
    Row("RoiAlign", [(1, 3, 9, 7), ROIS, ints(0, 0, 0, 0)], {"sampling_ratio": 2}, opset=16),
    Row("RoiAlign", [(2, 3, 9, 7), ROIS, ints(0, 1, 1, 0)], {"sampling_ratio": 1}, opset=10),
    Row(
        "RoiAlign",
        [(2, 3, 9, 7), ROIS, ints(1, 1, 0, 0)],
        {
            "sampling_ratio": 3,
            "output_height": 4,
            "output_width": 2,
            "spatial_scale": 0.5,
            "coordinate_transformation_mode": "output_half_pixel",
        },
        opset=16,
        label="sizes",
    ),
    Row(
        "RoiAlign",
        [(1, 3, 9, 7), ROIS, ints(0, 0, 0, 0)],
        {"sampling_ratio": 0},
        opset=16,
        label="adaptive",
    ),
    Row(
        "RoiAlign",
        [(1, 3, 9, 7), ROIS, ints(0, 0, 0, 0)],
        {"sampling_ratio": 2, "mode": "max"},
        opset=16,
        label="max",
    ),
    Row("RandomNormal", [], {"shape": [2, 3]}),
    Row("RandomNormal", [], {"shape": [4], "mean": 1.0, "scale": 0.5, "seed": 3.0}, label="moved"),
    Row("RandomNormal", [], {"shape": [2, 3], "dtype": TensorProto.DOUBLE}, label="double"),
    Row("RandomNormalLike", [(2, 3)]),
    Row("RandomNormalLike", [(2, 3)], {"dtype": TensorProto.DOUBLE}, label="double"),
    Row("RandomUniform", [], {"shape": [2, 3]}),
    Row("RandomUniform", [], {"shape": [5], "low": -1.0, "high": 3.0}, label="moved"),
    Row("RandomUniformLike", [(2, 3)]),
    Row(
        "RandomUniformLike",
        [(2, 3)],
        {"low": 2.0, "high": 3.0, "dtype": TensorProto.DOUBLE},
        label="double",
    ),
    Row("Multinomial", [(2, 3)]),
    Row("Multinomial", [(2, 3)], {"sample_size": 5, "dtype": TensorProto.INT64}, label="five"),
    Row("DepthToSpace", [(2, 8, 3, 4)], {"blocksize": 2}, dynamic=(0,), label="batch"),
    Row("SpaceToDepth", [(2, 2, 4, 6)], {"blocksize": 2}, dynamic=(0,), label="batch"),
    Row(
        "Resize",
        [(2, 3, 4, 5), None, np.array([1, 1, 2, 2], np.float32)],
        {"mode": "nearest"},
        dynamic=(0,),
        label="batch",
    ),
    Row(
        "Resize",
        [(2, 3, 4, 5), None, None, ints(2, 3, 7, 3)],
        {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"},
        label="cubic",
    ),
    Row(
        "Resize",
        [(1, 2, 5), None, np.array([1, 1, 1.6], np.float32)],
        {"mode": "nearest", "nearest_mode": "floor"},
        label="one_axis",
    ),
    Row("Slice", [(3, 6), ints(5), ints(-7), ints(1), ints(-2)], label="back"),
    Row("Slice", [(3, 6), ints(-2), ints(0), ints(1), ints(-1)], label="back_part"),
    Row("ReduceProd", [(2, 3, 4)], {"axes": [0, 2]}, label="two_axes"),
    Row("GroupNormalization", [(2, 4, 3), weights(2), weights(2)], {"num_groups": 2}, opset=18),
    Row(
        "GroupNormalization",
        [(2, 4, 3, 5), weights(2), weights(2)],
        {"num_groups": 2},
        opset=18,
        dynamic=(0, 2, 3),
        label="any_size",
    ),
    Row(
        "GroupNormalization",
        [(2, 4, 3, 5), weights(4), weights(4)],
        {"num_groups": 2},
        opset=21,
        dynamic=(0, 2, 3),
        label="any_size_by_channel",
    ),
    Row("Einsum", [(2, 3, 4), (4, 5, 3)], {"equation": "bij,jki->bk"}, label="two_inner"),
    Row("Einsum", [(2, 3), (3, 4), (4, 5)], {"equation": "ab,bc,cd->ad"}, label="three"),
    Row("Einsum", [(2, 3, 4), (2, 4)], {"equation": "...ij,...j->...i"}, label="vector"),
    Row(
        "ConvTranspose",
        [(1, 2, 5), weights(2, 3, 3)],
        {"strides": [2], "output_padding": [1], "pads": [1, 1]},
        label="one_axis",
    ),
    Row(
        "ConvTranspose",
        [(1, 2, 3, 4), weights(2, 3, 3, 3), weights(3)],
        {"strides": [2, 2], "output_padding": [1, 1], "pads": [1, 1, 1, 1]},
        label="images",
    ),
    Row(
        "ConvTranspose",
        [(1, 2, 3, 4), weights(2, 3, 3, 3), weights(3)],
        {"strides": [2, 2], "pads": [0, 1, 1, 0]},
        label="uneven",
    ),
    Row("ConvTranspose", [(2, 4, 3), (4, 3, 3)], {"strides": [3]}, label="computed_one_axis"),
    Row(
        "ConvTranspose",
        [(2, 4, 3, 5), (4, 3, 3, 2), (6,)],
        {"strides": [2, 3], "output_padding": [1, 2], "pads": [1, 0, 0, 1], "group": 2},
        label="computed_in_groups",
    ),
    Row(
        "ConvTranspose",
        [(1, 2, 4, 4), (2, 3, 2, 2)],
        {"strides": [2, 1], "pads": [2, 3, 0, 2], "dilations": [1, 2]},
        label="computed_beyond_the_kernel",
    ),
    Row(
        "ConvTranspose",
        [(1, 4, 3, 3), (4, 1, 3, 3)],
        {"strides": [2, 2], "auto_pad": "SAME_LOWER", "group": 4},
        label="computed_same",
    ),
    Row("MaxPool", [(2, 3, 6, 5)], {"kernel_shape": [3, 2], "strides": [2, 2]}, outputs=2),
    Row(
        "MaxPool",
        [(2, 3, 6, 5)],
        {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "dilations": [2, 1]},
        outputs=2,
        label="padded",
    ),
    Row("LpPool", [(1, 2, 5, 5)], {"kernel_shape": [2, 2], "p": 3}, label="p3", opset=18),
    Row("Pad", [(2, 4), ints(0, -1, 0, 2)], label="negative"),
    Row("Pad", [(3, 4), ints(0, -1, -2, 0)], label="only_cut"),
    Row(
        *("Pad", [(1, 2, 5, 6), ints(0, 0, -1, 0, 0, 0, 2, 1)], {"mode": "edge"}),
        label="negative_edge",
    ),
    Row("ScatterND", [(4, 3), np.array([[-1], [0]]), (2, 3)], label="negative"),
    Row("GatherND", [(2, 3, 4), np.array([[[-1]], [[0]]])], {"batch_dims": 1}, label="negative"),
    Row("DFT", [(2, 6, 1), None], {"axis": 1, "onesided": 1}, label="onesided"),
]


def own_cases() -> Iterator[NodeCase]:
    """The rows as cases; what a random operator's must give is drawn at random."""
    for row in ROWS:
        yield case_of(row)
    for op, nodes in LISTS:
        yield case_of_lists(op, nodes)


def listed(op: str, inputs: str, output: str, **attrs: int) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), [output], **attrs)


MADE = listed("SequenceConstruct", "x0 x1 x0", "l")
JOINED = listed("ConcatFromSequence", "l", "y0", axis=0)
LISTS = [
    ("SequenceConstruct", [MADE, JOINED]),
    ("ConcatFromSequence", [MADE, listed("ConcatFromSequence", "l", "y0", axis=1, new_axis=1)]),
    ("SequenceAt", [MADE, listed("SequenceAt", "l one", "y0")]),
    ("SequenceLength", [MADE, listed("SequenceLength", "l", "y0")]),
    (
        "SequenceErase",
        [MADE, listed("SequenceErase", "l one", "m"), listed("SequenceAt", "m one", "y0")],
    ),
    (
        "SequenceEmpty",
        [
            listed("SequenceEmpty", "", "e"),
            listed("SequenceInsert", "e x0", "l"),
            listed("ConcatFromSequence", "l", "y0", axis=0),
        ],
    ),
]
"""Operators of lists, with what makes and reads the lists."""


def case_of_lists(op: str, nodes: Sequence[onnx.NodeProto]) -> NodeCase:
    values = {f"x{i}": weights(2, 3 + i)[:, :3] for i in range(2)}
    read = {name for node in nodes for name in node.input}
    infos = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape)
        for name, x in values.items()
        if name in read
    ]
    given = {info.name: values[info.name] for info in infos}
    outputs = [helper.make_value_info("y0", onnx.TypeProto())]
    constants = [numpy_helper.from_array(np.array(1), "one")] if "one" in read else []
    graph = helper.make_graph(nodes, "lists", infos, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (expected,) = _expected(model, given)
    kind = helper.np_dtype_to_tensor_dtype(np.asarray(expected).dtype)
    model.graph.output[0].CopyFrom(
        helper.make_tensor_value_info("y0", kind, [None] * np.ndim(expected))
    )
    return NodeCase(
        f"test_own_{op.lower()}", op, model, tuple(given.values()), (np.asarray(expected),)
    )


def case_of(row: Row) -> NodeCase:
    constants: list[TensorProto] = []
    names: list[str] = []
    values: dict[str, np.ndarray[Any, Any]] = {}
    infos = []
    for i, given in enumerate(row.inputs):
        name = "" if given is None else f"x{i}"
        names.append(name)
        if isinstance(given, tuple):
            values[name] = x = row.fed.get(i, weights(*given, i + 1)[..., 0])
            shape = [f"d{k}" if k in row.dynamic else n for k, n in enumerate(given)]
            kind = helper.np_dtype_to_tensor_dtype(x.dtype)
            infos.append(helper.make_tensor_value_info(name, kind, shape))
        elif given is not None:
            constants.append(numpy_helper.from_array(given, name))
    targets = [f"y{i}" for i in range(row.outputs)]
    node = helper.make_node(row.op, names, targets, domain=row.domain, **row.attrs)
    outputs = [helper.make_value_info(name, onnx.TypeProto()) for name in targets]
    graph = helper.make_graph([node], "row", infos, outputs, constants)
    opsets = [helper.make_opsetid("", row.opset)]
    opsets += [helper.make_opsetid(row.domain, OPSETS[row.domain])] if row.domain else []
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    expected = _expected(model, values)
    for value, array in zip(model.graph.output, expected, strict=True):
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        value.CopyFrom(helper.make_tensor_value_info(value.name, kind, [None] * array.ndim))
    label = f"{row.domain}::{row.op}" if row.domain else row.op
    start = "random" if row.op.startswith(("Random", "Multinomial")) else "own"
    name = "_".join(filter(None, ("test", start, row.op.lower(), row.label, row.domain[-4:])))
    return NodeCase(name.replace(".", ""), label, model, tuple(values.values()), tuple(expected))


def _expected(
    model: onnx.ModelProto, values: dict[str, np.ndarray[Any, Any]]
) -> list[np.ndarray[Any, Any]]:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options)
    return list(session.run(None, values))
