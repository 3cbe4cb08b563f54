"""`msconvert.convert` on files, models in memory and bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import msconvert
import msconvert.runtime as ms
from msconvert.tests.converter.conversion import differences, files, outputs_of_original

DEMO = Path(msconvert.__file__).parent / "examples" / "demo.onnx"
SOURCES = {
    "path": DEMO,
    "text": str(DEMO),
    "bytes": DEMO.read_bytes(),
    "bytearray": bytearray(DEMO.read_bytes()),
    "memoryview": memoryview(DEMO.read_bytes()),
    "model": onnx.load(DEMO),
}
QUICK = msconvert.Options(verify=False)


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_becomes_the_same_network(kind: str) -> None:
    found = msconvert.convert(SOURCES[kind], name="demo", options=QUICK)
    x = np.random.default_rng(0).standard_normal((2, 1, 32, 32)).astype(np.float32)
    (expected,) = outputs_of_original(DEMO, [x])
    np.testing.assert_allclose(found.build()(ms.Tensor(x)).asnumpy(), expected, atol=1e-5)


def test_the_files_are_those_of_the_command(tmp_path: Path) -> None:
    written = msconvert.convert(msconvert.Options(DEMO, output=tmp_path / "a"))
    report = msconvert.convert(DEMO).write(tmp_path / "b")
    first, second = files(tmp_path / "a"), files(tmp_path / "b")
    assert sorted(first) == sorted(second)
    assert differences(first, second) == []
    assert report.to_text() == written.to_text().replace(str(tmp_path / "a"), str(tmp_path / "b"))
    assert first["report_of_demo.txt"].decode() == written.to_text()
    assert second["report_of_demo.txt"].decode() == report.to_text()


@pytest.mark.parametrize("taken", ["demo.py", "demo.ckpt", "report_of_demo.json"])
def test_files_are_written_all_or_none(taken: str, tmp_path: Path) -> None:
    found = msconvert.convert(DEMO, options=QUICK)
    (tmp_path / taken).write_text("mine")
    with pytest.raises(msconvert.MsconvertError) as caught:
        found.write(tmp_path)
    assert caught.value.code == "MS107"
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    found.write(tmp_path, force=True)
    assert (tmp_path / taken).read_text() != "mine" if taken != "demo.ckpt" else True
    assert len(list(tmp_path.iterdir())) == 5


def test_networks_that_are_built_are_apart() -> None:
    found = msconvert.convert(DEMO, options=QUICK)
    one, two = found.build(), found.build()
    first = next(iter(one.get_parameters()))
    first.set_data(ms.Tensor(np.zeros(first.shape, np.float32)))
    assert first.asnumpy().any() != next(iter(two.get_parameters())).asnumpy().any()


REFUSED = {
    "no file": ("there_is_none.onnx", {}, "MS102"),
    "a folder": (".", {}, "MS102"),
    "text as bytes": (b"hello", {}, "MS102"),
    "no bytes": (b"", {}, "MS102"),
    "cut off": (DEMO.read_bytes()[:900], {}, "MS102"),
    "an empty model": (onnx.ModelProto(), {}, "MS102"),
    "a number": (3, {}, "MS102"),
    "nothing": (None, {}, "MS102"),
    "a graph": (onnx.load(DEMO).graph, {}, "MS102"),
    "a name with a folder": (DEMO.read_bytes(), {"name": "../x"}, "MS105"),
    "an empty name": (DEMO.read_bytes(), {"name": ""}, "MS105"),
    "a name that is a folder": (DEMO.read_bytes(), {"name": ".."}, "MS105"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_model_is_refused(case: str) -> None:
    source, settings, code = REFUSED[case]
    with pytest.raises(msconvert.MsconvertError) as caught:
        msconvert.convert(source, **settings)
    assert caught.value.code == code


def test_a_script_for_mindspore_says_what_it_needs() -> None:
    options = msconvert.Options(target="mindspore", verify=False)
    found = msconvert.convert(DEMO, options=options)
    assert "import mindspore as ms" in found.script
    with pytest.raises(msconvert.MsconvertError) as caught:
        found.build()
    assert (caught.value.code, caught.value.where) == ("MS903", "mindspore")
