import torch
import torch.nn as nn
import torch.nn.utils.rnn as rnn_utils
from torch.nn.utils import rnn


class RNNEncoder(nn.Module):
    """Wraps any recurrent layer; sorts by hand, max-pools over time."""

    def __init__(self, rnn_type, nin, nhid, nlayers, bidirectional=True):
        super().__init__()
        assert rnn_type in ["LSTM", "GRU"]
        self.rnn_type = rnn_type
        self.rnn = getattr(nn, rnn_type)(
            nin, nhid, nlayers, batch_first=True, bidirectional=bidirectional
        )
        self.num_dirs = 2 if bidirectional else 1
        self.nhid, self.nlayers = nhid, nlayers

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        shape = (self.nlayers * self.num_dirs, bsz, self.nhid)
        if self.rnn_type == "LSTM":
            return weight.new_zeros(*shape), weight.new_zeros(*shape)
        return weight.new_zeros(*shape)

    def forward(self, x, lens):
        lens_sorted, order = torch.sort(lens, descending=True)
        _, restore = torch.sort(order)
        x = x.index_select(0, order)
        packed = rnn_utils.pack_padded_sequence(x, lens_sorted.tolist(), batch_first=True)
        self.rnn.flatten_parameters()
        out, hidden = self.rnn(packed, self.init_hidden(x.shape[0]))
        out, _ = rnn_utils.pad_packed_sequence(
            out, batch_first=True, padding_value=float("-inf"), total_length=x.size(1)
        )
        out = out.index_select(0, restore)
        if isinstance(hidden, tuple):
            hidden = hidden[0]
        hidden = hidden.index_select(1, restore)
        return out.max(dim=1)[0], hidden


def set_weights(module):
    with torch.no_grad():
        for n, p in module.named_parameters():
            p.copy_(torch.sin(torch.arange(p.numel()) * 0.5 + len(n)).reshape_as(p) * 0.4)


x = torch.cos(torch.arange(3 * 5 * 4).float()).view(3, 5, 4)
lens = torch.tensor([2, 5, 3])
for kind in ("LSTM", "GRU"):
    enc = RNNEncoder(kind, 4, 3, 2)
    set_weights(enc)
    pooled, h = enc(x, lens)
    print(kind, [[round(v, 4) for v in row] for row in pooled.tolist()])
    print(tuple(h.shape), [round(v, 4) for v in h.flatten().tolist()][:8])

seqs = [torch.arange(n).float().unsqueeze(1) for n in (4, 2, 1)]
packed = rnn.pack_sequence(seqs)
print(packed.data.flatten().tolist(), packed.batch_sizes.tolist(), packed.sorted_indices)
for s in rnn.unpack_sequence(packed):
    print(s.flatten().tolist())
padded = rnn.pad_sequence(seqs)
print([u.shape[0] for u in rnn.unpad_sequence(padded, torch.tensor([4, 2, 1]))])
layer = nn.LSTM(1, 2)
set_weights(layer)
out, (h, c) = layer(packed)
print(type(out).__name__, [round(v, 4) for v in out.data.flatten().tolist()])
print([round(v, 4) for v in c.flatten().tolist()])
