"""torch.nn.functional: attention, embeddings, and what serves dispatch inside of PyTorch."""

from ..families import missing
from ..rule import Rule

ATTENTION = (
    Rule(  # ops.flash_attention_score runs on Ascend, in half precision
        "torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=None, "
        "dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False)",
        "compat.scaled_dot_product_attention(query, key, value, attn_mask=attn_mask, "
        "dropout_p=dropout_p, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)",
        example=(
            "F.scaled_dot_product_attention(a, a, a)",
            "F.scaled_dot_product_attention(a, a, a[:, :, :2], is_causal=True, scale=0.3)",
            "F.scaled_dot_product_attention(image, image, image, image[0, 0])",
            "F.scaled_dot_product_attention(a, a, a, attn_mask=b[:, :3], dropout_p=0.0)",
            "F.scaled_dot_product_attention(image[:, :2].reshape(1, 4, 8, 8), image[:1, :2], "
            "image[:1, :2], enable_gqa=True)",
        ),
    ),
    *missing(
        "build nn.MultiheadAttention and load the weights into it",
        "torch.nn.functional.multi_head_attention_forward(query, key, value, embed_dim_to_check, "
        "num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, "
        "out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, "
        "need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, "
        "k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, "
        "average_attn_weights=True, is_causal=False)",
    ),
)

EMBEDDINGS = (
    Rule(
        "torch.nn.functional.embedding(input, weight, *, sparse=False)",
        "ops.gather(weight, input, 0)",
        mint="mint.nn.functional.embedding(input, weight)",
        note="Embedding is gathering rows: ops.embedding has no kernel on the CPU.",
        drop=("sparse",),
        example=("F.embedding(index, x)", "F.embedding(order, a[0], sparse=False)"),
    ),
    Rule(
        "torch.nn.functional.embedding(input, weight, padding_idx=None, max_norm=None, "
        "norm_type=2.0, scale_grad_by_freq=False, sparse=False)",
        "compat.embedding(input, weight, padding_idx)",
        mint="mint.nn.functional.embedding(input, weight, padding_idx=padding_idx, "
        "max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq)",
        reject={
            "max_norm": "divide the rows that are too long by their norm before",
            "scale_grad_by_freq": "divide the gradient by how often each row is used",
        },
        drop=("sparse", "norm_type"),
        example=("F.embedding(index, x, 0)", "F.embedding(index, x, padding_idx=-1)"),
    ),
    Rule(
        "torch.nn.functional.embedding_bag(input, weight, offsets=None, max_norm=None, "
        "norm_type=2, scale_grad_by_freq=False, mode='mean', sparse=False, "
        "per_sample_weights=None, include_last_offset=False, padding_idx=None)",
        "compat.embedding_bag(input, weight, offsets, mode=mode, "
        "per_sample_weights=per_sample_weights, include_last_offset=include_last_offset, "
        "padding_idx=padding_idx)",
        reject={
            "max_norm": "divide the rows that are too long by their norm before",
            "scale_grad_by_freq": "divide the gradient by how often each row is used",
        },
        drop=("sparse", "norm_type"),
        example=(
            "F.embedding_bag(index, x)",
            "F.embedding_bag(index, x, mode='max')",
            "F.embedding_bag(index, x, mode='sum', per_sample_weights=y)",
            "F.embedding_bag(index[0], x, torch.tensor([0, 1]), padding_idx=1)",
            "F.embedding_bag(index[0], x, torch.tensor([0, 0]), mode='max')",
        ),
    ),
    Rule(
        "torch.nn.functional.one_hot(tensor, num_classes)",
        "ops.one_hot(tensor, num_classes)",
        mint="mint.nn.functional.one_hot(tensor, num_classes)",
        example=("F.one_hot(index, 4)", "F.one_hot(order, num_classes=3)"),
    ),
    Rule(
        "torch.nn.functional.one_hot(tensor)",
        "compat.one_hot(tensor)",
        mint="mint.nn.functional.one_hot(tensor)",
        example="F.one_hot(index)",
    ),
)

PRODUCTS = missing(
    "multiply the groups one by one with ops.matmul",
    "torch.nn.functional.grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None)",
) + missing(
    "scale the operands and use ops.matmul: MindSpore has no product of scaled float8",
    "torch.nn.functional.scaled_grouped_mm(mat_a, mat_b, scale_a, scale_recipe_a, scale_b, "
    "scale_recipe_b, swizzle_a=None, swizzle_b=None, bias=None, offs=None, "
    "output_dtype=torch.bfloat16, contraction_dim=(), use_fast_accum=False)",
    "torch.nn.functional.scaled_mm(mat_a, mat_b, scale_a, scale_recipe_a, scale_b, "
    "scale_recipe_b, swizzle_a=None, swizzle_b=None, bias=None, output_dtype=torch.bfloat16, "
    "contraction_dim=(), use_fast_accum=False)",
)

DISPATCH = missing(
    "delete it: MindSpore has no __torch_function__, tensors of other classes are not dispatched",
    "torch.nn.functional.handle_torch_function(public_api, relevant_args, *args, **kwargs)",
    "torch.nn.functional.has_torch_function(relevant_args)",
    "torch.nn.functional.has_torch_function_unary(input)",
    "torch.nn.functional.has_torch_function_variadic(*args)",
    "torch.nn.functional.boolean_dispatch(arg_name, arg_index, default, if_true, if_false, "
    "module_name, func_name)",
)

RULES = (*ATTENTION, *EMBEDDINGS, *PRODUCTS, *DISPATCH)
