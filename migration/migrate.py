"""Migrates a project: all of it appears in its new folder at once, or nothing does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..api_mapping.source.homes import GUARD
from ..api_mapping.source.outcome import Outcome as Conversion
from ..api_mapping.source.output import check_place, put, umask
from ..api_mapping.source.state_map import class_map_of
from ..api_mapping.source.tree import Tree, convert_paths
from ..api_mapping.table.target import Settings as SourceSettings
from ..api_mapping.table.target import Target
from ..errors import UsageError
from ..formats.names.weight_map import ClassMap
from ..formats.storage.atomic import Transaction, os_failures_told
from ..troubleshooter.verify import Settings as Verify
from .as_markdown import REPORT, to_markdown
from .checkpoints import Saved, converted
from .comparison import Compared, compared
from .fits import Places, fits_of
from .networks import networks_in
from .outcome import Fit, Outcome, Wanted
from .placing import Placing
from .requirements import renewed

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """How a project is migrated; `exclude`: globs of code that stays; `verify`: for comparing."""

    wanted: Wanted
    verify: Verify
    exclude: tuple[str, ...] = ()
    force: bool = False


def migrate(settings: Settings, tell: Tell = lambda step: None) -> Outcome:
    """Writes the whole project anew, and runs its networks on both sides unless that is left out.

    Raises: MS105, MS107 if the folders cannot be what they were named as
    """
    project, output = settings.wanted.project, settings.wanted.output.absolute()
    check_project(project)
    check_place(Tree((project,), (), ()), output, settings.force)
    target = SourceSettings(Target(settings.wanted.target))
    tree = convert_paths((project,), target, settings.exclude, tell)
    with os_failures_told(str(output)), Transaction(force=True) as files:
        staged = Path(files.scratch(output))
        outcome = staged_outcome(tree, staged, settings, tell)
        (staged / REPORT).write_text(to_markdown(outcome), encoding="utf-8")
        staged.chmod(0o777 & ~umask())
        put(files, staged, output)
    return outcome


def check_project(project: Path) -> None:
    """Raises: MS105 if it is no folder"""
    if not os.path.isdir(project):
        problem = "it is a file" if os.path.lexists(project) else "there is no such folder"
        advice = "name the project's folder; msconvert source takes files"
        raise UsageError("MS105", str(project), problem, advice=advice)


def staged_outcome(tree: Tree, staged: Path, settings: Settings, tell: Tell) -> Outcome:
    """Everything in a folder that nobody knows yet, and what came of it."""
    wanted = settings.wanted
    tell("copying")
    placing = Placing(
        staged, tree, wanted.output.absolute(), settings.force, code_only=wanted.code_only
    )
    placing.run()
    top = wanted.project.absolute()
    maps = list(maps_of(tree))
    tell("converting checkpoints")
    saved = [converted(old, new, new.relative_to(staged), maps) for old, new in placing.checkpoints]
    conversion = Conversion(tree, tuple(placing.refused))
    keep = bool(conversion.failed)
    target = Target(wanted.target)
    pairs = [(path, staged / path.relative_to(top)) for path in plain_files(top, staged)]
    found = [renewed(old, new, old.relative_to(top), target, keep) for old, new in pairs]
    networks, fits = judged(tree, staged, saved, maps, settings, tell)
    return Outcome(
        wanted,
        conversion,
        tuple(saved),
        tuple(change for change in found if change is not None),
        tuple(networks),
        tuple(fits),
        tuple(path.absolute().relative_to(top) for path in placing.linked),
        tuple(path.absolute().relative_to(top) for path in placing.left),
        tuple(scripts_in(tree, top)),
    )


def maps_of(tree: Tree) -> Iterator[ClassMap]:
    """The classes of each file that has networks, and of what they are made of."""
    known = [file.weights for file in tree.files if file.weights is not None]
    for weights in known:
        found = class_map_of(weights.path, known)
        if found is not None:
            yield found


def plain_files(top: Path, staged: Path) -> Iterator[Path]:
    """The originals of the files in the new folder that are no links."""
    for folder, _, names in os.walk(staged):
        for name in sorted(names):
            path = top / Path(folder).relative_to(staged) / name
            if path.is_file():
                yield path


def scripts_in(tree: Tree, top: Path) -> Iterator[Path]:
    """The files that do something where they are run."""
    for file in tree.files:
        if file.path.suffix == ".py" and GUARD.search(file.before):
            yield file.path.absolute().relative_to(top)


def judged(
    tree: Tree,
    staged: Path,
    saved: Sequence[Saved],
    maps: Sequence[ClassMap],
    settings: Settings,
    tell: Tell,
) -> tuple[list[Compared], list[Fit]]:
    """What networks and checkpoints come to where both sides run; what these write goes."""
    networks = networks_in(tree, settings.wanted.project)
    if not settings.wanted.verify:
        return [Compared(network, "not compared", reason="--no-verify") for network in networks], []
    before = set(everything(staged))
    found = compared(networks, settings.wanted.project, staged, settings.verify, tell)
    tell("loading checkpoints")
    python = settings.verify.python_mindspore if settings.wanted.target == "mindspore" else None
    places = Places(settings.wanted.project, staged, settings.wanted.output, python)
    fits = [fit for each in saved if each.roots for fit in fits_of(each, found, maps, places)]
    for path in sorted(set(everything(staged)) - before, reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    return found, fits


def everything(folder: Path) -> Iterator[Path]:
    for inner, folders, names in os.walk(folder):
        yield from (Path(inner) / name for name in (*folders, *names))
