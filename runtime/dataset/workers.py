"""Work on rows in threads or processes, in their order, and rows made before they are asked for."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, TypeVar

from . import config
from .faults import DataError

Item = TypeVar("Item")
Result = TypeVar("Result")
Function = Callable[[Any], Any]

Numbered = Callable[[int, Any], Any]
"""What makes a row: it is told the number of the thread, too."""

TRIED = 3
QUICK = 200e-6
"""Seconds: what takes less is not worth handing to another thread."""
SHARE = 2e-3
"""Seconds that a piece of work should take, so that handing it over costs next to nothing."""
MOST = 32
"""How many items a piece has at most: they are all held at once."""
AHEAD = 2
"""How many pieces are worked on at least while one is taken."""
ITEMS_AHEAD = 16
"""As many items for each thread, as in MindSpore: where other work shares the cores, a thread that
runs out of them while others wait for a core loses its own."""
WATCH_S = 0.5
"""How often a worker process looks whether its parent is there."""
END = object()


class Threads:
    """Threads that make rows, the same ones in each epoch; they are there once they are worth it.

    To begin anew would cost their memory, and the work that tells whether they are. The thread of a
    row follows from its place, as in MindSpore: they take turns, and the end of an epoch is one.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.turns = 0
        self.taken: float | None = None
        self.pools: list[ThreadPoolExecutor] = []

    def results(self, items: Iterator[Any], function: Numbered) -> Iterator[Any]:
        """The results in the order of the items; how long the first ones ever take decides whether
        threads are worth it."""
        turned = self.in_turn(items)
        if self.taken is None:
            yield from self.timed(turned, function)
        if self.taken is None or self.taken < QUICK or self.count == 1:
            yield from itertools.starmap(function, turned)
        else:
            yield from self.at_once(turned, function, min(MOST, int(SHARE / self.taken)))
        self.turns += 1

    def in_turn(self, items: Iterator[Any]) -> Iterator[tuple[int, Any]]:
        """Each item behind the number of its thread."""
        for item in items:
            yield self.turns % self.count, item
            self.turns += 1

    def timed(self, turned: Iterator[tuple[int, Any]], function: Numbered) -> Iterator[Any]:
        """The first results. Units: `taken` in seconds for each"""
        taken = 0.0
        for thread, item in itertools.islice(turned, TRIED):
            start = time.perf_counter()
            found = function(thread, item)
            taken += (time.perf_counter() - start) / TRIED
            yield found
        self.taken = taken

    def at_once(
        self, turned: Iterator[tuple[int, Any]], function: Numbered, length: int
    ) -> Iterator[Any]:
        """The results, each made by its own thread, of so many items for each thread at a time."""
        if not self.pools:
            names = (f"dataset {number}" for number in range(self.count))
            self.pools = [ThreadPoolExecutor(1, thread_name_prefix=name) for name in names]
        pending: deque[list[Future[list[Any]]]] = deque()
        try:
            for piece in pieces(turned, self.count * max(1, length)):
                pending.append(self.begun(piece, function))
                if len(pending) > max(AHEAD, ITEMS_AHEAD // max(1, length)):
                    yield from together(pending[0])
                    pending.popleft()
            while pending:
                yield from together(pending[0])
                pending.popleft()
        finally:
            left = [future for futures in pending for future in futures]
            for future in left:
                future.cancel()
            wait(left)

    def begun(self, piece: list[tuple[int, Any]], function: Numbered) -> list[Future[list[Any]]]:
        """The work of a piece, handed to each thread in the order in which they take turns."""
        shares = [piece[first :: self.count] for first in range(min(self.count, len(piece)))]
        return [
            self.pools[share[0][0]].submit(work, partial(function, share[0][0]), items_of(share))
            for share in shares
        ]

    def close(self) -> None:
        """Ends the threads; the next results have new ones."""
        for pool in self.pools:
            pool.shutdown(wait=True, cancel_futures=True)
        self.pools = []


def items_of(share: list[tuple[int, Any]]) -> list[Any]:
    return [item for _, item in share]


def together(futures: list[Future[list[Any]]]) -> Iterator[Any]:
    """The results of some threads that took turns, in their order."""
    parts = [future.result() for future in futures]
    for results in itertools.zip_longest(*parts, fillvalue=END):
        yield from (one for one in results if one is not END)


def pieces(items: Iterator[Item], length: int) -> Iterator[list[Item]]:
    while piece := list(itertools.islice(items, length)):
        yield piece


def work(function: Function, piece: list[Any]) -> list[Any]:
    return [function(item) for item in piece]


held: list[Function] = []
"""In a worker process: the function of its pool, which came with the fork."""


def hold(function: Function) -> None:
    """Begins a worker process."""
    held[:] = [function]
    threading.Thread(target=end_after, args=(os.getppid(),), daemon=True).start()


def end_after(parent: int) -> None:
    """Ends this process soon after its parent, which may be killed: nobody would end it then."""
    while os.getppid() == parent:
        time.sleep(WATCH_S)
    os._exit(1)


def of_held(item: Any) -> Any:
    return held[0](item)


def in_processes(
    where: str, items: Iterator[Any], function: Function, workers: int
) -> Iterator[Any]:
    """The results in the order of the items, each computed in another process; at its end none of
    them is worked on any more."""
    context = multiprocessing.get_context(config.get_multiprocessing_start_method())
    pool = ProcessPoolExecutor(workers, context, initializer=hold, initargs=(function,))
    pending: deque[Future[Any]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(of_held, item))
            if len(pending) >= 2 * workers + 2:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except BrokenProcessPool as error:
        advice = "python_multiprocessing=False, or fewer num_parallel_workers"
        problem = "a worker process ended before its work was done"
        raise DataError(where, problem, got=str(error), advice=advice) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


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
