"""Attention and the transformer."""

from __future__ import annotations

import copy
import math
from typing import Any

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.failure import ShapeError
from ..engine.initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from ..engine.parameter import Parameter
from ..engine.primitive import convert
from ..engine.promotion import constant, rank_of
from ..engine.tensor import Tensor
from ..ops import activation as activations
from ..ops.arithmetic import add, div, logical_or, mul, where
from ..ops.reduction import dense, matmul, mean
from ..ops.shaping import (
    concat,
    expand_dims,
    pad,
    reshape,
    split,
    squeeze,
    swapaxes,
    tile,
)
from .activation import GELU, ReLU
from .basic import Dense, Dropout
from .container import CellList
from .normalization import LayerNorm

Mask = Tensor | None


class MultiheadAttention(Cell):
    """softmax(q @ k.T / sqrt(d)) @ v for each of the heads, projected before and after.

    Shapes: query (l, n, embed_dim), key (s, n, kdim), value (s, n, vdim), or batches first, or
    without n; key_padding_mask (n, s), attn_mask (l, s) or (n * heads, l, s): True, or what is
    added to the scores -> (l, n, embed_dim), weights (n, l, s) or (n, heads, l, s)
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ShapeError(self.cls_name, "embed_dim does not divide by num_heads",
                             got=f"{embed_dim}, {num_heads}")  # fmt: skip
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn
        self.dtype = dtypes.float32 if dtype is None else dtype
        self.add_weights()
        self.in_proj_bias = None
        if has_bias:
            self.in_proj_bias = self.filled("zeros", (3 * embed_dim,), "in_proj_bias")
        bound = 1 / math.sqrt(embed_dim)
        self.out_proj = Dense(
            embed_dim, embed_dim, HeUniform(math.sqrt(5)), Uniform(bound), has_bias,
            dtype=self.dtype,
        )  # fmt: skip
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = self.filled(XavierNormal(), (1, 1, embed_dim), "bias_k")
            self.bias_v = self.filled(XavierNormal(), (1, 1, embed_dim), "bias_v")

    def filled(self, init: Any, shape: tuple[int, ...], name: str) -> Parameter:
        return Parameter(initializer(init, shape, self.dtype), name=name)

    def add_weights(self) -> None:
        """One matrix for query, key and value if they are of one size, else one for each."""
        sizes = {"q": self.embed_dim, "k": self.kdim, "v": self.vdim}
        alike = len(set(sizes.values())) == 1
        whole, shape = XavierUniform(), (3 * self.embed_dim, self.embed_dim)
        self.in_proj_weight = self.filled(whole, shape, "in_proj_weight") if alike else None
        for letter, size in sizes.items():
            name = f"{letter}_proj_weight"
            own = None if alike else self.filled(XavierUniform(), (self.embed_dim, size), name)
            setattr(self, name, own)

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Mask = None,
        need_weights: bool = True,
        attn_mask: Mask = None,
        average_attn_weights: bool = True,
    ) -> Any:
        self.check(query, key, value, key_padding_mask)
        batched = query.ndim == 3
        inputs = [self.steps_first(query)] * 3
        if not (query is key and key is value):
            inputs[1:] = [self.steps_first(x) for x in (key, value)]
        if key_padding_mask is not None and not batched:
            key_padding_mask = expand_dims(key_padding_mask, 0)
        length, batch, _ = inputs[0].shape
        q, k, v = (self.heads_of(x) for x in self.extended(*self.projected(*inputs)))
        masks = self.masks(key_padding_mask, attn_mask, (batch, length, k.shape[1]))
        y, weights = self.attended(q, k, v, masks)
        y = reshape(swapaxes(y, 0, 1), (length, batch, self.embed_dim))
        y = self.out_proj(y)
        if self.batch_first and batched:
            y = swapaxes(y, 0, 1)
        y = y if batched else squeeze(y, 1)
        if not need_weights:
            return (y,)
        weights = reshape(weights, (batch, self.num_heads, *weights.shape[1:]))
        weights = mean(weights, 1) if average_attn_weights else weights
        return y, (weights if batched else squeeze(weights, 0))

    def steps_first(self, x: Tensor) -> Tensor:
        """As (l, n, e)."""
        if x.ndim == 2:
            return expand_dims(x, 1)
        return swapaxes(x, 0, 1) if self.batch_first else x

    def check(self, query: Tensor, key: Tensor, value: Tensor, padding: Mask) -> None:
        """Raises: ValueError (MS304), as MindSpore does."""
        ranks = [x.ndim for x in (query, key, value)]
        if len(set(ranks)) > 1 or ranks[0] not in (2, 3):
            raise ShapeError(self.cls_name, "needs 3 axes, or 2 without a batch", got=str(ranks))
        if query.shape[-1] != self.embed_dim or key.shape[:-1] != value.shape[:-1]:
            got = f"{query.shape}, {key.shape}, {value.shape}"
            raise ShapeError(self.cls_name, "query, key and value do not fit", got=got)
        if padding is None:
            return
        if padding.ndim != query.ndim - 1 or rank_of(padding.dtype) == 1:
            raise ShapeError(self.cls_name, "key_padding_mask must be (n, s) of bools or floats",
                             got=f"{padding.dtype.name}{list(padding.shape)}")  # fmt: skip

    def projected(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        inputs = (query, key, value)
        count = self.embed_dim
        biases: Any = (None,) * 3
        if self.in_proj_bias is not None:
            biases = split(self.in_proj_bias, count)
        if self.in_proj_weight is None:
            weights: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        elif query is key and key is value:
            return list(split(dense(query, self.in_proj_weight, self.in_proj_bias), count, -1))
        else:
            weights = split(self.in_proj_weight, count)
        return [dense(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]

    def extended(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """With the additional steps of key and value that the constructor asks for."""
        batch = q.shape[1]
        if self.bias_k is not None and self.bias_v is not None:
            k = concat((k, tile(self.bias_k, (1, batch, 1))))
            v = concat((v, tile(self.bias_v, (1, batch, 1))))
        if self.add_zero_attn:
            zero = mul(k[:1], 0.0)
            k, v = concat((k, zero)), concat((v, zero))
        return q, k, v

    def heads_of(self, x: Tensor) -> Tensor:
        """(l, n, e) -> (n * heads, l, e / heads)."""
        length, batch, _ = x.shape
        size = self.embed_dim // self.num_heads
        return swapaxes(reshape(x, (length, batch * self.num_heads, size)), 0, 1)

    def masks(self, padding: Mask, attention: Mask, sizes: tuple[int, int, int]) -> Mask:
        """Both masks as what is added to the scores (n * heads, l, s)."""
        batch, _, steps = sizes
        if attention is not None:
            attention = self.attention_mask(attention, sizes)
        if padding is not None:
            padding = pad_end(padding, steps)
            if padding.shape != (batch, steps):
                raise ShapeError(self.cls_name, "key_padding_mask does not fit the key",
                                 got=str(padding.shape), expected=str((batch, steps)))  # fmt: skip
            padding = tile(reshape(padding, (batch, 1, 1, steps)), (1, self.num_heads, 1, 1))
            padding = reshape(padding, (batch * self.num_heads, 1, steps))
        if attention is None or padding is None:
            return added(padding if attention is None else attention, self.dtype)
        if attention.dtype is dtypes.bool_ and padding.dtype is dtypes.bool_:
            return added(logical_or(attention, padding), self.dtype)
        both = [added(mask, self.dtype) for mask in (attention, padding)]
        return add(*both)

    def attention_mask(self, mask: Tensor, sizes: tuple[int, int, int]) -> Tensor:
        batch, length, steps = sizes
        if mask.dtype is dtypes.uint8:
            mask = convert(mask, dtypes.bool_)
        if rank_of(mask.dtype) == 1 or mask.ndim not in (2, 3):
            raise ShapeError(self.cls_name, "attn_mask must have 2 or 3 axes, of bools or floats",
                             got=f"{mask.dtype.name}{list(mask.shape)}")  # fmt: skip
        whole = pad_end(mask if mask.ndim == 3 else expand_dims(mask, 0), steps)
        known = ((1, length, steps), (batch * self.num_heads, length, steps))
        if whole.shape != known[mask.ndim - 2]:
            raise ShapeError(self.cls_name, "attn_mask does not fit query and key",
                             got=str(mask.shape), expected=str(known[mask.ndim - 2]))  # fmt: skip
        return whole

    def attended(self, q: Tensor, k: Tensor, v: Tensor, mask: Mask) -> tuple[Tensor, Tensor]:
        root = constant(q.shape[-1] ** 0.25, q.dtype)
        scores = matmul(div(q, root), div(swapaxes(k, -2, -1), root))
        if mask is not None:
            scores = add(scores, mask)
        weights = activations.softmax(scores, -1)
        weights = activations.dropout(weights, self.dropout, self.training)
        return matmul(weights, v), weights


def pad_end(mask: Tensor, steps: int) -> Tensor:
    """With nothing masked for the steps that were added to key and value."""
    missing = steps - mask.shape[-1]
    if missing not in (1, 2):
        return mask
    if mask.dtype is dtypes.bool_:
        return convert(pad(convert(mask, dtypes.uint8), (0, missing)), dtypes.bool_)
    return pad(mask, (0, missing))


def added(mask: Mask, dtype: Any) -> Mask:
    """What is added to the scores: minus infinity where the mask is True."""
    if mask is None or mask.dtype is not dtypes.bool_:
        return mask
    return convert(where(mask, -math.inf, 0.0), dtype)


def chosen_activation(activation: Any) -> Any:
    """relu or gelu, as a name, function or layer. Raises: ValueError (MS304) for another."""
    names = {"relu": activations.relu, "gelu": activations.gelu}
    if isinstance(activation, str) and activation in names:
        return names[activation]
    if isinstance(activation, (ReLU, GELU)) or activation in names.values():
        return activation
    raise ShapeError("transformer", "activation must be relu or gelu", got=repr(activation))


class TransformerLayer(Cell):
    """Self-attention and a feed-forward part, each with a residual. Abstract.

    The norm comes after each part, or before it if `norm_first`.
    """

    norms = 2
    parts: tuple[str, ...] = ("self_attn",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__()
        self.settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype,
        )  # fmt: skip
        for part in self.parts:
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype
            )
            setattr(self, part, attention)
        sizes = (d_model, dim_feedforward)
        init = HeUniform(math.sqrt(5))
        bounds = [Uniform(1 / math.sqrt(size)) for size in sizes]
        self.dense1 = Dense(*sizes, init, bounds[0], dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(*sizes[::-1], init, bounds[1], dtype=dtype)
        self.norm_first = norm_first
        for k in range(1, self.norms + 1):
            setattr(self, f"norm{k}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for k in range(1, self.norms + 1):
            setattr(self, f"dropout{k}", Dropout(p=dropout))
        self.activation = chosen_activation(activation)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        self.dim_feedforward, self.dropout_num = dim_feedforward, dropout
        self.activation1, self.layernorm_eps, self.dtype = activation, layer_norm_eps, dtype

    def fed_forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.dense2(self.dropout(self.activation(self.dense1(x))))
        return y

    def residuals(self, x: Tensor, *parts: Any) -> Tensor:
        """`x` through each of the parts, with its norm and dropout."""
        for k, part in enumerate(parts, 1):
            norm, dropout = getattr(self, f"norm{k}"), getattr(self, f"dropout{k}")
            if self.norm_first:
                x = add(x, dropout(part(norm(x))))
            else:
                x = norm(add(x, dropout(part(x))))
        return x


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention, then the feed-forward part."""

    def construct(
        self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None
    ) -> Tensor:
        attend = lambda x: self.self_attn(  # noqa: E731
            x, x, x, src_key_padding_mask, need_weights=False, attn_mask=src_mask
        )[0]
        return self.residuals(src, attend, self.fed_forward)


class TransformerDecoderLayer(TransformerLayer):
    """Self-attention, attention to `memory`, then the feed-forward part."""

    norms = 3
    parts = ("self_attn", "multihead_attn")

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
    ) -> Tensor:
        attend = lambda x: self.self_attn(  # noqa: E731
            x, x, x, tgt_key_padding_mask, need_weights=False, attn_mask=tgt_mask
        )[0]
        look = lambda x: self.multihead_attn(  # noqa: E731
            x, memory, memory, memory_key_padding_mask, need_weights=False, attn_mask=memory_mask
        )[0]
        return self.residuals(tgt, attend, look, self.fed_forward)


class TransformerStack(Cell):
    """Layers like a given one, one after the other. Abstract."""

    def __init__(self, layer: TransformerLayer, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        first = type(layer)(*layer.settings)
        self.layers = CellList([copy.deepcopy(first) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def stacked(self, x: Tensor, *args: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *args)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(TransformerStack):
    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Cell | None = None
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def construct(
        self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None
    ) -> Tensor:
        return self.stacked(src, src_mask, src_key_padding_mask)


class TransformerDecoder(TransformerStack):
    def __init__(
        self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Cell | None = None
    ) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
    ) -> Tensor:
        paddings = tgt_key_padding_mask, memory_key_padding_mask
        return self.stacked(tgt, memory, tgt_mask, memory_mask, *paddings)


class Transformer(Cell):
    """An encoder and a decoder; all matrices start as Xavier's uniform."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__()
        settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype,
        )  # fmt: skip
        norms = [LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype) for _ in range(2)]
        if custom_encoder is None:
            first = TransformerEncoderLayer(*settings)
            custom_encoder = TransformerEncoder(first, num_encoder_layers, norms[0])
        self.encoder = custom_encoder
        if custom_decoder is None:
            other = TransformerDecoderLayer(*settings)
            custom_decoder = TransformerDecoder(other, num_decoder_layers, norms[1])
        self.decoder = custom_decoder
        for p in self.get_parameters():
            if p.ndim > 1:
                p.set_data(initializer("xavier_uniform", p.shape, p.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Mask = None,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        src_key_padding_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
    ) -> Tensor:
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ShapeError(self.cls_name, "src and tgt must have d_model features",
                             got=f"{src.shape}, {tgt.shape}")  # fmt: skip
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        y: Tensor = self.decoder(tgt, memory, *masks)
        return y
