"""Whole libraries converted and compared: `python benchmarks/migrate_corpora.py torchvision`.

The sources that pip downloads are copied without what is compiled, `msconvert source` converts
the copy, and `msconvert verify` builds and runs each architecture on both sides: the table of
stages is printed. Detectors are converted, not compared. Compiled operators cannot be loaded, nor
converted: the files of STAND_INS take their places, before anything is converted.
"""

from __future__ import annotations

import argparse
import ast
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

from msconvert.api_mapping.source.output import write_tree
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings as Conversion
from msconvert.api_mapping.table.target import Target
from msconvert.benchmarks import corpora_page
from msconvert.benchmarks.scan import CORPORA, corpus
from msconvert.troubleshooter.verify import CaseResult, Settings, Verification, Verifier, shape_of
from msconvert.troubleshooter.verify.tables import explanations, to_markdown, to_text

STAND_INS = {
    "torchvision/__init__.py": '"""The parts import each other by their names."""\n',
    "torchvision/extension.py": (
        "def _has_ops():\n    return False\n\n\n"
        'def _assert_has_ops():\n    raise RuntimeError("compiled operators are left out")\n'
    ),
    "torchvision/ops/_register_onnx_ops.py": "def _register_custom_op():\n    pass\n",
    "timm/data/__init__.py": "from .constants import *\nfrom .config import resolve_data_config\n",
}
"""What loads compiled code or the data, and what stands in its place on both sides."""

SEEDS = 3
NEEDED = {"torchvision": (), "timm": ("torchvision",)}
"""What the original imports, and is not converted with it."""
LEFT_OUT = {"torchvision": ("datasets", "io"), "timm": ("data/_info",)}
"""Folders that need what is compiled, and that no architecture needs."""

TOO_LARGE = (
    *(r"regnet_y_128gf", r"vit_h_14", r"vit_l_\d+", r"convnext_large", r"swin\w*_b", r"vgg\w+"),
    *(r"resnext101_\w+", r"wide_resnet101_2", r"regnet_._32gf", r"efficientnet_(b7|v2_l)"),
)
"""Architectures that have smaller relatives of the same code, and would take minutes."""

SMALL_ENOUGH = ("vgg11", "vgg11_bn")


@dataclass(frozen=True)
class Way:
    """How the architectures whose names match are called, and with what."""

    names: str
    arguments: str = "weights=None, num_classes=10"
    shapes: tuple[str, ...] = ("4,3,64,64",)


SEGMENTATION = "weights=None, weights_backbone=None, num_classes=10"
WAYS = {
    "torchvision": (
        Way(r"inception_v3|googlenet", shapes=("2,3,96,96",)),
        Way(r"vit_\w+", "weights=None, num_classes=10, image_size=64"),
        Way(r"maxvit_t", shapes=("1,3,224,224",)),
        Way(r"raft_\w+", "weights=None", ("1,3,128,128", "1,3,128,128")),
        Way(r"fcn_\w+|deeplabv3_\w+|lraspp_\w+", SEGMENTATION),
        Way(r"s3d", shapes=("1,3,16,224,224",)),
        Way(r"r3d_18|mc3_18|r2plus1d_18", shapes=("1,3,16,64,64",)),
        Way(r"mvit_\w+", "weights=None, num_classes=10", ("1,3,16,224,224",)),
        Way(r"swin3d_\w+", shapes=("1,3,8,64,64",)),
        Way(r".+"),
    ),
    "timm": (
        Way(r"levit_\w+", "num_classes=10, img_size=128", ("4,3,128,128",)),
        Way(r"tiny_vit_\w+", "num_classes=10", ("4,3,128,128",)),
        Way(
            r"(vit|deit|swin|cait|xcit|levit|pit|coat|convit|gmlp|mixer|resmlp|eva02|twins|"
            r"gcvit|tnt|visformer|efficientformerv2)_\w+",
            "num_classes=10, img_size=64",
        ),
        Way(r".+", "num_classes=10"),
    ),
}

TIMM = (
    *("resnet18", "resnet26d", "resnext50_32x4d", "resnetv2_18", "skresnet18", "resnest14d"),
    *("legacy_seresnet18", "regnetx_002", "regnety_002", "densenet121", "dla34", "dpn48b"),
    *("hrnet_w18_small", "ese_vovnet19b_slim_dw", "cs3darknet_s", "hgnetv2_b0", "repvgg_a0"),
    *("efficientnet_b0", "efficientnet_lite0", "mobilenetv2_035", "mobilenetv3_small_050"),
    *("mobilenetv4_conv_small_050", "mnasnet_small", "rexnet_100", "ghostnet_050", "lcnet_050"),
    *("repghostnet_050", "repvit_m0_9", "starnet_s050", "nf_regnet_b0"),
    *("convnext_atto", "convnextv2_atto", "inception_next_atto", "edgenext_xx_small"),
    *("efficientvit_b0", "fastvit_t8", "mobilevit_xxs", "mobilevitv2_050", "poolformer_s12"),
    *("mambaout_femto", "pvt_v2_b0", "shvit_s1", "efficientformerv2_s0", "tiny_vit_5m_224"),
    *("vit_tiny_patch16_224", "deit_tiny_patch16_224", "eva02_tiny_patch14_224"),
    *("swin_tiny_patch4_window7_224", "cait_xxs24_224", "xcit_nano_12_p16_224", "levit_128s"),
    *("pit_ti_224", "convit_tiny", "coat_lite_tiny", "gmlp_ti16_224", "mixer_s32_224"),
)
"""Small ones of its families."""


@dataclass(frozen=True)
class Architecture:
    """A function that makes a network, and the file that has it."""

    name: str
    file: Path
    way: Way

    @property
    def call(self) -> str:
        return f"{self.name.removeprefix('quantized_')}({self.way.arguments})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=[*LEFT_OUT])
    parser.add_argument("names", nargs="*", help="architectures, as regular expressions")
    parser.add_argument("--target", choices=["bundled", "mindspore"], default="bundled")
    parser.add_argument("--python-mindspore", help="the Python that has MindSpore")
    parser.add_argument("--markdown", type=Path, help="write a page, too")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for each step")
    parser.add_argument("--no-train", action="store_true", help="compare outputs only")
    parser.add_argument("--record", action="store_true", help="write docs/corpora.md, too")
    arguments = parser.parse_intermixed_args()
    settings = Settings(
        train=not arguments.no_train,
        target=arguments.target,
        python_mindspore=arguments.python_mindspore,
        timeout_s=arguments.timeout,
    )
    with tempfile.TemporaryDirectory(prefix="migrate_corpora") as folder:
        both = converted(arguments.library, Path(folder), Target(arguments.target))
        cases = []
        for each in compared(arguments.library, both, arguments.names, settings):
            cases.append(each.case)
            if arguments.record:
                record(arguments.library, settings, each)
    found = Verification(tuple(cases))
    print(to_text(found))
    for why in explanations(found):
        print(why.text, end="\n\n")
    if arguments.markdown is not None:
        arguments.markdown.write_text(to_markdown(found))
    return 0


def converted(library: str, folder: Path, target: Target) -> tuple[Path, Path]:
    """The copy of the library, and what is made of it."""
    original, other = folder / "original" / library, folder / "converted" / library
    copy(library, original)
    started = time.perf_counter()
    write_tree(convert_paths((original,), Conversion(target), ()), other)
    print(f"{library} converted in {time.perf_counter() - started:.0f} s")
    for needed in NEEDED[library]:
        copy(needed, original.parent / needed)
    return original, other


def copy(library: str, to: Path) -> None:
    """The sources of a library as pip downloads them, with their stand-ins."""
    left_out = {(corpus(library) / library / part).resolve() for part in LEFT_OUT[library]}

    def ignored(at: str, names: list[str]) -> list[str]:
        inner = {name for name in names if (Path(at) / name).resolve() in left_out}
        return [n for n in names if n in inner or n == "__pycache__" or n.endswith(".so")]

    shutil.copytree(corpus(library) / library, to, ignore=ignored)
    for name, text in STAND_INS.items():
        if name.startswith(f"{library}/"):
            (to.parent / name).write_text(text)


@dataclass(frozen=True)
class Compared:
    """What became of an architecture, and the seed with which."""

    architecture: Architecture
    case: CaseResult
    seed: int


def compared(
    library: str, both: tuple[Path, Path], names: list[str], settings: Settings
) -> Iterator[Compared]:
    """The result of each architecture, told as it is there."""
    with Verifier() as verifier:
        for each in chosen(library, both[0], names):
            found, seed = repeated(verifier, each, both, settings)
            stages = " ".join(f"{s.stage}:{s.status}" for s in found.stages[1:])
            print(f"{each.name}: {stages} {found.seconds:.0f} s", file=sys.stderr, flush=True)
            yield Compared(each, replace(found, original=library, name=each.name), seed)


def record(library: str, settings: Settings, each: Compared) -> None:
    """Puts a result into the record of docs/corpora.md."""
    versions = {library: CORPORA[library], "PyTorch": version("torch")}
    if settings.target == "mindspore":
        versions["MindSpore"] = version_of_mindspore(settings.python_mindspore or sys.executable)
    inputs = " and ".join(each.architecture.way.shapes)
    result = corpora_page.result_of(each.case, inputs, each.seed)
    corpora_page.add(library, settings.target, versions, each.architecture.name, result)


@cache
def version_of_mindspore(python: str) -> str:
    code = "import importlib.metadata as m; print(m.version('mindspore'))"
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repeated(
    verifier: Verifier, each: Architecture, both: tuple[Path, Path], settings: Settings
) -> tuple[CaseResult, int]:
    """The result with the first seed with which it is equal, else with the last one; the seed.

    An activation that rounding puts on the other side of zero, behind a norm over few values,
    changes all gradients before it; with another seed it is another one, or none.
    """
    shapes = tuple(shape_of(text) for text in each.way.shapes)
    other = both[1] / each.file.relative_to(both[0])
    for seed in range(SEEDS):
        wanted = replace(settings, calls=(each.call,), shapes=shapes, seed=seed)
        (found,) = verifier.verify(each.file, other, wanted).cases
        failure = found.first_failure
        if failure is None or failure.stage not in ("gradients", "step"):
            break
    return found, seed


def chosen(library: str, original: Path, names: list[str]) -> Iterator[Architecture]:
    """The architectures to compare: those asked for, in their order, else the small ones."""
    files = dict(constructors(library, original))
    small = [n for n in sorted(files) if is_small(n) and (library != "timm" or n in TIMM)]
    asked = [n for pattern in names for n in sorted(files) if re.fullmatch(pattern, n)]
    for name in dict.fromkeys(asked if names else small):
        plain = name.removeprefix("quantized_")
        way = next(way for way in WAYS[library] if re.fullmatch(way.names, plain))
        yield Architecture(name, files[name], way)


def is_small(name: str) -> bool:
    is_large = any(re.fullmatch(pattern, name) for pattern in TOO_LARGE)
    return name in SMALL_ENOUGH or not is_large


def constructors(library: str, original: Path) -> Iterator[tuple[str, Path]]:
    """The functions that are decorated as the library's architectures, with their files."""
    for file in (original / "models").rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in tree.body if "detection" not in file.parts else ():
            marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", ())]
            if isinstance(node, ast.FunctionDef) and any("register_model" in m for m in marks):
                name = f"quantized_{node.name}" if "quantization" in file.parts else node.name
                yield name, file


if __name__ == "__main__":
    sys.exit(main())
