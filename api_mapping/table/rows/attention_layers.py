"""torch.nn: attention and the layers of Transformers; torch.nn.attention."""

from ....formats.names.naming import TRANSFORMER
from ..families import missing
from ..rule import Rule

OPTIONS = (
    'dropout=0.1, activation="relu", {more}layer_norm_eps=1e-05, batch_first=False, '
    "norm_first=False, bias=True, device=None, dtype=None)"
)
LAYER = f"(d_model, nhead, dim_feedforward=2048, {OPTIONS.format(more='')}"
HANDED = (
    "dropout=dropout, activation=activation, {more}layer_norm_eps=layer_norm_eps, "
    "batch_first=batch_first, norm_first=norm_first, dtype=element_type(dtype))"
)
BIAS = {"bias": "MindSpore's layers always have biases: they begin with zeros in the norms"}
ENCODER = "nn.TransformerEncoderLayer(4, 2, 8, 0.0{})"
DECODER = "nn.TransformerDecoderLayer(4, 2, 8, 0.0{})"

LAYERS = (
    Rule(
        "torch.nn.MultiheadAttention(embed_dim, num_heads, dropout=0.0, bias=True, "
        "add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, batch_first=False, "
        "device=None, dtype=None)",
        "compat.MultiheadAttention(embed_dim, num_heads, dropout=dropout, has_bias=bias, "
        "add_bias_kv=add_bias_kv, add_zero_attn=add_zero_attn, kdim=kdim, vdim=vdim, "
        "batch_first=batch_first, dtype=element_type(dtype))",
        note="MindSpore's gives one value, in a tuple, where the weights are not needed.",
        example=(
            "nn.MultiheadAttention(4, 2)(a, a, a)",
            "nn.MultiheadAttention(4, 2)(a, a, a, need_weights=False)",
            "nn.MultiheadAttention(4, 2, batch_first=True, bias=False)(a, a, a)",
            "layer = nn.MultiheadAttention(4, 2, kdim=3, vdim=3)\n"
            "layer(a, a[:, :, :3], a[:, :, :3])[0]",
        ),
    ),
    Rule(
        f"torch.nn.TransformerEncoderLayer{LAYER}",
        "nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward=dim_feedforward, "
        + HANDED.format(more=""),
        reject=BIAS,
        state=TRANSFORMER,
        example=(
            f"{ENCODER.format('')}(a)",
            f"""{ENCODER.format(', activation="gelu", batch_first=True, norm_first=True')}(a)""",
        ),
    ),
    Rule(
        f"torch.nn.TransformerDecoderLayer{LAYER}",
        "nn.TransformerDecoderLayer(d_model, nhead, dim_feedforward=dim_feedforward, "
        + HANDED.format(more=""),
        reject=BIAS,
        state=TRANSFORMER,
        example=(
            f"{DECODER.format('')}(a, a * 2)",
            f"""{DECODER.format(", batch_first=True, norm_first=True")}(a, a * 2)""",
        ),
    ),
    Rule(
        "torch.nn.TransformerEncoder(encoder_layer, num_layers, norm=None, "
        "enable_nested_tensor=True, mask_check=True)",
        "nn.TransformerEncoder(encoder_layer, num_layers, norm=norm)",
        drop=("enable_nested_tensor", "mask_check"),
        state=TRANSFORMER,
        example=(
            f"nn.TransformerEncoder({ENCODER.format(', batch_first=True')}, 2)(a)",
            f"nn.TransformerEncoder({ENCODER.format('')}, 2, norm=nn.LayerNorm(4), "
            "enable_nested_tensor=False)(a)",
        ),
    ),
    Rule(
        "torch.nn.TransformerDecoder(decoder_layer, num_layers, norm=None)",
        "nn.TransformerDecoder(decoder_layer, num_layers, norm=norm)",
        state=TRANSFORMER,
        example=(
            f"nn.TransformerDecoder({DECODER.format('')}, 2)(a, a * 2)",
            f"nn.TransformerDecoder({DECODER.format('')}, 1, nn.LayerNorm(4))(a, a * 2)",
        ),
    ),
    Rule(
        "torch.nn.Transformer(d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, "
        "dim_feedforward=2048, "
        + OPTIONS.format(more="custom_encoder=None, custom_decoder=None, "),
        "nn.Transformer(d_model, nhead, num_encoder_layers=num_encoder_layers, "
        "num_decoder_layers=num_decoder_layers, dim_feedforward=dim_feedforward, "
        + HANDED.format(more="custom_encoder=custom_encoder, custom_decoder=custom_decoder, "),
        reject=BIAS,
        state=TRANSFORMER,
        example=(
            "nn.Transformer(4, 2, 1, 1, 8, 0.0)(a, a * 2)",
            "nn.Transformer(4, 2, num_encoder_layers=2, num_decoder_layers=1, dim_feedforward=8, "
            "dropout=0.0, batch_first=True)(a, a * 2)",
        ),
    ),
    Rule(
        "torch.nn.Transformer.generate_square_subsequent_mask(sz, device=None, dtype=None)",
        'ops.triu(ops.full((sz, sz), float("-inf"), dtype=ms.float32), 1)',
        returns="tensor",
        example="nn.Transformer.generate_square_subsequent_mask(4)",
    ),
    Rule(
        "torch.nn.Transformer.forward",
        "self.construct",
        example="it = nn.Transformer(4, 2, 1, 1, 8, 0.0)\nit.forward(a, a * 2)",
        state=TRANSFORMER,
    ),
    Rule(
        "torch.nn.MultiheadAttention.forward",
        "self.construct",
        example="it = nn.MultiheadAttention(4, 2)\nit.forward(a, a, a)",
    ),
    *missing(
        "join the masks yourself: attn_mask + key_padding_mask, both of -inf and 0",
        "torch.nn.MultiheadAttention.merge_masks(self, attn_mask, key_padding_mask, query)",
    ),
)

KERNELS = missing(
    "delete it: MindSpore chooses the kernel of attention itself",
    "torch.nn.attention.SDPBackend",
    *(
        f"torch.nn.attention.SDPBackend.{name}"
        for name in ("CUDNN_ATTENTION", "EFFICIENT_ATTENTION", "FLASH_ATTENTION", "MATH")
    ),
    "torch.nn.attention.WARN_FOR_UNFUSED_KERNELS",
    "torch.nn.attention.activate_flash_attention_impl(impl)",
    "torch.nn.attention.current_flash_attention_impl()",
    "torch.nn.attention.list_flash_attention_impls()",
    "torch.nn.attention.register_flash_attention_impl(impl, *, register_fn)",
    "torch.nn.attention.restore_flash_attention_impl()",
)

RULES = (
    *LAYERS,
    *KERNELS,
    Rule(
        "torch.nn.attention.sdpa_kernel(backends, set_priority=False)",
        "compat.null_context()",
        note="MindSpore chooses the kernel of attention itself.",
        drop=("backends", "set_priority"),
        returns="other",
        example=(
            "with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):\n    y = x * 2\ny",
            "with nn.attention.sdpa_kernel([nn.attention.SDPBackend.MATH], True):\n    y = x\ny",
        ),
    ),
    *missing(
        "give the attention a mask of shape (batch, heads, queries, keys)",
        "torch.nn.attention.flex_attention.create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN)",
    ),
)
