"""Modules whose own forward nobody called, found again by the names of weights."""

from __future__ import annotations

import pytest

from msconvert.converter.modules.skipped_modules import restored

ROWS: dict[str, tuple[str, str, str]] = {
    "told as they are": ("m.a m.b m", "m.a m.b -", "m.a m.b m"),
    "a module called past its parent": (
        "dec dec.fc dec.act dec",
        "- model.dec.fc - -",
        "model.dec model.dec.fc model.dec.act model.dec",
    ),
    "one of the same name around": (
        "model.dec.fc model.dec.act model",
        "model.model.dec.fc - -",
        "model.model.dec.fc model.model.dec.act model",
    ),
    "layers of a list, told alike": (
        "enc.attn.q enc.attn enc.attn.q_1 enc.attn_1 enc.attn.act_1",
        "enc.layers.0.attn.q - enc.layers.1.attn.q - -",
        "enc.layers.0.attn.q enc.layers.0.attn enc.layers.1.attn.q enc.layers.1.attn "
        "enc.layers.1.attn.act",
    ),
    "a layer with a number of its own": (
        "conv_1 act_1 conv_2",
        "net.conv_1 - net.conv_2",
        "net.conv_1 act_1 net.conv_2",
    ),
    "a weight deeper in the module": ("block block", "block.inner.fc -", "block block"),
    "a tied weight": ("head.fc head", "embed.table -", "head.fc head"),
    "the twin of a layer": ("layers.1.norm", "layers.0.norm", "layers.1.norm"),
    "too far from its holder": ("dec", "model.dec.a.b.c", "dec"),
}


@pytest.mark.parametrize("row", ROWS)
def test_weights_tell_the_modules_that_the_exporter_left_out(row: str) -> None:
    told, holders, expected = (
        [tuple(word.split(".")) if word != "-" else None for word in text.split()]
        for text in ROWS[row]
    )
    assert restored([path or () for path in told], holders) == expected
