"""Module paths from what PyTorch's exporters write, and from what nobody should."""

from __future__ import annotations

import keyword
from collections import Counter

import pytest

from msconvert.converter.graph.graph import Node
from msconvert.converter.modules.scopes import (
    CELL_NAMES,
    attribute_name,
    cell_path,
    checked_path,
    merged_calls,
    node_classes,
    node_path,
    weight_path,
)


def named(name: str) -> Node:
    return Node("Relu", ["x"], ["y"], name=name)


def told(scopes: object, classes: object = None) -> Node:
    metadata = {"pkg.torch.onnx.name_scopes": repr(scopes)}
    metadata["pkg.torch.onnx.class_hierarchy"] = repr(classes)
    return Node("Relu", ["x"], ["y"], metadata=metadata)


OLDER = {
    "/Relu": (),
    "/conv1/Conv": ("conv1",),
    "/layer1/layer1.0/conv1/Conv": ("layer1", "0", "conv1"),
    "/features/features.1/block/block.0/block.0.0/Conv": tuple("features 1 block 0 0".split()),
    "/head/conv/conv.0_1/Conv": ("head", "conv", "0_1"),
    "/head/conv/conv.12_30/Conv": ("head", "conv", "12_30"),
    "/head/conv/conv.00_1/Conv": (),
    "/head/conv/conv.0_01/Conv": (),
    "/head/conv/conv.0_/Conv": (),
    "/encoder/layers.0/self_attn/MatMul": ("encoder", "layers", "0", "self_attn"),
    "/h.0/attn/c_attn/MatMul": ("h", "0", "attn", "c_attn"),
    "/block1/denselayer1/Relu_1": ("block1", "denselayer1"),
    "/class/forward/Relu": ("class_", "forward"),
    "/m/construct/phase/Relu": ("m", "construct_", "phase_"),
}


@pytest.mark.parametrize("name", OLDER)
def test_the_older_exporter(name: str) -> None:
    assert node_path(named(name)) == OLDER[name]


@pytest.mark.parametrize("name", ["", "Relu_3", "blocks.0.relu1", "/" + "a/" * 3000 + "Relu"])
def test_names_that_say_nothing(name: str) -> None:
    assert node_path(named(name)) is None


HOSTILE = ["a'b", 'a"b', "a\nb", "__import__('os')", "été", "a b", "-1", "00", "1000", "a" * 65, ""]


@pytest.mark.parametrize("part", HOSTILE)
def test_parts_that_are_no_identifiers_tell_no_module(part: str) -> None:
    assert checked_path(["layer1", part]) == ()
    assert node_path(told(["", f"layer1.{part}", "relu"])) == ()


def test_a_hyphen_is_none_in_an_attribute() -> None:
    assert checked_path(["stage", "block1-0", "1"]) == ("stage", "block1_0", "1")


def test_a_deep_or_long_name_tells_no_module() -> None:
    assert checked_path(["a"] * 25) == ()
    assert weight_path("a." * 1_000_000 + "weight") is None


def test_the_newer_exporter() -> None:
    node = told(
        ["", "layer1", "layer1.0", "relu_1"], ["pkg.Net", "torch.Sequential", "p.Block", ""]
    )
    assert node_path(node) == ("layer1", "0")
    classes = {(): "Net", ("layer1",): "Sequential", ("layer1", "0"): "Block"}
    assert node_classes(node) == classes
    assert node_path(told(["", "relu"])) == ()


@pytest.mark.parametrize("text", ["[", "[]", "[1]", "{}", "()", "['" * 60_000, "[[" * 3000])
def test_metadata_that_cannot_be_read_says_nothing(text: str) -> None:
    node = Node("Relu", ["x"], ["y"], metadata={"pkg.torch.onnx.name_scopes": text})
    assert node_path(node) is None


@pytest.mark.parametrize("name", ["0", "a b", "class'", "__init__", "a" * 70, "été"])
def test_class_names_that_are_none(name: str) -> None:
    assert node_classes(told(["", "m", "op"], ["Net", f"pkg.{name}", ""])) == {(): "Net"}


def test_weights_tell_module_and_leaf() -> None:
    assert weight_path("layer1.0.conv1.weight") == (("layer1", "0", "conv1"), "weight")
    assert weight_path("onnx::Conv_193") is None
    assert weight_path("weight") is None
    assert weight_path("import.weight") == (("import_",), "weight")


@pytest.mark.parametrize("word", sorted(CELL_NAMES | set(keyword.kwlist) | {"__class__", "__x"}))
def test_attribute_names_hide_nothing(word: str) -> None:
    safe = attribute_name(word)
    assert safe.isidentifier()
    assert safe not in CELL_NAMES
    assert not keyword.iskeyword(safe)
    assert not safe.startswith("__")


def test_words_of_ones_own_stay() -> None:
    for word in ("conv1", "self", "_x", "forward", "scale"):
        assert attribute_name(word) == word


def test_repeated_calls_lose_their_numbers() -> None:
    paths = [("relu",), ("relu_1",), ("conv",), ("conv_1",), ("bn_1",), ("relu_1", "act_1")]
    merged = merged_calls(paths, own={("conv_1",)})
    assert merged[("relu_1",)] == ("relu",)
    assert merged[("conv_1",)] == ("conv_1",)  # it has weights of its own
    assert merged[("bn_1",)] == ("bn_1",)  # there is no bn
    assert merged[("relu_1", "act_1")] == ("relu", "act_1")


def test_a_folded_normalisation_lends_its_scope() -> None:
    source, scope = "layer1.0.conv1.weight", ("layer1", "0", "bn1")
    path = ("layer1", "0", "conv1")
    assert cell_path([source], scope, Counter([source]), beside=True) == path
    assert cell_path([source], scope, Counter([source]), beside=False) is None
    assert cell_path([source], ("layer1", "0"), Counter([source]), beside=False) == path


def test_one_name_of_equal_weights_serves_all_layers_of_a_stack() -> None:
    source, scope = "layers.0.linear1.weight", ("layers", "3")
    path = ("layers", "3", "linear1")
    assert cell_path([source], scope, Counter([source] * 2), beside=False) == path
    assert cell_path([source], scope, Counter([source]), beside=False) is None
