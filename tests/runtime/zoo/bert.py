"""BERT and a recurrent tagger as model zoos write them: P, F, C, masks, embeddings, hyper maps."""

import math

import mindspore.common.dtype as mstype
import mindspore.nn as nn
import mindspore.ops.functional as F
import numpy as np
from mindspore import context
from mindspore.common.initializer import Normal, TruncatedNormal, initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.ops import composite as C
from mindspore.ops import operations as P

SHAPE = (2, 6, 12)


class EmbeddingLookup(nn.Cell):
    def __init__(self, vocab_size, embedding_size, embedding_shape, initializer_range=0.02):
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding_table = Parameter(
            initializer(TruncatedNormal(initializer_range), [vocab_size, embedding_size])
        )
        self.expand = P.ExpandDims()
        self.shape_flat = (-1,)
        self.gather = P.Gather()
        self.shape = tuple(embedding_shape)

    def construct(self, input_ids):
        flat_ids = P.Reshape()(input_ids, self.shape_flat)
        output_for_reshape = self.gather(self.embedding_table, flat_ids, 0)
        return P.Reshape()(output_for_reshape, self.shape), self.embedding_table.value()


class SaturateCast(nn.Cell):
    def __init__(self, dst_type=mstype.float32):
        super().__init__()
        np_type = mstype.dtype_to_nptype(dst_type)
        self.tensor_min_type = float(np.finfo(np_type).min)
        self.tensor_max_type = float(np.finfo(np_type).max)
        self.min_op = P.Minimum()
        self.max_op = P.Maximum()
        self.cast = P.Cast()
        self.dst_type = dst_type

    def construct(self, x):
        out = self.max_op(x, self.tensor_min_type)
        out = self.min_op(out, self.tensor_max_type)
        return self.cast(out, self.dst_type)


class BertAttention(nn.Cell):
    def __init__(self, width, seq_length, heads=3):
        super().__init__()
        self.size_per_head = width // heads
        self.query_layer = nn.Dense(width, width, weight_init=TruncatedNormal(0.02))
        self.key_layer = nn.Dense(width, width, weight_init=TruncatedNormal(0.02))
        self.value_layer = nn.Dense(width, width, weight_init=TruncatedNormal(0.02))
        self.shape_from = (-1, seq_length, heads, self.size_per_head)
        self.shape_return = (-1, width)
        self.scores_mul = 1.0 / math.sqrt(float(self.size_per_head))
        self.trans_shape = (0, 2, 1, 3)
        self.matmul_trans_b = P.BatchMatMul(transpose_b=True)
        self.matmul = P.BatchMatMul()
        self.softmax = nn.Softmax()
        self.multiply_data = -10000.0
        self.sub = P.Sub()
        self.cast = P.Cast()

    def construct(self, x, attention_mask):
        x = P.Reshape()(x, (-1, x.shape[-1]))
        query, key, value = [
            P.Transpose()(P.Reshape()(layer(x), self.shape_from), self.trans_shape)
            for layer in (self.query_layer, self.key_layer, self.value_layer)
        ]
        scores = P.Mul()(self.matmul_trans_b(query, key), self.scores_mul)
        attention_mask = P.ExpandDims()(attention_mask, 1)
        adder = self.sub(
            P.Cast()(F.tuple_to_array((1.0,)), P.DType()(scores)),
            self.cast(attention_mask, P.DType()(scores)),
        )
        scores = P.Add()(P.Mul()(adder, self.multiply_data), scores)
        context_layer = P.Transpose()(self.matmul(self.softmax(scores), value), self.trans_shape)
        return P.Reshape()(context_layer, self.shape_return)


class BertLayer(nn.Cell):
    def __init__(self, width, seq_length):
        super().__init__()
        self.attention = BertAttention(width, seq_length)
        self.intermediate = nn.Dense(width, 2 * width, activation="gelu", weight_init=Normal(0.02))
        self.output = nn.Dense(2 * width, width)
        self.layernorm = nn.LayerNorm((width,)).to_float(mstype.float32)
        self.cast = SaturateCast()
        self.add = P.Add()

    def construct(self, x, mask):
        flat = P.Reshape()(x, (-1, F.shape(x)[-1]))
        attended = self.layernorm(self.add(self.attention(x, mask), flat))
        out = self.cast(
            self.layernorm(self.add(self.output(self.intermediate(attended)), attended))
        )
        return P.Reshape()(out, P.Shape()(x))


square_sum = C.MultitypeFuncGraph("square_sum")


@square_sum.register("Tensor")
def _square_sum(x):
    return P.ReduceSum()(P.Square()(x))


class Tagger(nn.Cell):
    """Embeds the rounded inputs, adds an LSTM, and weighs the outputs' norms by a hyper map."""

    def __init__(self, width=12, seq_length=6):
        super().__init__()
        self.lookup = EmbeddingLookup(5, width, (-1, seq_length, width))
        self.layers = nn.CellList([BertLayer(width, seq_length) for _ in range(2)])
        self.lstm = nn.LSTM(
            width, width // 2, num_layers=1, has_bias=True, batch_first=True, bidirectional=True
        )
        self.hyper_map = C.HyperMap()
        self.concat = P.Concat(axis=-1)
        self.slice = P.StridedSlice()
        self.squeeze = P.Squeeze(1)
        self.dense = nn.Dense(width, 3)
        self.triu = P.MatrixBandPart() if hasattr(P, "MatrixBandPart") else None
        self.ones = Tensor(np.tril(np.ones((1, seq_length, seq_length))), mstype.float32)

    def construct(self, x):
        ids = P.Cast()(F.clip_by_value(x[:, :, 0], 0.0, 4.0), mstype.int32)
        embedded, table = self.lookup(ids)
        hidden = embedded + x
        mask = F.tile(self.ones, (F.shape(x)[0], 1, 1))
        for layer in self.layers:
            hidden = layer(hidden, mask)
        recurrent, (h, c) = self.lstm(hidden)
        norms = self.hyper_map(square_sum, (recurrent, h, table))
        first = self.squeeze(
            self.slice(recurrent, (0, 0, 0), (F.shape(x)[0], 1, F.shape(x)[-1]), (1, 1, 1))
        )
        return self.dense(first) * (norms[0] + norms[1]) + F.stop_gradient(norms[2])


def network():
    context.get_context("mode")
    return Tagger()
