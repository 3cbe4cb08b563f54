"""Scans the files of a project, one process for each core; one file's failure stops no other."""

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
from multiprocessing import get_context
from pathlib import Path

from .. import table
from ..analysis import Problem, Project, find_sources
from .limits.rule import all_limits
from .model import UNREAD, FileScan, Place, Remark, Scan
from .one_file import scan_file
from .seeds import with_project_remarks

SMALL = 300_000
"""Bytes of source that one process scans faster than several begin."""

MANY_LINES = 50_000
"""After so many lines a process looks for memory that nothing refers to."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """The files of a scan, as they are opened and as they are told."""

    roots: tuple[Path, ...]
    sources: tuple[Path, ...]
    shown: tuple[str, ...]
    sizes: tuple[int, ...]


def scan_paths(
    paths: Sequence[Path], exclude: Iterable[str] = (), tell: Tell = lambda step: None
) -> Scan:
    """Everything that is found at and below `paths`, in the order of the files' names.

    `tell` is told how far it is. Nothing of the scanned project is imported or run.
    """
    sources, problems = find_sources(paths, exclude)
    shown = tuple(map(shown_path, sources))
    task = Task(tuple(paths), tuple(sources), shown, tuple(map(size_of, sources)))
    found = dict(scan_all(task, tell))
    failed = [unfound(problem) for problem in problems]
    files = sorted((*found.values(), *failed), key=lambda file: file.path)
    return Scan(with_project_remarks(tuple(files)))


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
    return FileScan(shown_path(problem.path), 0, remarks=(remark,))


def scan_all(task: Task, tell: Tell) -> Iterator[tuple[int, FileScan]]:
    """Each file's number with its scan, as they are done."""
    left = set(range(len(task.sources)))
    for number, file in in_pool(task, left, workers_for(task), tell):
        left.discard(number)
        yield number, file
    for number in sorted(left):  # the pool broke: each alone, so that one of them ends no other
        alone = next(in_pool(task, [number], 1, tell), None)
        yield alone or (number, failure(task.shown[number], "it ends the process that reads it"))


def workers_for(task: Task) -> int:
    """How many processes are worth their start; 0 is this one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    several = sum(task.sizes) > SMALL and len(task.sources) > 1 and (cores or 1) > 1
    return min(cores or 1, len(task.sources)) if several else 0


def in_pool(
    task: Task, numbers: Iterable[int], workers: int, tell: Tell
) -> Iterator[tuple[int, FileScan]]:
    """The scans of the files that do not end their process; a broken pool leaves the rest."""
    order = sorted(numbers)  # neighbours import the same files, which a process then knows
    total, done = len(task.sources), len(task.sources) - len(order)
    with pool(task, workers) as executor:
        futures = {executor.submit(scan_number, n): n for n in order}
        for future in as_completed(futures):
            if isinstance(future.exception(), BrokenProcessPool):
                return
            done += 1
            tell(f"{done} of {total} files scanned")
            number = futures[future]
            yield number, outcome_of(future, task.shown[number])


def outcome_of(future: Future[FileScan], shown: str) -> FileScan:
    error = future.exception()
    return future.result() if error is None else failure(shown, f"{type(error).__name__}: {error}")


def failure(shown: str, problem: str) -> FileScan:
    message = f"a defect of msconvert, please report it: {problem}"
    return FileScan(shown, 0, remarks=(Remark(Place(1, 1, 1, 1), UNREAD, message),))


@contextmanager
def pool(task: Task, workers: int) -> Iterator[Executor]:
    """Processes that share this one's tables; with no workers, a thread."""
    if workers:
        table.rules()
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


class Worker:
    """What a process keeps between files."""

    task: Task
    project: Project
    lines = 0


def begin_process(task: Task) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()
    gc.disable()  # it would look through all trees again and again: half of the time
    begin(task)


def begin(task: Task) -> None:
    Worker.task = task
    Worker.project = Project(task.sources, task.roots)


def scan_number(number: int) -> FileScan:
    task = Worker.task
    scanned = scan_file(Worker.project, task.sources[number], task.shown[number])
    Worker.lines += scanned.lines
    if Worker.lines > MANY_LINES and not gc.isenabled():
        gc.collect()
        Worker.lines = 0
    return scanned
