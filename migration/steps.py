"""What to do next: for each thing that is left, a line to read and a command to paste."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .comparison import Compared
from .outcome import Fit, Outcome
from .shell import word

MOST = 8
"""So many steps of a kind are told; the report of --json has all of what they are about."""


@dataclass(frozen=True)
class Step:
    """Something to do: why, and the command; "" if there is none."""

    why: str
    command: str = ""


def steps(outcome: Outcome) -> list[Step]:
    """What is left, the gravest first; last, how to run what was written."""
    parts = code(outcome), refused(outcome), networks(outcome), checkpoints(outcome)
    return [step for part in (*parts, surroundings(outcome)) for step in part]


def code(outcome: Outcome) -> Iterator[Step]:
    """What stays PyTorch's, or is not known."""
    output, project = word(outcome.wanted.output), word(outcome.wanted.project)
    conversion = outcome.conversion
    if conversion.failed:
        names = ", ".join(file.scan.path for file in conversion.failed[:MOST])
        yield Step(
            f"mend what could not be converted: {names}", f"msconvert source {project} --check"
        )
    if conversion.marks:
        yield Step("change the marked lines by hand", f"grep -rn '# MS2' {output}")
    if conversion.counts.unknown:
        command = f"msconvert scan {project} --notes --show all"
        yield Step("annotate what msconvert does not know (MS206), and migrate again", command)
    codes = {remark.code for file in conversion.tree.files for remark in file.scan.remarks}
    if "MS237" in codes:
        command = f"msconvert migrate {project} --output {output}_mindspore --target mindspore"
        yield Step("the bundled runtime does not run all of it (MS237): MindSpore does", command)
    if "MS236" in codes:
        yield Step("autocast is full precision now: choose one", "msconvert explain MS236")


def refused(outcome: Outcome) -> Iterator[Step]:
    """Files that are not in the new folder as they should be."""
    for each in outcome.conversion.refused[:MOST]:
        is_weights = each.path.endswith(".safetensors")
        command = f"ls -l {word(each.path)}"
        if is_weights:
            target = outcome.wanted.output / Path(each.path).with_suffix(".ckpt").name
            command = f"msconvert weights {word(each.path)} -o {word(target)} --map MAP"
        yield Step(f"{each.path}: {each.problem}", command)


def networks(outcome: Outcome) -> Iterator[Step]:
    """Networks that differ, or that nobody could run."""
    differing = [found for found in outcome.networks if found.verdict == "differs"]
    for found in differing[:MOST]:
        yield Step(f"find the layer of {found.network.name} that differs", compare(outcome, found))
    if not outcome.wanted.verify:
        pair = f"{word(outcome.wanted.project)} {word(outcome.wanted.output)}"
        yield Step("compare both sides", f"msconvert verify {pair} --shape SIZES")
        return
    others = [found for found in outcome.networks if found.verdict == "not compared"]
    for found in others[:MOST]:
        call = found.call or f"{found.network.name}(...)"
        command = f"{both(outcome, found, 'verify')} --call {word(call)} --shape SIZES"
        yield Step(f"say how {found.network.name} is made and called", command)


def compare(outcome: Outcome, found: Compared) -> str:
    """The command that finds the layer that differs."""
    shapes = "".join(f" --shape {word(shape)}" for shape in found.inputs)
    return f"{both(outcome, found, 'compare')} --call {word(found.call)}{shapes}"


def both(outcome: Outcome, found: Compared, command: str) -> str:
    """A command on the two files of a network."""
    file = found.network.file
    sides = (outcome.wanted.project / file, outcome.wanted.output / file)
    return f"msconvert {command} {word(sides[0])} {word(sides[1])}"


def checkpoints(outcome: Outcome) -> Iterator[Step]:
    """Files of torch.save that are not converted whole."""
    project, output = outcome.wanted.project, outcome.wanted.output
    for saved in outcome.open_checkpoints[:MOST]:
        target = (output / saved.path).with_suffix(".ckpt")
        command = f"msconvert weights {word(project / saved.path)} -o {word(target)}"
        if saved.error is None:
            why = f"{saved.path} is without {', '.join(saved.left_out[:3])}"
            yield Step(
                f"{why}: the new code finds no such key", f"{command} --optimizer NAME --map MAP"
            )
        else:
            yield Step(f"{saved.path}: {saved.error.problem}", f"{command} --map MAP --root CLASS")
    for fit in (fit for fit in outcome.fits if fit.problem):
        yield Step(f"{fit.path}: {fit.problem}", loading(outcome, fit))


def loading(outcome: Outcome, fit: Fit) -> str:
    """The command that lets a network load a checkpoint, to be changed until it does."""
    file, call = fit.file or Path("FILE.py"), fit.call or "NETWORK(...)"
    project, output = outcome.wanted.project, outcome.wanted.output
    target = (output / fit.path).with_suffix(".ckpt")
    names = f"--map {word(project / file)} --net {word(output / file)} --call {word(call)}"
    return f"msconvert weights {word(project / fit.path)} {names} -o {word(target)}"


def surroundings(outcome: Outcome) -> Iterator[Step]:
    """Dependencies, data, and running it."""
    output, project = outcome.wanted.output, outcome.wanted.project
    for changed in (changed for changed in outcome.dependencies if changed.problem):
        yield Step(f"{changed.path}: {changed.problem}", f"$EDITOR {word(output / changed.path)}")
    if outcome.left:
        yield Step(
            "the code's data are where they were", f"ls {word(project / top_of(outcome.left))}"
        )
    pip = [c.path for c in outcome.dependencies if c.changes and c.path.suffix in (".txt", ".in")]
    for path in pip[:1]:
        yield Step("install what it needs now", f"pip install -r {word(output / path)}")
    for script in outcome.scripts[:MOST]:
        folder, name = word(output / script.parent), word(script.name)
        is_module = (project / script.parent / "__init__.py").exists()
        module = f"-m {word('.'.join(script.with_suffix('').parts))}"
        command = (
            f"cd {word(output)} && python {module}"
            if is_module
            else f"cd {folder} && python {name}"
        )
        yield Step(f"run {script}", command)


def top_of(paths: tuple[Path, ...]) -> Path:
    """The folder of the first of the paths."""
    return paths[0].parent
