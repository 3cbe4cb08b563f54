"""Networks that somebody has written anew with other names: equal ones, and some with a fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from msconvert.commands.diff import names_in
from msconvert.errors import MsconvertError
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.compare.ports.given import rename_of

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

PORTS = Path(__file__).parent / "ports"
NAMES = sorted(path.stem for path in (PORTS / "original").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_an_equal_port_is_matched_without_alarm(name: str, comparer: NetworkComparer) -> None:
    found = comparer.compare(*(PORTS / side / f"{name}.py" for side in ("original", "converted")))
    assert found.ok, str(found)
    assert "weights were matched by structure" in found.remarks[0]
    assert "both networks give the same" in found.remarks[0]
    assert len([row for row in found.rows if row.verdict == "same"]) >= 4


FAULTS = {
    "stem": ("self.act = nn.ReLU()", "self.act = nn.LeakyReLU()", "features.2"),
    "resnet": (
        "nn.BatchNorm2d(o),\n            nn.ReLU(),",
        "nn.BatchNorm2d(o, 1e-3),\n            nn.ReLU(),",
        "layer1.0.bn1",
    ),
    "vit": (
        "layernorm2 = nn.LayerNorm((d,), epsilon=1e-6)",
        "layernorm2 = nn.LayerNorm((d,), epsilon=1e-2)",
        "blocks.0.norm2",
    ),
    "bert": ("/ math.sqrt(d // self.h)", "/ math.sqrt(d)", "layer.0"),
    "llama": ("self.eps = eps", "self.eps = 1e-2", "layers.0.input_layernorm"),
    "mobilenet": ("nn.Conv2d(wide, o, 1)", "nn.Conv2d(wide, o, 1, has_bias=True, bias_init='ones')",
                  "features.1.conv.2"),
    "unet": ("nn.GroupNorm(2, o)])", "nn.GroupNorm(4, o)])", "inc.4"),
    "gpt2": ("approximate=True", "approximate=False", "blocks.0.gelu"),
    "towers": ("(a * b).sum(1)", "(a * b).mean(1)", ""),
    "convnext": ("ops.gelu(self.conv1", "ops.relu(self.conv1", "stages.0.0.act"),
    "squeeze": ("x = x + self.body(x)", "x = x - self.body(x)", ""),
    "experts": ("self.ln(x + ", "self.ln(x - ", ""),
    "lstm": ("y.mean(1)", "y.max(1)", ""),
    "encoder": ("self.attention(x, bias) + x", "self.attention(x, bias)", "layers.0"),
}  # fmt: skip
"""What is written in the port instead of what, and the layer that then differs first."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_port_is_found_where_it_is(
    name: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    old, new, path = FAULTS[name]
    text = (PORTS / "converted" / f"{name}.py").read_text()
    assert old in text
    (tmp_path / f"{name}.py").write_text(text.replace(old, new))
    found = comparer.compare(PORTS / "original" / f"{name}.py", tmp_path / f"{name}.py")
    assert not found.ok
    assert found.first_difference is not None
    assert found.first_difference.path == path, str(found)


LSTM = ("embedding->words", "rnn->encoder", "fc1->mlp.0", "fc2->mlp.2")
TOWERS = (
    "user_tower.fc*->left.fc*",
    "item_tower->right",
    "fc1->first",
    "fc2->second",
    "out->score",
)
RENAMES = {
    "each": ("lstm", LSTM, True),
    "a star": ("lstm", (*LSTM[:2], "fc1->mlp.0", "*2->mlp.2", "fc2->mlp.2"), True),
    "one after another": ("towers", TOWERS, True),
    "only some": ("towers", ("user_tower->left", "fc1->first", "fc2->second"), True),
    "blocks": (
        "gpt2",
        ("h.*.ln_1->blocks.*.layernorm1", "h.*.ln_2->blocks.*.layernorm2", "wte->word_embedding"),
        True,
    ),
    "to the wrong one": ("towers", ("user_tower->right", "item_tower->left", *TOWERS[2:]), False),
    "whole tensors": ("vit", ("cls_token->token", "pos_embed->position"), True),
    "no such part": ("stem", ("feature->stem",), None),
    "no such part in B": ("stem", ("features->nowhere",), None),
}  # fmt: skip


@pytest.mark.parametrize("case", RENAMES)
def test_parts_of_names_are_said(case: str, comparer: NetworkComparer) -> None:
    name, texts, is_same = RENAMES[case]
    settings = NetworkSettings(renames=tuple(map(rename_of, texts)), mode="eval")
    sides = [PORTS / side / f"{name}.py" for side in ("original", "converted")]
    if is_same is None:
        with pytest.raises(MsconvertError) as error:
            comparer.compare(*sides, settings)
        assert error.value.code == "MS310"
        return
    found = comparer.compare(*sides, settings)
    assert found.ok == is_same, str(found)
    is_all = case in ("each", "a star", "one after another", "to the wrong one")
    assert is_all != any("matched by structure" in text for text in found.remarks)


MAPS = [
    ({"embedding": "words", "rnn": "encoder", "fc1": "mlp.0", "fc2": "mlp.2"}, True),
    ({"words": "embedding", "encoder": "rnn", "mlp.0": "fc1", "mlp.2": "fc2"}, True),
    ({"embedding.weight": "words.embedding_table"}, True),
    ({"words.embedding_table": "embedding.weight", "fc1": "mlp.0"}, True),
    ({"fc1": "mlp.0", "fc2": "mlp.2", "nothing.weight": "nowhere"}, None),
    ({"nothing": "nowhere"}, None),
    ({"fc1.weight": "mlp.0.bias"}, None),
    ({"fc1": "nowhere"}, None),
]


@pytest.mark.parametrize(("content", "is_same"), MAPS)
def test_a_map_of_names(
    content: dict[str, str], is_same: bool | None, comparer: NetworkComparer, tmp_path: Path
) -> None:
    file = tmp_path / "map.json"
    file.write_text(json.dumps(content))
    settings = NetworkSettings(naming=names_in(file), mode="eval")
    sides = [PORTS / side / "lstm.py" for side in ("original", "converted")]
    if is_same is None:
        with pytest.raises(MsconvertError) as error:
            comparer.compare(*sides, settings)
        assert error.value.code == "MS310"
    else:
        assert comparer.compare(*sides, settings).ok == is_same


@pytest.mark.parametrize("text", ["", "a", "->b", "a-b", "a=>b", "a->b.*", " -> "])
def test_what_is_no_pair_of_names(text: str) -> None:
    with pytest.raises(MsconvertError) as error:
        rename_of(text)
    assert error.value.code == "MS105"
