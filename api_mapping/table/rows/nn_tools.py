"""torch.nn: gradients, sequences, fusion, parallel modules, and names that are modules."""

from dataclasses import replace

from ..families import missing
from ..rule import Rule

UTILS = "torch.nn.utils"

GRADS = "The gradients that value_and_grad gives are clipped, under the name of `grads`."


def clipping(signature: str, target: str, arguments: str, *, returns: str = "tensor") -> Rule:
    """The row of a function that changes the gradients of parameters in place."""
    name = signature.partition("(")[0]
    return Rule(
        f"{UTILS}.{signature}",
        target,
        note=GRADS,
        reject={"error_if_nonfinite": "test the norm that is returned"}
        if "error_if_nonfinite" in signature
        else {},
        drop=("parameters",),
        returns=returns,
        example=tuple(
            "train(lambda params: optim.SGD(params, lr=0.1), step=lambda optimizer, grads: "
            f"(nn.utils.{name}(optimizer.param_groups[0]['params'], {given}), optimizer.step()))"
            for given in arguments.split("; ")
        ),
    )


GRADIENTS = (
    *(
        clipping(
            f"{name}(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None)",
            "compat.clip_grad_norm_(grads, max_norm, norm_type=norm_type)",
            "0.5; max_norm=100.0; 0.3, norm_type=1.0; 0.3, float('inf')",
        )
        for name in ("clip_grad_norm_", "clip_grad_norm")
    ),
    clipping(
        "clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None)",
        "compat.clip_grads_with_norm_(grads, max_norm, total_norm)",
        "0.5, torch.tensor(2.0)",
        returns="none",
    ),
    clipping(
        "clip_grad_value_(parameters, clip_value, foreach=None)",
        "compat.clip_grad_value_(grads, clip_value)",
        "0.25",
        returns="none",
    ),
    Rule(
        f"{UTILS}.get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None)",
        "compat.total_norm(tensors, norm_type=norm_type)",
        returns="tensor",
        example=(
            "nn.utils.get_total_norm([x, y])",
            "nn.utils.get_total_norm((x, v), 1.0)",
            'nn.utils.get_total_norm([x, v], norm_type=float("inf"))',
        ),
    ),
    Rule(
        f"{UTILS}.parameters_to_vector(parameters)",
        "ops.cat([p.reshape(-1) for p in parameters])",
        returns="tensor",
        example=(
            "nn.utils.parameters_to_vector([x, v])",
            "layer = nn.Linear(4, 3)\nnn.utils.parameters_to_vector(layer.parameters())",
        ),
    ),
    Rule(
        f"{UTILS}.vector_to_parameters(vec, parameters)",
        "compat.vector_to_parameters(vec, parameters)",
        returns="none",
        example="layer = nn.Linear(2, 1)\n"
        "nn.utils.vector_to_parameters(v[:3], layer.parameters())\nlayer.bias * 1",
    ),
)

ELEMENTS = {
    "float": "ms.float32",
    "double": "ms.float64",
    "half": "ms.float16",
    "long": "ms.int64",
    "int": "ms.int32",
    "short": "ms.int16",
    "char": "ms.int8",
    "byte": "ms.uint8",
}
FLOATS = "padding_value=0.0, padding_side="
RNN = f"{UTILS}.rnn"
PACK = "nn.utils.rnn."
PACKED = "A class of the compat module, with PyTorch's layout; nn.Cell knows nothing of it."
IT = f"it = {PACK}pack_sequence([v, v[:2]])\n"


def of_packed(name: str, target: str, returns: str, example: str = "") -> Rule:
    """The row of an attribute or method of packed sequences."""
    return Rule(
        f"{RNN}.PackedSequence.{name}",
        target,
        note=PACKED,
        returns=returns,
        example=IT + (example or f"it.{name}"),
    )


PARTS_OF_PACKED = (
    *(of_packed(name, f"self.{name}", "tensor") for name in ("data", "batch_sizes")),
    *(
        of_packed(f"{name}_indices", f"self.{name}_indices", "tensor", f"it.{name}_indices is None")
        for name in ("sorted", "unsorted")
    ),
    of_packed(
        "_replace(self, **fields)",
        "self._replace(**fields)",
        "other",
        "it._replace(data=it.data * 2).data",
    ),
    of_packed("is_cuda", 'self.data.device != "CPU"', "bool"),
    of_packed("cpu(self)", "self", "other", "it.cpu().data"),
    of_packed("pin_memory(self)", "self", "other", "it.cpu().data"),
    of_packed("cuda(self, *args, **kwargs)", "self", "other", "it.cpu().data"),
    *(
        of_packed(f"{name}(self)", f"self.to({dtype})", "other", f"it.{name}().data")
        for name, dtype in ELEMENTS.items()
    ),
    of_packed(
        "to(self, *args)", "self.to(spread(args))", "other", 'it.to("cpu").to(torch.float64).data'
    ),
)

SEQUENCES = (
    Rule(
        f'{UTILS}.rnn.pad_sequence(sequences, batch_first=False, {FLOATS}"right")',
        "compat.pad_sequence(sequences, batch_first=batch_first, padding_value=padding_value, "
        "padding_side=padding_side)",
        returns="tensor",
        example=(
            "nn.utils.rnn.pad_sequence([v, v[:2], v[:3]])",
            "nn.utils.rnn.pad_sequence([x, x[:2]], batch_first=True, padding_value=-1.0)",
            "nn.utils.rnn.pad_sequence([words[0], words[1, :2]], True, 9)",
            'nn.utils.rnn.pad_sequence([v, v[:2]], padding_side="left")',
        ),
    ),
    Rule(
        f"{UTILS}.rnn.unpad_sequence(padded_sequences, lengths, batch_first=False)",
        "compat.unpad_sequence(padded_sequences, lengths, batch_first=batch_first)",
        returns="tensors",
        example=(
            "nn.utils.rnn.unpad_sequence(x, order[:3] + 1, batch_first=True)",
            "nn.utils.rnn.unpad_sequence(a.swapaxes(0, 1), order[:2])",
        ),
    ),
    Rule(
        f"{RNN}.pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True)",
        "compat.pack_padded_sequence(input, lengths, batch_first=batch_first, "
        "enforce_sorted=enforce_sorted)",
        note=PACKED,
        example=(
            f"{PACK}pack_padded_sequence(a, [2, 2, 1]).data",
            f"it = {PACK}pack_padded_sequence(x, order + 1, True, enforce_sorted=False)\n"
            "it.data, it.batch_sizes, it.sorted_indices, it.unsorted_indices",
            f"{PACK}pack_padded_sequence(words, torch.tensor([3, 1]), batch_first=True)[0]",
        ),
    ),
    Rule(
        f"{RNN}.pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, "
        "total_length=None)",
        "compat.pad_packed_sequence(sequence, batch_first=batch_first, "
        "padding_value=padding_value, total_length=total_length)",
        returns="tensors",
        example=(
            f"{PACK}pad_packed_sequence({PACK}pack_sequence([v, v[:2]]))",
            f"it = {PACK}pack_sequence([x[:1], x, x[:2]], enforce_sorted=False)\n"
            f"{PACK}pad_packed_sequence(it, batch_first=True, padding_value=-1, total_length=5)",
        ),
    ),
    Rule(
        f"{RNN}.pack_sequence(sequences, enforce_sorted=True)",
        "compat.pack_sequence(sequences, enforce_sorted=enforce_sorted)",
        note=PACKED,
        example=(
            f"it = {PACK}pack_sequence([v, v[:2], v[:2]])\nit.data, it.batch_sizes",
            f"{PACK}pack_sequence([x[:1], x], enforce_sorted=False)[0]",
        ),
    ),
    Rule(
        f"{RNN}.unpack_sequence(packed_sequences)",
        "compat.unpack_sequence(packed_sequences)",
        returns="tensors",
        example=f"{PACK}unpack_sequence({PACK}pack_sequence([v[:2], v], False))",
    ),
    Rule(
        f"{RNN}.PackedSequence(data, batch_sizes=None, sorted_indices=None, unsorted_indices=None)",
        "compat.PackedSequence(data, batch_sizes, sorted_indices=sorted_indices, "
        "unsorted_indices=unsorted_indices)",
        note=PACKED,
        example=(
            f"it = {PACK}pack_sequence([v, v[:2]])\n"
            f"{PACK}PackedSequence(it.data * 2, it.batch_sizes).data",
            f"it = {PACK}pack_sequence([v[:1], v], False)\n"
            f"{PACK}PackedSequence(it.data, it.batch_sizes, it.sorted_indices).unsorted_indices",
        ),
    ),
    *PARTS_OF_PACKED,
    Rule(
        f"{UTILS}.rnn.invert_permutation(permutation)",
        "ops.argsort(permutation).astype(ms.int64)",
        returns="tensor",
        example="nn.utils.rnn.invert_permutation(order)",
    ),
)

FUSED = (
    Rule(
        f"{UTILS}.fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, "
        "transpose=False)",
        "compat.fused_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, "
        "transpose=transpose)",
        returns="tensors",
        example=(
            "nn.utils.fuse_conv_bn_weights(m[:, :, None], v, w, w.abs(), 1e-3, v * 2, w * 3)",
            "nn.utils.fuse_conv_bn_weights(m, None, w, w.abs(), 1e-5, None, None, transpose=True)",
        ),
    ),
    Rule(
        f"{UTILS}.fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)",
        "compat.fused_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)",
        returns="tensors",
        example="nn.utils.fuse_linear_bn_weights(m, None, w, w.abs(), 1e-3, v * 2, w * 3)",
    ),
    *missing(
        "fold the norm into the weights: compat.fused_weights(layer.weight, layer.bias, "
        "bn.moving_mean, bn.moving_variance, bn.eps, bn.gamma, bn.beta)",
        f"{UTILS}.fuse_conv_bn_eval(conv, bn, transpose=False)",
        f"{UTILS}.fuse_linear_bn_eval(linear, bn)",
    ),
    *(
        Rule(
            f"{UTILS}.convert_conv{axes}d_weight_memory_format(module, memory_format)",
            "module",
            note="MindSpore chooses the layout of memory itself.",
            drop=("memory_format",),
            returns="module",
            example=f"nn.utils.convert_conv{axes}d_weight_memory_format(nn.ReLU(), "
            "torch.contiguous_format)(x)",
        )
        for axes in (2, 3)
    ),
    *missing(
        "build the layer as usual: initial values cost little",
        f"{UTILS}.skip_init(module_cls, *args, **kwargs)",
    ),
)

PROCESSES = (
    "One process drives one device: set_auto_parallel_context(parallel_mode="
    '"data_parallel", gradients_mean=True), started by msrun; `model.module` is the model.'
)
WRAPPED = {"module.weight": "weight", "module.bias": "bias"}
DISTRIBUTED = (
    "(module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync=True, "
    "process_group=None, bucket_cap_mb=None, find_unused_parameters=False, "
    "check_reduction=False, gradient_as_bucket_view=False, static_graph=False)"
)
SETTINGS = (
    *("device_ids", "output_device", "dim", "broadcast_buffers", "init_sync", "bucket_cap_mb"),
    *("find_unused_parameters", "check_reduction", "gradient_as_bucket_view", "static_graph"),
)

PARALLEL = (
    Rule(
        "torch.nn.parallel.data_parallel(module, inputs, device_ids=None, output_device=None, "
        "dim=0, module_kwargs=None)",
        "module(inputs)",
        note=PROCESSES,
        drop=("device_ids", "output_device", "dim"),
        reject={"module_kwargs": "call the module with them"},
        platform="several processes",
    ),
    *(
        Rule(
            f"torch.nn.{path}(module, device_ids=None, output_device=None, dim=0)",
            "module",
            note=PROCESSES,
            drop=("device_ids", "output_device", "dim"),
            state=WRAPPED,
            example="nn.DataParallel(nn.Linear(4, 3))(x)",
        )
        for path in ("DataParallel", "parallel.DataParallel")
    ),
    *(
        Rule(
            f"torch.nn.parallel.{path}{DISTRIBUTED}",
            "module",
            note=PROCESSES,
            drop=SETTINGS,
            reject={"process_group": "data parallel training is of all processes"},
            platform="several processes",
        )
        for path in ("DistributedDataParallel", "distributed.DistributedDataParallel")
    ),
    *(
        Rule(
            f"torch.nn.{path}.module",
            "self",
            note="There is no wrapper: the module is itself.",
            returns="module",
            state=WRAPPED,
            example="it = nn.DataParallel(nn.Linear(4, 3))\nit.module(x)"
            if path == "DataParallel"
            else (),
            platform="" if path == "DataParallel" else "several processes",
        )
        for path in ("DataParallel", "parallel.DataParallel", "parallel.DistributedDataParallel")
    ),
    *missing(
        "one process drives one device: call the module, and start several processes by msrun",
        "torch.nn.parallel.gather(outputs, target_device, dim=0)",
        "torch.nn.parallel.parallel_apply(modules, inputs, kwargs_tup=None, devices=None)",
        "torch.nn.parallel.scatter(inputs, target_gpus, dim=0)",
    ),
)

PRIVATE = (
    Rule(
        "torch.nn.modules.batchnorm._BatchNorm",
        "(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)",
        note="A tuple for isinstance: it is no class to inherit from.",
        example="isinstance(nn.BatchNorm2d(3), nn.modules.batchnorm._BatchNorm)",
    ),
    Rule(
        "torch.nn.modules.instancenorm._InstanceNorm",
        "nn.GroupNorm",
        note="What InstanceNorm is written as; other GroupNorms are of that class, too.",
        example="isinstance(nn.InstanceNorm2d(3), nn.modules.instancenorm._InstanceNorm)",
    ),
    Rule(
        "torch.nn.modules.batchnorm._NormBase",
        "(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.GroupNorm)",
        note="A tuple for isinstance; InstanceNorm is written as GroupNorm.",
        example="isinstance(nn.InstanceNorm2d(3), nn.modules.batchnorm._NormBase)",
    ),
    Rule(
        "torch.nn.modules.conv._ConvNd",
        "(nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Conv1dTranspose, nn.Conv2dTranspose, "
        "nn.Conv3dTranspose)",
        note="A tuple for isinstance: it is no class to inherit from.",
        example="isinstance(nn.Conv2d(1, 2, 1), nn.modules.conv._ConvNd)",
    ),
    Rule(
        "torch.nn.modules.conv._ConvTransposeNd",
        "(nn.Conv1dTranspose, nn.Conv2dTranspose, nn.Conv3dTranspose)",
        note="A tuple for isinstance: it is no class to inherit from.",
        example="isinstance(nn.Conv2d(1, 2, 1), nn.modules.conv._ConvTransposeNd)",
    ),
    Rule(
        "torch.nn.modules.dropout._DropoutNd",
        "(nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)",
        note="A tuple for isinstance: it is no class to inherit from.",
        example="isinstance(nn.Dropout2d(0.1), nn.modules.dropout._DropoutNd)",
    ),
    Rule(
        "torch.nn.modules.linear.NonDynamicallyQuantizableLinear(in_features, out_features, "
        "bias=True, device=None, dtype=None)",
        "nn.Dense(in_features, out_features, has_bias=bias, dtype=element_type(dtype))",
        example="nn.modules.linear.NonDynamicallyQuantizableLinear(4, 3)(x)",
    ),
    Rule(
        "torch.nn.modules.loss._Loss",
        "nn.LossBase",
        note="Its method for the reduction is get_loss(x).",
        example="isinstance(nn.Linear(4, 3), nn.modules.loss._Loss)",
    ),
    Rule(
        "torch.nn.modules.utils._pair(x)",
        "compat.pair(x)",
        returns="other",
        example=("nn.modules.utils._pair(3)", "nn.modules.utils._pair((1, 2))"),
    ),
    *missing(
        "compute the logits by nn.Dense, and ops.cross_entropy of them",
        "torch.nn.LinearCrossEntropyOptions()",
    ),
    *missing("delete it: pass the arguments themselves", "torch.nn.factory_kwargs(kwargs)"),
    Rule(
        "torch.nn.quantized.FloatFunctional()",
        "compat.FloatFunctional()",
        example=(
            "layer = nn.quantized.FloatFunctional()\nlayer.add(x, y), layer.mul(x, 2 * y)",
            "layer = nn.quantized.FloatFunctional()\nlayer.cat([x, y], dim=1)",
            "layer = nn.quantized.FloatFunctional()\n"
            "layer.add_relu(x, y), layer.add_scalar(x, 2.0)",
            "layer = nn.quantized.FloatFunctional()\nlayer.matmul(x, m), layer.mul_scalar(x, 3.0)",
        ),
    ),
    *missing(
        "import the names that are used: each has a row of its own",
        *(
            f"torch.nn.{name}"
            for name in (
                *("attention", "common_types", "grad", "intrinsic", "modules", "parallel"),
                *("parameter", "qat", "quantizable", "quantized", "utils", "utils.rnn"),
                *("utils.parametrizations", "utils.parametrize", "utils.stateless"),
            )
        ),
    ),
)

HOMES = tuple(
    replace(rule, signature=rule.signature.replace(".fuse_", ".fusion.fuse_"))
    for rule in FUSED
    if ".fuse_" in rule.signature
)
"""The same functions by the name of the module that they are in."""

RULES = (*GRADIENTS, *SEQUENCES, *FUSED, *HOMES, *PARALLEL, *PRIVATE)
