"""The names and arguments of the former tool."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from msconvert import troubleshooter
from msconvert.errors import MsconvertError
from msconvert.formats import read_weights
from msconvert.tests.troubleshooter.diff.sides import A, write_sides
from msconvert.troubleshooter import migrator

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_sides(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders(folder: Path, capsys: Printed) -> None:
    found = migrator.compare_npy_dir("a", "b", output_file="r.csv")
    assert not found.ok
    assert capsys.readouterr().out.splitlines()[-1] == found.summary
    assert (folder / "r.csv").read_text().startswith("status,")
    statuses = {row.a: row.status for row in found.rows}
    assert (statuses["type"], statuses["small"], statuses["shape"]) == ("ok", "mismatch", "shape")
    loose = migrator.compare_npy_dir("a", "b", 1e-2, 1e-2)
    assert {row.a: row.status for row in loose.rows}["small"] == "ok"


def test_names(folder: Path) -> None:
    for side, name in (("c", "x"), ("d", "y")):
        (folder / side).mkdir()
        np.save(folder / side / f"{name}.npy", A)
        np.save(folder / side / f"{name}{name}.npy", A + 1)
    found = migrator.compare_npy_dir("c", "d", name_map_list=[("x.npy", "y.npy"), ("xx", "yy")])
    assert [(row.a, row.b, row.how) for row in found.rows] == [
        ("x", "y", "map"),
        ("xx", "yy", "map"),
    ]


def test_gradients_against_zeros(folder: Path) -> None:
    found = migrator.compare_grads_dir("a", "b")
    row = next(row for row in found.rows if row.a == "gradient")
    assert (row.status, row.metrics.rel_l2) == ("mismatch", 1.0)  # type: ignore[union-attr]


def test_lists_and_dicts() -> None:
    assert migrator.compare_list_dir([A, A], [A, A]).ok
    assert not migrator.compare_list_dir([A, A], [A, A + 1]).ok
    assert migrator.compare_dict_dir({"x": A}, {"y": A}, name_map_list=[("x", "y")]).ok


def test_folders_of_lists_by_their_last_numbers(tmp_path: Path) -> None:
    for i in range(12):
        for side, name in (("a", f"{i}_torch_out_{i}"), ("b", f"out{11 - i}_ms_{i}")):
            (tmp_path / side).mkdir(exist_ok=True)
            np.save(tmp_path / side / f"{name}.npy", A + i)
    found = migrator.compare_list_dir(tmp_path / "a", tmp_path / "b", num_processes=2)
    assert found.ok
    assert {(row.a, row.b) for row in found.rows} >= {("10_torch_out_10", "out1_ms_10")}
    np.save(tmp_path / "b" / "none.npy", A)  # no number: by names and values, as others are
    assert not migrator.compare_list_dir(tmp_path / "a", tmp_path / "b").ok


def test_names_without_counterpart(folder: Path) -> None:
    found = migrator.compare_npy_dir("a", "b", name_map_list=[("same", "same"), ("shape", None)])
    assert {row.a: row.status for row in found.rows}["shape"] in ("missing", "shape")


def network():  # type: ignore[no-untyped-def]
    torch = pytest.importorskip("torch")
    nn = torch.nn
    torch.manual_seed(0)
    layers = (nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), nn.Flatten(), nn.LayerNorm(9), nn.PReLU())
    return torch, nn.Sequential(*layers)


def test_weights_of_a_network(tmp_path: Path, capsys: Printed) -> None:
    torch, net = network()
    pth, ckpt, names = (tmp_path / name for name in ("n.pth", "n.ckpt", "map.json"))
    torch.save(net.state_dict(), pth)
    found = migrator.get_weight_map(net, names, print_map=True)
    assert found["1.running_var"] == "1.moving_variance"
    assert found["4.weight"] == "4.w"
    assert "1.num_batches_tracked" not in found
    assert "3.bias -> 3.beta\n" in capsys.readouterr().out
    with pytest.raises(MsconvertError, match="MS310"):  # a PReLU, or a norm?
        migrator.convert_weight(None, pth, ckpt)
    migrator.convert_weight(names, pth, ckpt)
    assert "each compared with its source after writing" in capsys.readouterr().out
    written = read_weights(ckpt).tensors()
    assert written["0.weight"].shape == (3, 2, 1, 3)
    found_pairs = migrator.compare_pth_and_ckpt(names, pth, ckpt)
    assert found_pairs.ok
    assert migrator.compare_pth_and_ckpt(None, pth, ckpt, print_level=0).ok
    assert migrator.compare_ms_ckpt(ckpt, ckpt, compare_value=True).ok


def test_weights_at_hand(tmp_path: Path) -> None:
    _torch, net = network()
    ckpt = tmp_path / "n.ckpt"
    names = migrator.get_weight_map(net)
    migrator.convert_weight(
        weight_map=names,
        pt_param_dict=net.state_dict(),
        ms_file_save_path=ckpt,
        print_save_path=False,
    )
    written = {name: x.array() for name, x in read_weights(ckpt).tensors().items()}
    assert migrator.compare_ms_ckpt(orig_ckpt_dict=written, target_file_path=ckpt).ok
    written["4.w"] = written["4.w"] + 1
    assert not migrator.compare_ms_ckpt(ckpt, target_ckpt_dict=written, compare_value=False).ok
    for wrong in ({"weight_map": {"a": "b"}}, {"pt_file_path": ckpt}):
        with pytest.raises(TypeError, match=r"weight_map is what|pt_file_path or pt_param_dict"):
            migrator.convert_weight(
                pt_param_dict=net.state_dict(),
                ms_file_save_path=ckpt,
                **wrong,  # type: ignore[arg-type]
            )


def test_a_weight_map_of_the_former_tool(tmp_path: Path) -> None:
    names = [{"0.weight": "a.gamma", "1.weight": "b.w"}, {"1.weight": "expand"}]
    (tmp_path / "map.json").write_text(json.dumps(names))
    np.savez(tmp_path / "pt.npz", **{"0.weight": A[0, 0], "1.weight": A[0]})
    np.savez(tmp_path / "ms.npz", **{"a.gamma": A[0, 0], "b.w": A[0][:, None]})
    paths = (tmp_path / "map.json", tmp_path / "pt.npz", tmp_path / "ms.npz")
    found = migrator.compare_pth_and_ckpt(*paths, compare_value=True, print_level=0)
    assert [(row.a, row.b, row.how, row.ok) for row in found.rows] == [
        ("0.weight", "a.gamma", "map", True),
        ("1.weight", "b.w", "map", True),
    ]


def test_what_is_no_network(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="pt_net is a network of PyTorch's, not int"):
        migrator.get_weight_map(3)
    with pytest.raises(TypeError, match="net is a Cell"):
        migrator.convert_weight_and_load(None, tmp_path / "n.pth", 3)


def test_names_may_be_changed() -> None:
    _torch, net = network()
    found = migrator.get_weight_map(
        net, None, "net", lambda names: {old: new.upper() for old, new in names.items()}
    )
    assert found["0.weight"] == "NET.0.WEIGHT"


def test_into_a_network(tmp_path: Path) -> None:
    from msconvert.runtime import Tensor, nn

    torch, net = network()
    torch.save(net.state_dict(), tmp_path / "n.pth")
    migrator.get_weight_map(net, tmp_path / "map.json")
    cells = (nn.Conv1d(2, 3, 3, pad_mode="valid", has_bias=True), nn.BatchNorm1d(3), nn.Flatten())
    ours = nn.SequentialCell(*cells, nn.LayerNorm((9,), epsilon=1e-5), nn.PReLU())
    left, _ = migrator.convert_weight_and_load(tmp_path / "map.json", tmp_path / "n.pth", ours)
    assert left == []
    x = np.random.default_rng(0).standard_normal((4, 2, 5)).astype("f4")
    ours.set_train(False)
    expected = net.eval()(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(ours(Tensor(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


LEFT = "epoch: 1 step: 1, loss is 2.5\nepoch: 1 step: 2, loss is 1.5\nall: 3\nloss is 1.25\n"


@pytest.mark.parametrize(
    ("right", "step", "told"),
    [
        ("loss=2.5\nloss=1.5\nloss=1.25", None, "The losses of 3 steps agree."),
        (
            "Loss: 2.5\nval_loss: 9\nLoss: 1.6 loss: 4\nloss: 1",
            1,
            "part at step 1: 1.5 against 1.6",
        ),
        ("loss: 2.50001\nloss: 1.5", 2, "agree for 2 steps; there are 3 and 2 steps"),
        ("loss: nan", 0, "part at step 0: 2.5 against nan"),
    ],
)
def test_losses(tmp_path: Path, capsys: Printed, right: str, step: int | None, told: str) -> None:
    (tmp_path / "left.log").write_text(LEFT)
    (tmp_path / "right.log").write_text(right)
    found = migrator.loss_compare(tmp_path / "left.log", tmp_path / "right.log")
    assert (found.step, found.ok) == (step, step is None)
    assert told in capsys.readouterr().out


def test_logs_with_tags_of_their_own(tmp_path: Path, capsys: Printed) -> None:
    (tmp_path / "left.log").write_text("total_cost: 2.5\n")
    (tmp_path / "right.log").write_text("step 1 loss is 2.5\n")
    left = {"path": str(tmp_path / "left.log"), "loss_tag": "total_cost:", "label": "torch"}
    assert migrator.loss_compare(left, {"path": str(tmp_path / "right.log")}, "Run 1").ok
    assert capsys.readouterr().out == "Run 1: The losses of 1 steps agree.\n"


def test_logs_without_losses(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("nothing\n")
    with pytest.raises(MsconvertError, match=r"MS406 .*there are no losses in it"):
        migrator.loss_compare(tmp_path / "log", tmp_path / "log")
    with pytest.raises(MsconvertError, match=r"MS406 .*cannot be read"):
        migrator.loss_compare(tmp_path / "none", tmp_path / "log")


def test_each_name_of_the_former_tool_is_where_its_programs_import_it() -> None:
    """In the package and in its `migrator`: the same functions."""
    for name in migrator.__all__:
        assert getattr(troubleshooter, name) is getattr(migrator, name)
    named = {name for name, place in troubleshooter.PLACES.items() if place.startswith("migrator:")}
    assert named == set(migrator.__all__)
    others = ("save", "save_grad", "fix_random", "compare_checkpoints", "compare_networks")
    assert all(callable(getattr(troubleshooter, name)) for name in others)
    with pytest.raises(AttributeError, match="no attribute 'losses'"):
        troubleshooter.__getattr__("losses")
