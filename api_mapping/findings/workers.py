"""Reads the files of a project, one process for each core; one file's failure stops no other."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..analysis import Problem, Project, search
from ..table import registry
from .limits.rule import all_limits
from .model import UNREAD, FileScan, Place, Remark, Scan
from .one_file import scan_file
from .seeds import with_project_remarks

SMALL = 300_000
"""Bytes of source that one process scans faster than several begin."""

BATCH = 250_000
"""Bytes of source that a process is given at a time, at most, if they are several files."""
EVEN = 6
"""The part of what is left that it is given, at most: in the end they wait for one another less."""

MANY_LINES = 400_000
"""After so many lines a process looks for what refers to itself and to nothing else: little."""

Tell = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Work(Generic[T]):
    """What is done with each file.

    `one` gives its result, from the project, its path and how that is told; `lines` how many lines
    it had; `failed` what stands for it if that ended with an error; `verb` is for the progress.
    """

    one: Callable[[Project, Path, str], T]
    lines: Callable[[T], int]
    failed: Callable[[str, str], T]
    verb: str


@dataclass(frozen=True)
class Task(Generic[T]):
    """The files of a project, as they are opened and as they are told, and what is done."""

    roots: tuple[Path, ...]
    sources: tuple[Path, ...]
    shown: tuple[str, ...]
    sizes: tuple[int, ...]
    work: Work[T]

    @classmethod
    def of(cls, roots: Sequence[Path], sources: Sequence[Path], work: Work[T]) -> Task[T]:
        shown = tuple(map(shown_path, sources))
        return cls(tuple(roots), tuple(sources), shown, tuple(map(size_of, sources)), work)


def scan_paths(
    paths: Sequence[Path], exclude: Iterable[str] = (), tell: Tell = lambda step: None
) -> Scan:
    """Everything that is found at and below `paths`, in the order of the files' names.

    `tell` is told how far it is. Nothing of the scanned project is imported or run.
    """
    finder = search(paths, exclude)
    found = dict(results(Task.of(paths, finder.found, SCAN), tell))
    failed = [unfound(problem) for problem in finder.problems]
    files = sorted((*found.values(), *failed), key=lambda file: file.path)
    return Scan(with_project_remarks(tuple(files)), finder.excluded)


def shown_path(path: Path) -> str:
    """The path from the working folder if it is below it, else as it was found."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # told when it is read
        return 0


def unfound(problem: Problem) -> FileScan:
    """A path that was named, or found, and cannot be scanned."""
    place = Place(problem.line, problem.column, problem.line, problem.column)
    remark = Remark(place, UNREAD, f"{problem.kind}: {problem.message}")
    return FileScan(shown_path(problem.path), 0, remarks=(remark,), is_file=False)


def results(task: Task[T], tell: Tell) -> Iterator[tuple[int, T]]:
    """Each file's number with its result, as they are done."""
    left = set(range(len(task.sources)))
    for number, file in in_pool(task, left, workers_for(task), tell):
        left.discard(number)
        yield number, file
    for number in sorted(left):  # of batches that failed: each alone, so that one ends no other
        alone = next(in_pool(task, [number], 1, tell), None)
        failed = task.work.failed
        yield alone or (number, failed(task.shown[number], "it ends the process that reads it"))


def workers_for(task: Task[T]) -> int:
    """How many processes are worth their start; 0 is this one."""
    several = sum(task.sizes) > SMALL and len(task.sources) > 1 and cores() > 1
    return min(cores(), len(task.sources)) if several else 0


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_pool(
    task: Task[T], numbers: Iterable[int], workers: int, tell: Tell
) -> Iterator[tuple[int, T]]:
    """The results of the files that do not end their process; a broken pool leaves the rest."""
    order = sorted(numbers)
    total, done = len(task.sources), len(task.sources) - len(order)
    with pool(task, workers) as executor:
        futures = {executor.submit(results_of, batch): batch for batch in batches(task, order)}
        for future in as_completed(futures):
            if isinstance(future.exception(), BrokenProcessPool):
                return
            for number, result in outcomes(future, task, futures[future]):
                done += 1
                tell(f"{done} of {total} files {task.work.verb}")
                yield number, result


def outcomes(
    future: Future[list[T]], task: Task[T], batch: Sequence[int]
) -> Iterator[tuple[int, T]]:
    """The results of a batch: of several files none if one of them failed, which is not known."""
    error = future.exception()
    if error is None:
        yield from zip(batch, future.result(), strict=True)
    elif len(batch) == 1:
        yield batch[0], task.work.failed(task.shown[batch[0]], f"{type(error).__name__}: {error}")


def batches(task: Task[T], numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The files of a folder, which import the same: the process that has them reads that once."""
    left = sum(task.sizes[number] for number in numbers)
    for _, neighbours in groupby(numbers, lambda number: task.sources[number].parent):
        batch: list[int] = []
        size = 0
        for number in neighbours:
            if batch and size + task.sizes[number] > min(BATCH, left // EVEN):
                yield tuple(batch)
                batch, size, left = [], 0, left - size
            batch.append(number)
            size += task.sizes[number]
        yield tuple(batch)
        left -= size


NESTED = "nesting: too deeply nested to be followed: write it in several statements"
"""Said of a file whose expressions Python itself has no stack for."""


def failure(shown: str, problem: str) -> FileScan:
    message = f"a defect of msconvert, please report it: {problem}"
    return FileScan(shown, 0, remarks=(Remark(Place(1, 1, 1, 1), UNREAD, message),))


@contextmanager
def pool(task: Task[T], workers: int) -> Iterator[Executor]:
    """Processes that share this one's tables; with no workers, a thread."""
    if workers:
        registry.rules()
        all_limits()  # both are read before the processes part
        context = get_context("fork" if hasattr(os, "fork") else "spawn")
        executor: Executor = ProcessPoolExecutor(
            workers, context, initializer=begin_process, initargs=(task,)
        )
    else:
        executor = ThreadPoolExecutor(1, initializer=begin, initargs=(task,))
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def uncollected() -> Iterator[None]:
    """Looks for no garbage meanwhile, nor in what was found later: 100,000 uses hold none."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class Worker:
    """What a process keeps between files."""

    task: Task[Any]
    project: Project
    lines = 0


def begin_process(task: Task[T]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()
    gc.disable()  # it would look through all trees again and again: half of the time
    begin(task)


def begin(task: Task[T]) -> None:
    Worker.task = task
    Worker.project = Project(task.sources, task.roots)


def results_of(numbers: Sequence[int]) -> list[Any]:
    return list(map(result_of, numbers))


def result_of(number: int) -> Any:
    """The result of the file of this number, of the task that this process has."""
    task = Worker.task
    result = task.work.one(Worker.project, task.sources[number], task.shown[number])
    Worker.lines += task.work.lines(result)
    if Worker.lines > MANY_LINES and not gc.isenabled():
        gc.collect()
        Worker.lines = 0
    return result


def scan_one(project: Project, path: Path, shown: str) -> FileScan:
    try:
        return scan_file(project, path, shown)
    except RecursionError:
        return FileScan(shown, 0, remarks=(Remark(Place(1, 1, 1, 1), UNREAD, NESTED),))


def lines_of(file: FileScan) -> int:
    return file.lines


SCAN = Work(scan_one, lines_of, failure, "scanned")
