"""What a module takes and gives, whoever calls it: the same values in each of its calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..code.expr import Expr, Ref, transform
from ..code.statement import Statement
from .blocks import Block, Item, blocks_in, item_path, made_by, read_by
from .scopes import ModulePath


def unify_signatures(root: Block) -> None:
    """Lets all calls of a module hand on what any of them does, and take as many values.

    A recurrent cell gives two states, and of its last call one is read; of its first call both
    states may be one tensor of zeros. It is still one module.
    """
    calls: dict[ModulePath, list[Block]] = {}
    for block in blocks_in(root):
        calls.setdefault(block.path, []).append(block)
    for path in sorted(calls, key=len, reverse=True):  # what is inside decides what can be given
        for blocks in _alike(calls[path]):
            _unify_outputs(blocks)
    for path in sorted(calls, key=len):
        for blocks in _alike(calls[path]):
            _unify_inputs(blocks)


def _alike(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The calls that take the same steps, where there are several."""
    groups: dict[object, list[Block]] = {}
    for block in blocks if len(blocks) > 1 else ():
        groups.setdefault(_steps(block), []).append(block)
    return (group for group in groups.values() if len(group) > 1)


def _steps(block: Block) -> object:
    return tuple(map(_step, block.body)), len(_bound(block))


def _step(item: Item) -> object:
    kind = "" if isinstance(item, Block) else (item.node.op, type(item.expr))
    return item_path(item), kind, len(made_by(item))


def _bound(block: Block) -> list[str]:
    """The values that a block binds, in their order."""
    return list(dict.fromkeys(name for item in block.body for name in made_by(item)))


def _unify_outputs(blocks: Sequence[Block]) -> None:
    bound = [_bound(block) for block in blocks]
    pairs = list(zip(blocks, bound, strict=True))
    given = {names.index(name) for block, names in pairs for name in block.outputs}
    for block, names in pairs:
        block.outputs = [names[i] for i in sorted(given)]


def _unify_inputs(blocks: Sequence[Block]) -> None:
    """Parts an input of a call into two where another call has two values in its places."""
    reads = [[name for item in block.body for name in read_by(item)] for block in blocks]
    if len({len(names) for names in reads}) > 1:
        return
    outside = [set(block.taken) for block in blocks]
    slots: dict[tuple[str, ...], list[int]] = {}
    for place, names in enumerate(zip(*reads, strict=True)):
        taken = {name in given for name, given in zip(names, outside, strict=True)}
        if taken == {True}:
            slots.setdefault(names, []).append(place)
        elif len(taken) > 1:
            return
    for i, block in enumerate(blocks):
        if len(slots) > len(block.inputs):
            _take(block, [(names[i], places) for names, places in slots.items()])


def _take(block: Block, slots: Sequence[tuple[str, list[int]]]) -> None:
    """Makes each slot an input, with a name of its own in the body."""
    formal: dict[int, str] = {}
    names, actual = [name for name, _ in slots], dict(zip(block.taken, block.inputs, strict=True))
    block.inputs, block.formals = [actual[name] for name in names], []
    for name, places in slots:
        again = names[: len(block.formals)].count(name)
        own = f"{name} again {again}" if again else name
        block.formals.append(own)
        formal.update(dict.fromkeys(places, own))
    place = iter(range(sum(len(read_by(item)) for item in block.body)))

    def leaf(e: Expr) -> Expr:
        return Ref(formal.get(next(place), e.name)) if isinstance(e, Ref) else e

    for item in block.body:
        if isinstance(item, Statement):
            item.expr = transform(item.expr, leaf)
        else:
            item.formals = item.formals or list(item.inputs)
            item.inputs = [formal.get(next(place), name) for name in item.inputs]
