"""Names of the parameters of cells in cells, however the containers were filled."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

PARTS = """
def dense():
    return nn.Dense(1, 1, has_bias=False)

def chain():
    return nn.SequentialCell(dense(), nn.ReLU(), dense())

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        {}

result = [p.name for p in Net().get_parameters()]
"""

FILLED = (
    "l = self.l = nn.CellList(); l.append(dense()); l.append(dense()); l.extend([dense()])",
    "l = self.l = nn.CellList(); l.append(chain()); l.append(chain()); l.append(chain())",
    "l = self.l = nn.CellList(); l.extend([chain(), chain()])",
    "l = self.l = nn.CellList([chain(), chain()]); l.append(chain()); l.insert(0, dense())",
    "l = self.l = nn.CellList([chain(), dense()]); l.insert(-1, dense())",
    "l = self.l = nn.SequentialCell([chain(), dense(), nn.ReLU()]); l.append(dense())",
    "l = self.l = nn.SequentialCell([chain(), dense()]); l[1] = chain()",
    "l = self.l = nn.SequentialCell([chain(), dense(), dense()]); del l[0]",
    "l = self.l = nn.CellList([chain(), dense(), dense()]); del l[1]; l[0] = dense()",
    "l = self.l = nn.CellDict({'a': dense(), 'b': dense()}); l['c'] = dense()",
    "l = self.l = nn.CellList([nn.ReLU(), dense()]); l += [chain()]",
    "self.l = nn.CellList([dense()]); self.l.append(nn.CellList([dense(), dense()]))",
)
rows(*[PARTS.format(line) for line in FILLED])
refused("nn.CellDict({'a': nn.SequentialCell([nn.ReLU()])})", "nn.CellList([3])")
refused("nn.CellList([nn.ReLU()]).insert(5, nn.ReLU())", "nn.CellList([nn.ReLU()])[2]")

SLICED = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.l = {container}([nn.Dense(1, 1, 'ones', 'ones') for _ in range(3)])
    @ms.jit
    def construct(self, v):
        for cell in self.l[{part}]:
            v = cell(v)
        return v

net = Net()
y = [net(ms.Tensor([[1.0]])), net(ms.Tensor([[2.0]]))]
result = [y, [p.name for p in net.get_parameters()], [p.name for p in net.l.get_parameters()]]
"""
for container in ("nn.CellList", "nn.SequentialCell"):
    for part in (":-1", "1:", "::2", "-1:", "0:0"):
        rows(SLICED.format(container=container, part=part))
rows(
    "len(nn.CellList([nn.ReLU(), nn.Tanh()])[:1])",
    "nn.SequentialCell(nn.ReLU(), nn.Tanh())[1:](x(3))",
)
