"""torch.nn.functional: normalisations, distances, dropout."""

from ..rule import Rule

NORMALIZATIONS = (
    Rule(
        "torch.nn.functional.normalize(input, p=2.0, dim=1, eps=1e-12, out=None)",
        "compat.normalize(input, p=p, dim=dim, eps=eps)",
        mint="mint.nn.functional.normalize(input, p=p, dim=dim, eps=eps)",
        example=("F.normalize(x)", "F.normalize(a, p=1, dim=-1)", "F.normalize(a, 3.0, eps=2.0)"),
    ),
    Rule(  # ops.layer_norm has no kernel on the CPU
        "torch.nn.functional.layer_norm(input, normalized_shape, weight=None, bias=None, "
        "eps=1e-05)",
        "compat.layer_norm(input, normalized_shape, weight, bias, eps=eps)",
        mint="mint.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps=eps)",
        example=(
            "F.layer_norm(a, (4,))",
            "F.layer_norm(a, [4], v, w, eps=0.1)",
            "F.layer_norm(a, a.shape[1:], weight=x)",
        ),
    ),
    Rule(  # ops.rms_norm runs on Ascend only
        "torch.nn.functional.rms_norm(input, normalized_shape, weight=None, eps=None)",
        "compat.rms_norm(input, normalized_shape, weight, eps=eps)",
        example=("F.rms_norm(a, (4,))", "F.rms_norm(a, (3, 4), x, eps=0.1)"),
    ),
    Rule(
        "torch.nn.functional.group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)",
        "ops.group_norm(input, num_groups, weight, bias, eps=eps)",
        mint="mint.nn.functional.group_norm(input, num_groups, weight, bias, eps=eps)",
        example=(
            "F.group_norm(image, 3)",
            "F.group_norm(a.swapaxes(1, 2), 2, v, bias=w, eps=0.1)",
        ),
    ),
    Rule(
        "torch.nn.functional.batch_norm(input, running_mean, running_var, weight=None, bias=None, "
        "training=False, momentum=0.1, eps=1e-05)",
        "compat.batch_norm(input, running_mean, running_var, weight, bias, training=training, "
        "momentum=momentum, eps=eps)",
        mint="mint.nn.functional.batch_norm(input, running_mean, running_var, weight, bias, "
        "training=training, momentum=momentum, eps=eps)",
        example=(
            "F.batch_norm(image, v[:3], u[0, :3])",
            "F.batch_norm(x, None, None, v, w, training=True)",
            "mean, var = v + 0, u[0] + 0\n"
            "t = F.batch_norm(e, mean, var, v, w, True, momentum=0.3, eps=0.01)\nt, mean, var",
        ),
    ),
    Rule(
        "torch.nn.functional.instance_norm(input, running_mean=None, running_var=None, "
        "weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05)",
        "compat.instance_norm(input, weight, bias, eps=eps)",
        reject={
            "running_mean": "normalise by F.batch_norm: MindSpore keeps no running mean here",
            "running_var": "normalise by F.batch_norm: MindSpore keeps no running variance here",
            "use_input_stats": "normalise by F.batch_norm with training=False",
        },
        drop=("momentum",),
        example=(
            "F.instance_norm(image)",
            "F.instance_norm(e, weight=v, bias=w, eps=0.1)",
        ),
    ),
    Rule(
        "torch.nn.functional.local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0)",
        "compat.local_response_norm(input, size, alpha=alpha, beta=beta, k=k)",
        example=(
            "F.local_response_norm(image, 2)",
            "F.local_response_norm(signal, 3, alpha=0.5, beta=0.5, k=2.0)",
        ),
    ),
)

DISTANCES = (
    Rule(
        "torch.nn.functional.cosine_similarity(x1, x2, dim=1, eps=1e-08)",
        "compat.cosine_similarity(x1, x2, dim, eps)",
        example=(
            "F.cosine_similarity(x, y)",
            "F.cosine_similarity(a, y, dim=-1, eps=0.001)",
            "F.cosine_similarity(x / 1e8, y[:, :1])",
            "slopes(lambda s, t: F.cosine_similarity(s * (t > 0), t), x, y)",
        ),
    ),
    Rule(
        "torch.nn.functional.pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False)",
        "compat.pairwise_distance(x1, x2, p=p, eps=eps, keepdim=keepdim)",
        example=(
            "F.pairwise_distance(x, y)",
            "F.pairwise_distance(x, y, p=1, eps=0.1, keepdim=True)",
        ),
    ),
    Rule(
        "torch.nn.functional.pdist(input, p=2)",
        "ops.pdist(input, fraction(p))",
        note="MindSpore takes an order of float only.",
        example=("F.pdist(x)", "F.pdist(x, 1)"),
    ),
)


def dropout(axes: str, value: str) -> Rule:
    name = f"dropout{axes}"
    return Rule(
        f"torch.nn.functional.{name}(input, p=0.5, training=True, inplace=False)",
        f"ops.{name}(input, p=p, training=training)",
        mint=f"mint.nn.functional.{name}(input, p=p, training=training)"
        if axes in ("", "2d")
        else "",
        example=(
            f"F.{name}({value}, 0.3)",
            f"F.{name}({value}, p=0.2, training=False)",
            f"F.{name}({value})",
        ),
        check="dtype",
    )


DROPOUTS = (
    dropout("", "x"),
    dropout("1d", "signal"),
    dropout("2d", "image"),
    dropout("3d", "volume"),
    Rule(
        "torch.nn.functional.alpha_dropout(input, p=0.5, training=False, inplace=False)",
        "compat.alpha_dropout(input, p=p, training=training)",
        example=("F.alpha_dropout(x)", "F.alpha_dropout(x, 0.2, training=True)"),
        check="dtype",
    ),
    Rule(
        "torch.nn.functional.feature_alpha_dropout(input, p=0.5, training=False, inplace=False)",
        "compat.alpha_dropout(input, p=p, training=training, by_channel=True)",
        example=(
            "F.feature_alpha_dropout(image)",
            "F.feature_alpha_dropout(image, 0.2, training=True)",
        ),
        check="dtype",
    ),
)

RULES = (*NORMALIZATIONS, *DISTANCES, *DROPOUTS)
