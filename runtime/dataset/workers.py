"""Work on rows in threads or processes, in their order, and rows made before they are asked for."""

from __future__ import annotations

import itertools
import multiprocessing
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from . import config
from .faults import DataError

Item = TypeVar("Item")
Result = TypeVar("Result")
Function = Callable[[Any], Any]

TRIED = 3
QUICK = 200e-6
"""Seconds: what takes less is not worth handing to another thread."""
SHARE = 2e-3
"""Seconds that a piece of work should take, so that handing it over costs next to nothing."""
MOST = 32
"""How many items a piece has at most: they are all held at once."""


class Threads:
    """Threads that make rows, the same ones in each epoch; they are there once they are worth it.

    To begin anew would cost their memory, and the work that tells whether they are.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.taken: float | None = None
        self.pool: ThreadPoolExecutor | None = None

    def results(self, items: Iterator[Any], function: Function) -> Iterator[Any]:
        """The results in the order of the items; how long the first ones ever take decides whether
        threads are worth it."""
        if self.taken is None:
            yield from self.timed(items, function)
        if self.taken is None or self.taken < QUICK:
            yield from map(function, items)
            return
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.count, thread_name_prefix="dataset")
        length = max(1, min(MOST, int(SHARE / self.taken)))
        yield from in_pool(self.pool, items, function, self.count, length)

    def timed(self, items: Iterator[Any], function: Function) -> Iterator[Any]:
        """The first results. Units: `taken` in seconds for each"""
        taken = 0.0
        for item in itertools.islice(items, TRIED):
            start = time.perf_counter()
            found = function(item)
            taken += (time.perf_counter() - start) / TRIED
            yield found
        self.taken = taken

    def close(self) -> None:
        """Ends the threads; the next results have new ones."""
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)
            self.pool = None


def in_pool(
    pool: Executor, items: Iterator[Any], function: Function, workers: int, length: int
) -> Iterator[Any]:
    """The results in the order of the items, of which pieces are worked on at once. None of them is
    worked on any more when it ends."""
    pending: deque[Future[list[Any]]] = deque()
    try:
        for piece in pieces(items, length):
            pending.append(pool.submit(work, function, piece))
            if len(pending) >= 2 * workers + 2:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()
    except BrokenProcessPool as error:
        advice = "python_multiprocessing=False, or fewer num_parallel_workers"
        problem = "a worker process ended before its work was done"
        raise DataError("map", problem, got=str(error), advice=advice) from error
    finally:
        for future in pending:
            future.cancel()
        wait(pending)


def pieces(items: Iterator[Item], length: int) -> Iterator[list[Item]]:
    while piece := list(itertools.islice(items, length)):
        yield piece


def work(function: Function, piece: list[Any]) -> list[Any]:
    return [function(item) for item in piece]


held: list[Function] = []
"""In a worker process: the function of its pool, which came with the fork."""


def hold(function: Function) -> None:
    held[:] = [function]


def of_held(item: Any) -> Any:
    return held[0](item)


def in_processes(items: Iterator[Any], function: Function, workers: int) -> Iterator[Any]:
    """The results in the order of the items, each computed in another process."""
    context = multiprocessing.get_context(config.get_multiprocessing_start_method())
    pool = ProcessPoolExecutor(workers, context, initializer=hold, initargs=(function,))
    try:
        yield from in_pool(pool, items, of_held, workers, 1)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


END = object()


def ahead(
    items: Iterator[Item], size: int, asked: Callable[[int], None] | None = None
) -> Iterator[Item]:
    """The items, of which so many are made by another thread before they are asked for.

    `asked` is told each time how many are ready.
    """
    made: queue.Queue[Any] = queue.Queue(size)
    stop = threading.Event()
    thread = threading.Thread(target=fill, args=(items, made, stop), daemon=True)
    thread.start()
    try:
        while True:
            if asked is not None:
                asked(made.qsize())
            if (found := made.get()) is END:
                break
            if isinstance(found, Failure):
                raise found.error
            yield found
    finally:
        stop.set()
        thread.join()


class Failure:
    """An error on its way to the thread that asks for rows."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def fill(items: Iterator[Any], made: queue.Queue[Any], stop: threading.Event) -> None:
    """Puts the items, then END or what went wrong, into a queue until it is told to stop."""
    guarded = Guarded(items)
    for item in guarded:
        if not put(made, item, stop):
            break
    close = getattr(items, "close", None)
    if close is not None:
        close()
    put(made, END if guarded.error is None else Failure(guarded.error), stop)


def put(made: queue.Queue[Any], item: Any, stop: threading.Event) -> bool:
    """Whether there was room before it was told to stop."""
    while not stop.is_set():
        try:
            made.put(item, timeout=0.1)
            return True
        except queue.Full:
            continue
    return False


class Guarded:
    """An iterator that keeps its error, whatever it is, and ends."""

    def __init__(self, items: Iterator[Any]) -> None:
        self.items = items
        self.error: BaseException | None = None

    def __iter__(self) -> Iterator[Any]:
        with self:
            yield from self.items

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        self.error = None if isinstance(error, GeneratorExit) else error
        return self.error is not None
