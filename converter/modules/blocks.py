"""The tree of module calls: statements grouped by their scopes, each group with what it reads."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from ..code.expr import CellCall, Ref, refs
from ..code.statement import Statement, names_of
from .calls import MARK
from .scopes import ModulePath

WIDEST_GAP = 8
"""A list may lack so many elements; members of one that lacks more are no list: `block_900`."""


@dataclass(eq=False)
class Block:
    """One call of a module: its body in order, the values it takes and those it hands on.

    `path` is the module's full name. A `sequential` block is a chain of layers and blocks named
    by numbers: it needs no class of its own, unless it stands often (`own_class`). `formals` are
    the names of the inputs inside of it, where they are others: `taken` are these or those. A block
    that `is_layer` holds the weights of its one layer itself.
    """

    path: ModulePath
    body: list[Statement | Block]
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    sequential: bool = False
    own_class: bool = False
    formals: list[str] = field(default_factory=list)
    is_layer: bool = False

    @property
    def taken(self) -> list[str]:
        return self.formals or self.inputs

    @property
    def needs_class(self) -> bool:
        return self.own_class or not self.sequential

    @property
    def attribute(self) -> str:
        return self.path[-1] if self.path else ""


Item = Statement | Block


def build_tree(
    statements: list[Statement], inputs: list[str], outputs: list[str], homes: dict[str, ModulePath]
) -> Block:
    """The root block of the whole network, from the graph's inputs to its outputs.

    `homes` tells the module that holds each constant tensor: it is no input there, nor above.
    A home whose module turns out to be none moves up to the module around it.
    """
    containers = container_paths(statements)
    root = Block((), _grouped(statements, ()))
    changed = True
    while changed:
        _rehome(root, homes)
        _connect(root, set(outputs), homes)
        root.inputs, root.outputs = list(inputs), list(outputs)
        changed = _split_containers(root, containers) or _open_small(root, homes)
    root.sequential = root.own_class = _is_chain(root)
    return root


def _rehome(root: Block, homes: dict[str, ModulePath]) -> None:
    """Moves each home up to the module around it that holds all that reads the constant."""
    if not homes:
        return
    modules = {block.path for block in blocks_in(root) if not block.sequential}
    users: dict[str, set[ModulePath]] = {}
    for block in blocks_in(root):
        for item in block.body:
            for name in refs(item.expr) if isinstance(item, Statement) else ():
                users.setdefault(name, set()).add(block.path)
    for name, path in homes.items():
        around = (path[:i] for i in range(len(path), -1, -1) if path[:i] in modules)
        read = users.get(name, set())
        homes[name] = next(p for p in around if all(user[: len(p)] == p for user in read))


def container_paths(statements: Iterable[Statement]) -> set[ModulePath]:
    """Paths whose children are all numbered: nn.Sequential and nn.ModuleList."""
    children: dict[ModulePath, set[str]] = {}
    for s in statements:
        full = plain(s.scope)
        for path in (full, s.cell_path or ()):
            for i in range(len(path)):
                children.setdefault(path[:i], set()).add(path[i])
    return {path for path, names in children.items() if path and all(n.isdigit() for n in names)}


def plain(scope: ModulePath) -> ModulePath:
    """The module path of a scope, without the marks of repeated calls."""
    return tuple(part.split(MARK)[0] for part in scope)


def _grouped(statements: list[Statement], scope: ModulePath) -> list[Item]:
    depth = len(scope)
    keys = [s.scope[depth] if len(s.scope) > depth else None for s in statements]
    order = _contiguous(statements, keys)
    items: list[Item] = []
    run: list[Statement] = []
    for i, index in enumerate(order):
        key = keys[index]
        if key is None:
            items.append(statements[index])
            continue
        run.append(statements[index])
        if i + 1 == len(order) or keys[order[i + 1]] != key:
            child = (*scope, key)
            items.append(Block(plain(child), _grouped(run, child)))
            run = []
    return items


def _contiguous(statements: list[Statement], keys: list[str | None]) -> list[int]:
    """An order of the statements in which those of one key follow each other, if there is one."""
    if all(key is None for key in keys) and _is_in_order(statements):
        return list(range(len(statements)))
    first: dict[str, int] = {}
    group_of = [i if k is None else first.setdefault(k, i) for i, k in enumerate(keys)]
    made = {
        name: g for s, g in zip(statements, group_of, strict=True) for name in names_of(s.targets)
    }
    needs: dict[int, set[int]] = {g: set() for g in group_of}
    for s, g in zip(statements, group_of, strict=True):
        needs[g].update(made[name] for name in refs(s.expr) if made.get(name, g) != g)
    ready = [g for g, before in needs.items() if not before]
    heapq.heapify(ready)
    users: dict[int, list[int]] = {}
    for g, before in needs.items():
        for b in before:
            users.setdefault(b, []).append(g)
    done: list[int] = []
    waiting = {g: len(before) for g, before in needs.items()}
    while ready:
        g = heapq.heappop(ready)
        done.append(g)
        for user in users.get(g, []):
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, user)
    if len(done) < len(needs):
        return list(range(len(statements)))
    members: dict[int, list[int]] = {}
    for i, g in enumerate(group_of):
        members.setdefault(g, []).append(i)
    return [i for g in done for i in members[g]]


def _is_in_order(statements: list[Statement]) -> bool:
    """Whether each statement stands behind those that make what it reads, as in most files."""
    made = {name: i for i, s in enumerate(statements) for name in names_of(s.targets)}
    read = ((i, made.get(name, i)) for i, s in enumerate(statements) for name in s.expr.reads)
    return all(maker <= reader for reader, maker in read)


def made_by(item: Item) -> list[str]:
    """The values that an item binds for what follows it."""
    return names_of(item.targets) if isinstance(item, Statement) else item.outputs


def read_by(item: Item) -> list[str]:
    """The values that an item reads, one entry per use."""
    return list(refs(item.expr)) if isinstance(item, Statement) else item.inputs


def _connect(block: Block, wanted: set[str], homes: Mapping[str, ModulePath]) -> None:
    """Sets inputs and outputs of the block and of those inside; `wanted` are read outside it."""
    if any(isinstance(item, Block) for item in block.body):
        _connect_inside(block, wanted, homes)
    bound = list(dict.fromkeys(n for item in block.body for n in made_by(item)))
    inside = set(bound)
    free = dict.fromkeys(n for i in block.body for n in read_by(i) if n not in inside)
    block.inputs = [
        n for n in free if homes.get(n, ())[: len(block.path)] != block.path or n not in homes
    ]
    block.outputs = [name for name in bound if name in wanted]


def _connect_inside(block: Block, wanted: set[str], homes: Mapping[str, ModulePath]) -> None:
    """As `_connect`, of the blocks in a block."""
    reads = [_all_reads(item) for item in block.body]
    readers = Counter(name for names in reads for name in names)
    for item, own in zip(block.body, reads, strict=True):
        if isinstance(item, Block):
            others = {name for name in own if readers[name] > 1}
            made = {name for name in _all_made(item) if name in readers and name not in own}
            _connect(item, wanted | others | made, homes)


def _all_made(item: Item) -> set[str]:
    """Every value bound anywhere inside an item."""
    if isinstance(item, Statement):
        return set(names_of(item.targets))
    return {name for inner in item.body for name in _all_made(inner)}


def _all_reads(item: Item) -> set[str]:
    """Every value read anywhere inside an item."""
    if isinstance(item, Statement):
        return set(refs(item.expr))
    return {name for inner in item.body for name in _all_reads(inner)}


def _split_containers(
    block: Block, containers: set[ModulePath], chains: Mapping[ModulePath, bool] | None = None
) -> bool:
    """Marks chains as sequential; opens the containers that are none into their parent.

    `chains` says it of each container, over all calls that the module around it makes of its
    parts: a list of lists may be called part by part, with others in between. What holds a
    container of which it is not known yet waits for the next time.
    """
    if chains is None or block.path not in containers:
        calls = _calls_of_containers(block, containers)
        known = {p: of for p, of in calls.items() if not any(_waits(c, containers) for c in of)}
        chains = {path: _is_one_chain(found) for path, found in known.items()}
    new: list[Item] = []
    changed = False
    for item in block.body:
        if not isinstance(item, Block):
            new.append(item)
            continue
        changed |= _split_containers(item, containers, chains)
        if item.path in containers and not item.sequential and item.path in chains:
            changed = True
            if not chains[item.path]:
                new.extend(item.body)
                continue
            item.sequential = True
        new.append(item)
    block.body = new
    return changed


def _calls_of_containers(
    block: Block, containers: set[ModulePath]
) -> dict[ModulePath, list[Block]]:
    """Where the module's code reaches each list, those inside of lists among them."""
    calls: dict[ModulePath, list[Block]] = {}
    for item in block.body:
        if isinstance(item, Block):
            calls.setdefault(item.path, []).append(item)
            inner = _calls_of_containers(item, containers) if item.path in containers else {}
            for path, found in inner.items():
                calls.setdefault(path, []).extend(found)
    return calls


def _waits(block: Block, containers: set[ModulePath]) -> bool:
    inside = (item for item in block.body if isinstance(item, Block))
    return any(item.path in containers and not item.sequential for item in inside)


def _is_one_chain(calls: list[Block]) -> bool:
    """Whether each of the calls is the same chain, from its first element to its last."""
    return len({_outline(call) for call in calls}) == 1 and all(map(_is_chain, calls))


def _outline(item: Item) -> object:
    """The numbers of its elements, and of theirs."""
    inside = map(_outline, item.body) if isinstance(item, Block) else ()
    return element_name(item) if item_path(item) else "", *inside


def _is_chain(block: Block) -> bool:
    """Whether the block hands one value from layer to layer, each used once."""
    if len(block.inputs) != 1 or len(block.outputs) != 1 or not block.body:
        return False
    value = block.inputs[0]
    names: list[str] = []
    for item in block.body:
        made = made_by(item)
        if len(made) != 1 or read_by(item) != [value] or not _is_element(item):
            return False
        names.append(element_name(item))
        value = made[0]
    rising = all(int(a) < int(b) for a, b in pairwise(names))
    rising = rising and int(names[-1]) < len(names) + WIDEST_GAP
    uses = [name for item in block.body for name in read_by(item)]
    return rising and value == block.outputs[0] and len(set(uses)) == len(uses)


def _is_element(item: Item) -> bool:
    if isinstance(item, Block):
        return item.attribute.isdigit()
    e = item.expr
    direct = isinstance(e, CellCall) and len(e.args) == 1 and isinstance(e.args[0], Ref)
    return (
        direct
        and isinstance(item.targets, str)
        and item.cell_path is not None
        and item.cell_path[-1].isdigit()
    )


def item_path(item: Item) -> ModulePath:
    """The full name of the module or layer that an item calls, () if none."""
    return item.path if isinstance(item, Block) else item.cell_path or ()


def element_name(item: Item) -> str:
    """The number of an element of a sequential block."""
    return item_path(item)[-1]


def _open_small(block: Block, homes: Mapping[str, ModulePath]) -> bool:
    """Opens blocks of a single plain statement that reads no weight of theirs: they were functions
    in the source.
    """
    changed = False
    new: list[Item] = []
    for item in block.body:
        if isinstance(item, Block):
            changed |= _open_small(item, homes)
            lone = item.body[0] if len(item.body) == 1 and not block.sequential else None
            if isinstance(lone, Statement) and _is_function(lone, item, homes):
                new.append(lone)
                changed = True
                continue
        new.append(item)
    block.body = new
    return changed


def _is_function(lone: Statement, block: Block, homes: Mapping[str, ModulePath]) -> bool:
    holds = any(homes.get(name) == block.path for name in refs(lone.expr))
    return lone.cell_path is None and not block.sequential and not holds


def blocks_in(block: Block) -> Iterable[Block]:
    """The block and all those inside, inner ones first."""
    for item in block.body:
        if isinstance(item, Block):
            yield from blocks_in(item)
    yield block
