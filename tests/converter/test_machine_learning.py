"""Models of ai.onnx.ml whole: dictionaries become tensors, labels that are text are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

import msconvert.runtime as ms
from msconvert.converter.convert import Options, convert
from msconvert.errors import MsconvertError
from msconvert.tests.converter.conversion import imported

LEARNING = "ai.onnx.ml"
LINEAR = {"coefficients": [0.5, -1.0, 2.0, 1.0, 1.0, 1.0], "intercepts": [0.25, 1.0, -0.5]}
MAPS = {"integers": [7, 1, 5], "text": ["seven", "one", "five"]}


def classifier(path: Path, kind: str) -> Path:
    """Scaler, LinearClassifier and ZipMap, as scikit-learn's exporter writes a pipeline."""
    labels: Any = MAPS[kind]
    of_model = "classlabels_ints" if kind == "integers" else "classlabels_strings"
    of_map = "classlabels_int64s" if kind == "integers" else "classlabels_strings"
    scaling = {"offset": [0.5, -0.5], "scale": [2.0, 0.5]}
    learning = {**LINEAR, of_model: labels, "post_transform": "SOFTMAX"}
    nodes = [
        helper.make_node("Scaler", ["x"], ["scaled"], domain=LEARNING, **scaling),
        helper.make_node(
            "LinearClassifier", ["scaled"], ["label", "scores"], domain=LEARNING, **learning
        ),
        helper.make_node("ZipMap", ["scores"], ["chances"], domain=LEARNING, **{of_map: labels}),
    ]
    element = TensorProto.INT64 if kind == "integers" else TensorProto.STRING
    outputs = [
        helper.make_tensor_value_info("label", element, ["rows"]),
        helper.make_value_info("chances", onnx.TypeProto()),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 2])
    graph = helper.make_graph(nodes, "pipeline", [given], outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(LEARNING, 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    return path


@pytest.mark.parametrize("kind", MAPS)
def test_a_zip_map_is_the_tensor_whose_columns_are_its_keys(kind: str, tmp_path: Path) -> None:
    """By ONNX Runtime's dictionaries, which are sorted by their keys: the columns are not."""
    model = classifier(tmp_path / "model.onnx", kind)
    report = convert(Options(model_file=model, output=tmp_path / "out", output_nodes=["chances"]))
    assert report.verification is not None
    assert report.verification.passed
    x = np.array([[0.5, 1.0], [-3.0, 2.0], [1.0, -4.0]], np.float32)
    _, rows = ort.InferenceSession(model).run(None, {"x": x})
    expected = [[row[key] for key in MAPS[kind]] for row in rows]
    with imported(tmp_path / "out" / "model.py") as module:
        np.testing.assert_allclose(module.load()(ms.Tensor(x)).asnumpy(), expected, rtol=1e-5)
    script = (tmp_path / "out" / "model.py").read_text()
    assert "its columns are" in script
    assert all(str(key) in script for key in MAPS[kind])


def test_labels_that_are_numbers_are_given_as_the_file_gives_them(tmp_path: Path) -> None:
    model = classifier(tmp_path / "model.onnx", "integers")
    report = convert(Options(model_file=model, output=tmp_path / "out"))
    assert report.verification is not None
    assert report.verification.passed
    x = np.array([[0.5, 1.0], [-3.0, 2.0], [1.0, -4.0]], np.float32)
    expected, _ = ort.InferenceSession(model).run(None, {"x": x})
    with imported(tmp_path / "out" / "model.py") as module:
        label = module.load()(ms.Tensor(x))[0].asnumpy()
    assert label.dtype == np.int64
    np.testing.assert_array_equal(label, expected)


def test_labels_that_are_text_are_refused_with_what_to_ask_for(tmp_path: Path) -> None:
    """Numbers of classes in the place of their labels would be wrong and look right."""
    model = classifier(tmp_path / "model.onnx", "text")
    report = convert(Options(model_file=model, output=tmp_path / "out"))
    (refusal,) = [item for item in report.findings if item.code == "MS101"]
    assert "text" in refusal.message
    assert "--output_nodes chances" in f"{refusal.message} {refusal.advice}"
    assert not report.ok


# malformed attributes

TREE: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_values": [0.0, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
}
REGRESSOR: dict[str, Any] = {
    **TREE,
    "target_treeids": [0, 0],
    "target_nodeids": [1, 2],
    "target_ids": [0, 0],
    "target_weights": [1.0, 2.0],
    "n_targets": 1,
}
CLASSIFIER: dict[str, Any] = {
    **TREE,
    "class_treeids": [0, 0],
    "class_nodeids": [1, 2],
    "class_ids": [0, 0],
    "class_weights": [0.1, 0.2],
    "classlabels_int64s": [1, 2],
}
VECTORS: dict[str, Any] = {
    "kernel_type": "RBF",
    "kernel_params": [0.5, 0.0, 3.0],
    "support_vectors": [1.0, 2.0],
    "coefficients": [1.0],
    "n_supports": 1,
    "rho": [0.0],
}
MALFORMED: list[tuple[str, dict[str, Any]]] = [
    ("TreeEnsembleRegressor", {}),
    *(
        ("TreeEnsembleRegressor", {**REGRESSOR, **changed})
        for changed in (
            {"nodes_values": [0.0]},
            {"nodes_featureids": [9, 0, 0]},
            {"nodes_featureids": [0]},
            {"nodes_truenodeids": [0, 0, 0]},
            {"nodes_truenodeids": [7, 0, 0]},
            {"nodes_modes": ["BRANCH_EQ", "LEAF", "LEAF"]},
            {"target_ids": [5, 0]},
            {"nodes_missing_value_tracks_true": [1]},
            {"nodes_treeids": [0]},
            {"n_targets": 0},
            {"aggregate_function": "MIN"},
            {"post_transform": "LOGISTIC"},
        )
    ),
    ("TreeEnsembleClassifier", {**CLASSIFIER, "classlabels_int64s": [1]}),
    ("TreeEnsembleClassifier", {**CLASSIFIER, "class_ids": [0, 5]}),
    ("TreeEnsembleClassifier", {**CLASSIFIER, "class_ids": [0, 1]}),
    ("SVMRegressor", {}),
    ("SVMRegressor", {**VECTORS, "kernel_type": "POLY", "kernel_params": [1.0]}),
    ("SVMRegressor", {**VECTORS, "kernel_type": "X"}),
    ("SVMRegressor", {**VECTORS, "support_vectors": [1.0, 2.0, 3.0]}),
    ("LinearRegressor", {}),
    ("LinearRegressor", {"coefficients": [1.0, 2.0], "targets": 0}),
    ("LinearRegressor", {"coefficients": [1.0, 2.0, 3.0], "targets": 1}),
    ("LinearClassifier", {"coefficients": [1.0, 2.0]}),
    ("Scaler", {"offset": [1.0]}),
    ("Scaler", {"offset": [1.0, 2.0, 3.0], "scale": [1.0]}),
    ("Imputer", {}),
    ("OneHotEncoder", {}),
    ("LabelEncoder", {"keys_floats": [1.0, 2.0], "values_floats": [1.0]}),
    ("LabelEncoder", {"keys_strings": ["a"], "values_floats": [1.0]}),
    ("FeatureVectorizer", {"inputdimensions": [9]}),
    ("Normalizer", {"norm": "L9"}),
]


@pytest.mark.parametrize("number", range(len(MALFORMED)))
def test_malformed_attributes_are_refused(number: int, tmp_path: Path) -> None:
    op, attributes = MALFORMED[number]
    outputs = ["label", "scores"] if op.endswith("Classifier") else ["y"]
    node = helper.make_node(op, ["x"], outputs, domain=LEARNING, **attributes)
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 2])
    told = [helper.make_value_info(name, onnx.TypeProto()) for name in outputs]
    opsets = [helper.make_opsetid("", 17)]
    opsets.append(helper.make_opsetid(LEARNING, 2 if op == "LabelEncoder" else 1))
    graph = helper.make_graph([node], "g", [given], told)
    model = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), model)
    assert codes_of(Options(model_file=model, output=tmp_path / "out", verify=False)) & REFUSED


REFUSED = {"MS101", "MS104"}


def codes_of(options: Options) -> set[str]:
    """The codes of what is told of a file that is not converted whole; none of one that is."""
    try:
        report = convert(options)
    except MsconvertError as error:
        return {error.code}
    return set() if report.ok else {found.code for found in report.findings}
