"""Primitives: their signatures are ONNX's, types are bridged, kernels are few."""

from __future__ import annotations

import inspect

import numpy as np
import onnx
import onnx.defs
import pytest

import msconvert.runtime as ms
from msconvert.runtime.engine import primitive as subject
from msconvert.runtime.engine.failure import ElementTypeError, ShapeError
from msconvert.runtime.engine.host import HostPrimitive
from msconvert.runtime.engine.primitive import REGISTRY, Primitive
from msconvert.runtime.engine.session import OPSET
from msconvert.runtime.primitives import activation, elementwise, layer, shaping, signal

EVERY = sorted(op for op, made in REGISTRY.items() if not isinstance(made, HostPrimitive))
assert signal.dft is REGISTRY["DFT"]


def default_of(attribute: onnx.defs.OpSchema.Attribute) -> object:
    """The schema's default as Python would write it; None if there is none."""
    if not attribute.default_value.name:
        return None
    value = onnx.helper.get_attribute_value(attribute.default_value)
    if isinstance(value, list):
        return tuple(v.decode() if isinstance(v, bytes) else v for v in value)
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize("op", EVERY)
def test_signature_is_the_schemas(op: str) -> None:
    schema = onnx.defs.get_schema(op, OPSET)
    parameters = inspect.signature(REGISTRY[op].signature).parameters.values()
    keywords = {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY}
    assert keywords.keys() == schema.attributes.keys()
    for name, attribute in schema.attributes.items():
        default = keywords[name].default
        if attribute.required:
            assert default is inspect.Parameter.empty
        elif isinstance(default, float):
            assert default == pytest.approx(default_of(attribute), rel=1e-6)
        else:
            assert default == default_of(attribute)
    inputs = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    required = [p for p in inputs if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    kinds = onnx.defs.OpSchema.FormalParameterOption
    assert len(inputs) == len(schema.inputs)
    assert len(required) == len([i for i in schema.inputs if i.option == kinds.Single])


def test_a_second_registration_is_refused() -> None:
    with pytest.raises(KeyError):
        subject.primitive("Relu")(lambda x: None)
    first = Primitive("Relu", lambda x: None)
    first.vjp(lambda g, y, x: g)
    with pytest.raises(KeyError):
        first.vjp(lambda g, y, x: g)
    with pytest.raises(KeyError):
        first.vjp_all(lambda g, y, x: (g,))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16])
def test_small_integers_wrap_around(kind: type) -> None:
    top = np.array([np.iinfo(kind).max], kind)
    y = elementwise.add(ms.Tensor(top), ms.Tensor(np.array([2], kind)))
    assert y.asnumpy().dtype == kind
    assert y.asnumpy().tolist() == (top + np.array([2], kind)).tolist()


def test_bfloat16_is_rounded_once() -> None:
    x = ms.Tensor([1.0, 3.0]).astype(ms.bfloat16)
    y = activation.softmax(x)
    exact = np.exp([0.0, 2.0]) / np.exp([0.0, 2.0]).sum()
    assert y.dtype is ms.bfloat16
    assert y.asnumpy().astype(np.float32).tolist() == pytest.approx(exact, rel=2**-8)


def test_what_nothing_computes_is_refused_with_a_reason() -> None:
    x = ms.Tensor(np.ones((1, 1, 3, 3)))
    with pytest.raises(ElementTypeError, match=r"(?s)MS304 Conv.*float64.*ops\.cast"):
        layer.conv(x, x)


def test_what_does_not_fit_is_refused_with_shapes() -> None:
    with pytest.raises(ShapeError, match=r"MS304 Add(?s:.*)float32\[2\], float32\[3\]"):
        elementwise.add(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.0, 3.0]))


def test_an_unknown_attribute_is_refused() -> None:
    with pytest.raises(TypeError, match="no attribute slope"):
        activation.leaky_relu(ms.Tensor([1.0]), slope=1.0)


def test_kernels_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "KERNEL_LIMIT", 3)
    monkeypatch.setattr(activation.elu, "kernels", {})  # other tests fill the real ones
    for k in range(6):
        activation.elu(ms.Tensor([-1.0]), alpha=1.0 + k)
    assert len(activation.elu.kernels) <= 3


def test_outputs_asked_for_come_as_a_tuple() -> None:
    pieces = shaping.split(ms.Tensor([1.0, 2.0]), ms.Tensor([1, 1]), outputs=2)
    assert [piece.asnumpy().tolist() for piece in pieces] == [[1.0], [2.0]]
