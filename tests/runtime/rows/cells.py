"""What Cells say of themselves: names, parameters, repr."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

for code in (
    "nn.Dense(3, 4)", "nn.Conv2d(3, 4, 3, has_bias=True)", "nn.Dropout(p=0.3)",
    "nn.SequentialCell(nn.Dense(3, 4), nn.ReLU())", "nn.CellList([nn.ReLU(), nn.Tanh()])",
):  # fmt: skip
    rows(f"repr({code}).split('weight_init')[0].rstrip(', )')")
for code in (
    "nn.SequentialCell([nn.Dense(3, 4), nn.SequentialCell(nn.BatchNorm2d(3), nn.PReLU())])",
    "nn.BatchNorm2d(3)", "nn.BatchNorm3d(3)", "nn.PReLU()",
    "nn.CellDict({'a': nn.Dense(3, 4), 'b': nn.Embedding(3, 4)})", "nn.GRUCell(3, 4)",
    "nn.SequentialCell(nn.Dense(3, 4), nn.CellList([nn.LayerNorm((3,)), nn.Dense(2, 2)]))",
):  # fmt: skip
    rows(
        f"[(p.name, p.shape, p.requires_grad) for p in {code}.get_parameters()]",
        f"[name for name, p in {code}.parameters_and_names()]",
        f"[name for name, cell in {code}.cells_and_names()]",
        f"list({code}.name_cells())",
    )
rows(
    "[(p.name, p.shape) for p in nn.LSTM(3, 4, 2, bidirectional=True).get_parameters()]",
    "[(p.name, p.shape) for p in nn.GRU(3, 4, has_bias=False).get_parameters()]",
    "[(p.name, p.shape) for p in nn.RNN(3, 4, 2).get_parameters()]",
    "[p.name for p in nn.Adam(nn.Dense(2, 2).trainable_params()).get_parameters()]",
    "[p.name for p in nn.Momentum(nn.Dense(2, 2).trainable_params(), 0.1, 0.9).get_parameters()]",
    "[p.name for p in nn.SGD(nn.Dense(2, 2).trainable_params(), [0.1, 0.2]).get_parameters()]",
)
