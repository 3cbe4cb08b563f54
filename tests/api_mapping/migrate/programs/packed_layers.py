import torch
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence


class SortedLSTM(nn.LSTM):
    """An LSTM that takes padded input and lengths in any order."""

    def forward(self, x, lengths, hx=None):
        lengths, order = lengths.sort(0, descending=True)
        x = x[order] if self.batch_first else x[:, order]
        packed = pack_padded_sequence(x, lengths, batch_first=self.batch_first)
        out, (h, c) = super().forward(packed, hx)
        out, _ = pad_packed_sequence(out, batch_first=self.batch_first)
        inverse = order.argsort()
        out = out[inverse] if self.batch_first else out[:, inverse]
        return out, (h[:, inverse], c[:, inverse])


class Dynamic(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        gru = nn.GRU(n_in, n_out, batch_first=True)
        self.steps = nn.ModuleDict({"a": gru, "b": nn.RNN(n_in, n_out, batch_first=True)})

    def forward(self, packed):
        assert isinstance(packed, PackedSequence), "pack it first"
        found = {}
        for name, cell in self.steps.items():
            y, h = cell(packed)
            found[name] = (y, h)
        return found


def weights(module):
    for n, p in module.named_parameters():
        nn.init.constant_(p, 0.1 if "bias" in n else -0.2)
        if p.dim() == 2:
            p.data[0] += 0.3
    return module


x = torch.linspace(-2, 2, 3 * 5 * 2).reshape(3, 5, 2)
lengths = torch.tensor([2, 5, 4])
net = weights(SortedLSTM(2, 3, batch_first=True))
out, (h, c) = net(x, lengths)
print([round(v, 4) for v in out.flatten().tolist()])
print([round(v, 4) for v in h.flatten().tolist()], round(c.sum().item(), 4))
packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
dynamic = weights(Dynamic(2, 3))
for name, (y, h) in dynamic(packed).items():
    print(name, [round(v, 4) for v in y.data.flatten().tolist()[:6]], y.batch_sizes.tolist())
    print(name, [round(v, 4) for v in h.flatten().tolist()])
moved = packed.to("cpu").double()
print(moved.data.dtype == torch.float64, moved.batch_sizes.sum().item(), packed.is_cuda)
twice = packed._replace(data=packed.data * 2)
print(round(twice.data.sum().item(), 4), twice.sorted_indices.tolist(), len(twice))
if packed.sorted_indices is not None:
    print("order", packed.sorted_indices.tolist())
try:
    pack_padded_sequence(x, lengths, batch_first=True)
except RuntimeError:
    print("not sorted")
