"""What a project says of its networks: how they are made, what they are called with."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings
from msconvert.migration.first_weight import inputs_of_made
from msconvert.migration.networks import is_small, networks_in, sizes_in
from msconvert.migration.shell import word
from msconvert.troubleshooter.weights.settings import NetworkCall

HEAD = "import torch\nfrom torch import nn\n\n\n"


def network(arguments: str, layer: str, forward: str = "x") -> str:
    return (
        f"class Net(nn.Module):\n    def __init__(self{arguments}):\n        super().__init__()\n"
        f"        self.layer = {layer}\n\n    def forward(self, {forward}):\n"
        "        return self.layer(x)\n"
    )


def found(folder: Path, text: str, use: str = "") -> tuple[tuple[str, ...], tuple[object, ...]]:
    (folder / "net.py").write_text(HEAD + text)
    (folder / "use.py").write_text(f"import torch\nfrom net import Net\n\n{use}\n")
    (net,) = networks_in(convert_paths([folder], Settings()), folder)
    assert (net.name, net.file) == ("Net", Path("net.py"))
    return net.calls, net.inputs


@pytest.mark.parametrize(
    ("arguments", "use", "calls"),
    [
        ("", "", ("Net()",)),
        (", width=4", "Net(8)", ("Net()", "Net(8)")),
        (", width", "Net(8, )", ("Net(8)",)),
        (", width", "Net(width=8).cuda()", ("Net(width=8)",)),
        (", *, width", "net.Net(width=[1, 2])", ("Net(width=[1, 2])",)),
        (", width", "Net(config.width)", ()),
        (", width", "Net(open('x'))", ()),
        (", width", "Net(*[1])", ()),
        (
            ", width, depth=2",
            "Net(1); Net(1); Net(2); Net(3); Net(4)",
            ("Net(1)", "Net(2)", "Net(3)"),
        ),
        (", *rest", "", ("Net()",)),
    ],
)
def test_calls(arguments: str, use: str, calls: tuple[str, ...], tmp_path: Path) -> None:
    assert found(tmp_path, network(arguments, "nn.Linear(5, 2)"), use)[0] == calls


@pytest.mark.parametrize(
    ("layer", "use", "first"),
    [
        ("nn.Conv2d(3, 8, 3)", "x = torch.randn(2, 3, 40, 40)", ("2,3,40,40",)),
        ("nn.Conv2d(3, 8, 3)", "Net()(torch.zeros((1, 3, 9, 9)))", ("1,3,9,9",)),
        ("nn.Conv2d(3, 8, 3)", "", ("2,3,32,32",)),
        ("nn.Linear(784, 10)", "", ("2,784",)),
        ("nn.Embedding(99, 4)", "x = torch.randint(0, 50, (2, 7))", ("2,7:int64<50",)),
        ("nn.Embedding(99, 4)", "", ("2,8:int64<99",)),
        ("nn.LSTM(6, 4)", "", ("2,8,6",)),
        ("nn.Linear(5, 2)", "x = torch.randn(n, 5)", ("2,5",)),
        ("nn.Linear(5, 2)", "x = torch.randn(10 ** 9, 5)", ("2,5",)),
        ("nn.Linear(5, 2)", "x = torch.randn(999999999, 5)", ("2,5",)),
    ],
)
def test_inputs(layer: str, use: str, first: tuple[str, ...], tmp_path: Path) -> None:
    assert found(tmp_path, network("", layer), use)[1][0] == first


def test_several_inputs_come_together(tmp_path: Path) -> None:
    text = network("", "nn.Linear(5, 2)", "x, mask")
    use = "Net()(torch.randn(2, 5), torch.ones(2, 1))\nz = torch.rand(4, 4)"
    assert found(tmp_path, text, use)[1][0] == ("2,5", "2,1")
    assert all(len(inputs) == 2 for inputs in found(tmp_path, text, use)[1])


def test_a_default_of_the_constructor_says_the_size(tmp_path: Path) -> None:
    text = network(", size=17", "nn.Linear(size, 2)")
    assert found(tmp_path, text)[1][0] == ("2,17",)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("takes (2, 3, 32, 32)", ["2,3,32,32"]),
        ("x: (N, 3, 32, 32), y: [B, 5]", ["2,3,32,32", "2,5"]),
        ("f(a, b) and (1) and (3.5, 2)", []),
        ("(1, 2, 3, 4, 5, 6, 7)", []),
        ("(99999999, 3)", []),
    ],
)
def test_shapes_in_texts(text: str, shapes: list[str]) -> None:
    assert list(sizes_in(text)) == shapes


@pytest.mark.parametrize(
    ("shape", "small"),
    [("2,3", True), ("2,16:int64<100", True), ("4096,4096", False), ("0,3", False)],
)
def test_what_would_take_a_machine_is_not_tried(shape: str, small: bool) -> None:
    assert is_small(shape) is small


WORDS = [
    "plain",
    "a b",
    "it's",
    'q"q',
    "$HOME",
    "`id`",
    "a\nb",
    "\x1b[31m",
    "\\n",
    "ü模",
    "\u202e",
    "",
]


def test_a_path_is_no_flag() -> None:
    assert word(Path("-rf")) == "./-rf"
    assert word(Path("-a/b c")) == "'./-a/b c'"
    assert word("-x") == "-x"
    assert word(Path("a-b")) == "a-b"
    assert word(Path("/-a")) == "/-a"
    assert word(Path("-\n")) == "$'./-\\x0a'"


@pytest.mark.parametrize("text", [*WORDS, "x" * 5000, "\udc80"])
def test_words_of_a_shell_are_what_they_stand_for(text: str) -> None:
    command = f"printf %s {word(text)}"
    assert command.isprintable()
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert done.stdout == text.encode(errors="surrogateescape")


@pytest.mark.parametrize(
    ("second", "first"),
    [("target", ("4,5", "4:int64<5")), ("labels", ("4,5", "4:int64<5")), ("mask", None)],
)
def test_a_loss_is_given_what_losses_take(
    second: str, first: tuple[str, ...] | None, tmp_path: Path
) -> None:
    inputs = found(tmp_path, network("", "nn.Identity()", f"x, {second}"))[1]
    assert (inputs[0] if inputs else None) == first


@pytest.mark.parametrize(
    ("layer", "inputs"),
    [
        ("nn.Conv2d(widths[0], 8, 3)", "2,3,32,32"),
        ("nn.Conv1d(widths[0], 8, 3)", "2,3,64"),
        ("nn.Linear(widths[0], 8)", "2,3"),
        ("nn.Embedding(widths[0], 8)", "2,8:int64<3"),
        ("nn.GRU(widths[0], 8)", "2,8,3"),
        ("nn.BatchNorm1d(widths[0])", "2,3"),
        ("nn.Sequential(nn.Dropout(), Own(widths[0], 8, 1))", "2,3,32,32"),
        ("nn.GroupNorm(1, widths[0])", None),
        ("nn.ReLU()", None),
        ("nn.Linear(missing, 8)", None),
    ],
)
def test_sizes_of_a_configuration_are_asked_of_the_network(
    layer: str, inputs: str | None, tmp_path: Path
) -> None:
    own = "widths = [3]\n\n\nclass Own(nn.Conv2d):\n    pass\n\n\n"
    file = tmp_path / "net.py"
    file.write_text(HEAD + own + network("", layer))
    assert next(inputs_of_made(NetworkCall(file, "Net()")), None) == (inputs and (inputs,))


TWO = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(11, 4)
        self.image = nn.Sequential(nn.ReLU(), nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1))
        self.embed = nn.Embedding(7, 5)
        self.rnn = nn.GRU(5, 4, batch_first=True)
        self.line = nn.Linear(6, 4)

    def forward(self, {operands}):
        return {value}
"""
OPERANDS = {
    "two towers": ("a, b", "self.bag(a) * self.line(b)", ("2,8:int64<11", "2,6")),
    "a tower and text": (
        "x, t",
        "self.image(x).flatten(1) + self.rnn(self.embed(t))[0][:, -1]",
        ("2,3,32,32", "2,8:int64<7"),
    ),
    "one behind a function": ("a, b", "torch.relu(self.line(b)) + self.bag(a)",
                              ("2,8:int64<11", "2,6")),
    "three": ("a, b, t", "self.bag(a) + self.line(b) + self.embed(t).sum()",
              ("2,8:int64<11", "2,6", "2,8:int64<7")),
    "an operand that no layer takes": ("a, mask", "self.bag(a) * mask", None),
    "an operand behind arithmetic": ("a, b", "self.bag(a) + self.line(2 * b)", None),
}  # fmt: skip


@pytest.mark.parametrize(("operands", "value", "inputs"), OPERANDS.values(), ids=OPERANDS)
def test_several_operands_fit_the_first_weight_of_what_takes_each(
    operands: str, value: str, inputs: tuple[str, ...] | None, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "net.py"
    file.write_text(HEAD + TWO.format(operands=operands, value=value))
    (net,) = networks_in(convert_paths([tmp_path], Settings()), tmp_path)
    assert next(inputs_of_made(NetworkCall(file, "Net()"), net.takers), None) == inputs
