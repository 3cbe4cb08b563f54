"""Makes the ONNX files of the list, with the Python that has PyTorch: `python making.py FOLDER`.

Each line of the input names a network; a fork makes its file, inputs of two sizes and the facts of
its weights, in a folder of its own, and the line that answers is its exit status.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
import warnings
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch
import training
from later import LATER
from listed import (
    CONTROL,
    FINE_TUNED,
    GALLERY,
    NETWORKS,
    Input,
    Network,
    folder_of,
    networks_of,
)
from torch import nn

SECONDS = 600
MEMORY = 6 << 30

BERT = {
    "vocab_size": 60,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 40,
}
LLAMA = {**BERT, "num_key_value_heads": 4}
BART = {
    "vocab_size": 60,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_position_embeddings": 40,
    "decoder_start_token_id": 1,
}
VIT = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "image_size": 32,
    "patch_size": 8,
}
SPEECH = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 20,
    "intermediate_size": 64,
    "conv_dim": (8, 8, 8),
    "conv_stride": (5, 4, 4),
    "conv_kernel": (10, 8, 4),
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
}


class Field(nn.Module):
    """One field of what a network gives in a dictionary."""

    def __init__(self, network: nn.Module, field: str) -> None:
        super().__init__()
        self.network, self.field = network, field

    def forward(self, x: Any) -> Any:
        return self.network(x)[self.field]


class Heads(nn.Module):
    """A detector without what selects boxes: backbone, pyramid, and its heads over all levels."""

    def __init__(self, detector: Any) -> None:
        super().__init__()
        self.backbone, self.head = detector.backbone, detector.head

    def forward(self, x: Any) -> Any:
        return tuple(self.head(list(self.backbone(x).values())).values())


def hf(name: str, *configs: dict[str, Any], **settings: Any) -> nn.Module:
    """A model of transformers with a small configuration of its own class."""
    import transformers

    kind = getattr(transformers, name)
    every = {k: v for c in configs for k, v in c.items()} | settings
    config = kind.config_class(**every)
    config.use_cache = False
    model: nn.Module = kind(config)
    return model


def declare_torchvision() -> None:
    """Its operators, where its compiled part does not fit the PyTorch that is there."""
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    declare_torchvision.kept = library  # type: ignore[attr-defined]  # it ends with its object


def names(library: str) -> dict[str, Any]:
    """What the expressions of a library's rows are read with."""
    if library == "own":
        import own

        return {"own": own}
    if library == "looping":
        import looping

        return {"looping": looping}
    try:
        import torchvision
    except RuntimeError:
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        declare_torchvision()
        import torchvision
    import timm

    models = torchvision.models
    found: dict[str, Any] = {"tv": models, "tvm": models, "timm": timm, "hf": hf}
    found |= {"Field": Field, "Heads": Heads, "BERT": BERT, "LLAMA": LLAMA, "BART": BART}
    return found | {"VIT": VIT, "SPEECH": SPEECH}


def trained(module: nn.Module) -> nn.Module:
    """The network in inference, no two of its tensors equal: exporters keep equal ones once."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.is_floating_point():
                parameter.add_(torch.randn_like(parameter) * 0.05)
        for name, buffer in module.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(std=0.2)
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
    return module.eval()


def value(item: Input, choice: int, half: bool) -> np.ndarray[Any, Any]:
    """What an input is given; halves where the network computes in them."""
    rng = np.random.default_rng([choice, *item.name.encode()])
    shape = item.shape(choice)
    if item.kind == "numbers":
        return rng.standard_normal(shape, np.float32).astype(np.float16 if half else np.float32)
    if item.kind == "mask":
        mask = np.ones(shape, np.int64)
        mask[-1, -2:] = 0
        return mask
    if item.kind == "sign":
        return (rng.random(shape) < 0.6).astype(np.float32)
    return rng.integers(0, int(item.kind.removeprefix("below ")), shape)


def called(module: nn.Module, arguments: dict[str, torch.Tensor], by_name: bool) -> set[str]:
    """The paths of the modules that a run calls; all where torch.cond compiles, hooks and all."""
    seen: set[str] = set()
    hooks = [
        inner.register_forward_hook(lambda *_, path=path: seen.add(path))
        for path, inner in module.named_modules(remove_duplicate=False)
    ]
    try:
        with torch.no_grad():
            module(**arguments) if by_name else module(*arguments.values())
    except torch._dynamo.exc.TorchDynamoException:
        seen.update(path for path, _ in module.named_modules(remove_duplicate=False))
    for hook in hooks:
        hook.remove()
    return seen


def fingerprint(array: np.ndarray[Any, Any]) -> str:
    """Of the numbers in any order and shape: what is transposed or reordered has the same."""
    numbers = np.sort(array.astype(np.float32), axis=None)
    return blake2b(numbers.tobytes(), digest_size=12).hexdigest()


def facts(module: nn.Module, seen: set[str]) -> dict[str, Any]:
    """The modules that have weights: kind, whether they are called, and which numbers they hold."""
    modules: dict[str, Any] = {}
    for path, inner in module.named_modules(remove_duplicate=False):
        held = [*inner.named_parameters(recurse=False), *inner.named_buffers(recurse=False)]
        tensors = [t.detach().numpy() for _, t in held if t is not None and t.is_floating_point()]
        if tensors:
            kind = type(inner).__name__
            digests = [fingerprint(t) for t in tensors]
            modules[path] = {"kind": kind, "called": path in seen, "tensors": digests}
    real = [t for t in (*module.parameters(), *module.buffers()) if t.is_floating_point()]
    parameters = sum(p.numel() for p in module.parameters())
    return {"modules": modules, "floats": sum(t.numel() for t in real), "parameters": parameters}


def make(network: Network, folder: Path) -> None:
    """Its file, its inputs and its facts in `folder`."""
    torch.manual_seed(sum(network.name.encode()))
    built = eval(network.build, names(network.library))  # the list is ours
    if network.exporter == "onnxscript":
        write_script(network, built, folder)
        return
    module = trained(built)
    half = network.form == "fp16"
    module = module.half() if half else module
    given = write_inputs(network, folder, half)
    arguments = {name: torch.from_numpy(array) for name, array in given.items()}
    seen = called(module, arguments, network.by_name)
    (folder / "facts.json").write_text(json.dumps(facts(module, seen)))
    (folder / "refused.txt").unlink(missing_ok=True)
    plain = folder / "model.onnx"
    export(network, module, arguments, plain)
    if network.form not in ("fp32", "fp16"):
        plain.rename(folder / "plain.onnx")
        quantise(network, folder)


def write_inputs(network: Network, folder: Path, half: bool) -> dict[str, np.ndarray[Any, Any]]:
    """Writes the inputs of both sizes; returns the first ones."""
    both = [{i.name: value(i, choice, half) for i in network.inputs} for choice in (0, 1)]
    for choice, arrays in enumerate(both):
        np.savez(folder / f"inputs_{choice}.npz", **arrays)
    return both[0]


def write_script(network: Network, function: Any, folder: Path) -> None:
    """A function of onnxscript is a file already, and has no modules."""
    import onnx

    write_inputs(network, folder, half=False)
    (folder / "facts.json").write_text(json.dumps({"modules": {}, "floats": 0, "parameters": 0}))
    onnx.save(function.to_model_proto(), folder / "model.onnx")


def export(
    network: Network, module: nn.Module, arguments: dict[str, torch.Tensor], path: Path
) -> None:
    """By the network's exporter, its named axes dynamic if it says so."""
    dynamic = {item.name: item.dynamic for item in network.inputs} if network.dynamic else None
    given: dict[str, Any] = {"input_names": list(arguments)}
    positional: tuple[Any, ...] = tuple(arguments.values())
    if network.exporter == "legacy":
        if network.scripted:
            module = torch.jit.script(module)
        if network.by_name:
            take_in_order(module, list(arguments))
        given |= {"dynamo": False, "dynamic_axes": dynamic, "opset_version": 17}
        if dynamic is not None:  # its outputs have these axes, too, as users would find out
            given["dynamic_axes"] = {name: axes for name, axes in dynamic.items() if axes}
    else:
        if network.by_name:
            positional, given["kwargs"] = (), arguments
        shapes: Any = None
        if dynamic is not None:
            shapes = dynamic if network.by_name else tuple(dynamic.values())
        given |= {"dynamo": True, "dynamic_shapes": shapes, "verbose": False}
        given["external_data"] = False
    with torch.no_grad():
        torch.onnx.export(module, positional, path, **given)


def take_in_order(module: nn.Module, names: list[str]) -> None:
    """Lets the network take its inputs without their names, and give a tuple of tensors."""
    original = module.forward

    def forward(*tensors: Any) -> Any:
        found = original(**dict(zip(names, tensors, strict=True)))
        values = found.values() if isinstance(found, dict) else found
        return tuple(value for value in values if isinstance(value, torch.Tensor))

    module.forward = forward  # type: ignore[method-assign]


def quantise(network: Network, folder: Path) -> None:
    """`plain.onnx` as ONNX Runtime's quantiser writes it."""
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_dynamic,
        quantize_static,
    )

    source, target = folder / "plain.onnx", folder / "model.onnx"
    if network.form == "dynamic int8":
        quantize_dynamic(source, target, weight_type=QuantType.QInt8)
        return
    with np.load(folder / "inputs_0.npz") as arrays:
        samples = iter([{name: arrays[name] for name in arrays.files}])

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        def get_next(self) -> Any:
            return next(samples, None)

    form = QuantFormat.QDQ if network.form == "QDQ" else QuantFormat.QOperator
    quantize_static(
        source, target, Reader(), quant_format=form, per_channel=form == QuantFormat.QDQ
    )


def fine_tune(network: Network, folder: Path) -> None:
    """The losses of PyTorch itself, fine-tuned as training.py does it with what is converted."""
    torch.manual_seed(sum(network.name.encode()))
    module = trained(eval(network.build, names(network.library)))  # the list is ours
    arguments = {i.name: torch.from_numpy(value(i, 0, half=False)) for i in network.inputs}

    def output() -> Any:
        found = module(**arguments) if network.by_name else module(*arguments.values())
        values = list(found.values()) if isinstance(found, dict) else found
        return values if isinstance(values, torch.Tensor) else values[0]

    wanted = torch.from_numpy(training.target(tuple(output().shape)))
    optimizer = torch.optim.SGD(module.parameters(), training.RATE)
    found = []
    for _ in range(training.STEPS):
        loss = ((output() - wanted) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(float(loss.detach()))
    (folder / "losses.json").write_text(json.dumps(found))


def answer(network: Network, root: Path) -> int:
    """The exit status of a fork that makes it, within its limits."""
    folder = root / folder_of(network)
    folder.mkdir(parents=True, exist_ok=True)
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        log = os.open(folder / "making.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        warnings.simplefilter("ignore")
        try:
            make(network, folder)
            if network.name in FINE_TUNED:
                fine_tune(network, folder)
        except BaseException as error:  # noqa: BLE001 - the fork ends with it
            traceback.print_exc()
            said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            (folder / "refused.txt").write_text(said)
            (folder / "model.onnx").unlink(missing_ok=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # no exporter has its operators
    rows = (*NETWORKS, *networks_of(*LATER), *CONTROL, *GALLERY)
    root, listed = Path(sys.argv[1]), {one.name: one for one in rows}
    asked = [listed[line.strip()] for line in sys.stdin]
    libraries = {network.library for network in asked}
    if "transformers" in libraries:
        import transformers

        transformers.logging.set_verbosity_error()
    for library in libraries:
        names(library)  # imported once, before the forks
    for network in asked:
        print(answer(network, root), flush=True)


if __name__ == "__main__":
    main()
