"""Which statements become the function that is differentiated, and what it takes and gives."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from ..syntax.nodes import dotted
from .blocks import Block, Liveness, leaves
from .events import Backward, Events
from .methods import Effects, methods_of, owner_of
from .names import access
from .weights import Weights


class NoRegion(Exception):
    """The statements are of no known shape; the text says why."""


@dataclass(frozen=True)
class Region:
    """The forward pass of one backward, or of several that share it.

    places      of its backward statements in the block.
    losses      what is differentiated: their sum.
    body        places of the statements of the forward pass, in order.
    copied      those of them that others need as well: they stay where they are, too.
    below       places of statements that read its results and stood between its statements.
    outputs     names that the body gives values to and that are read later.
    condition   what decides whether gradients are computed, if something does.
    """

    block: Block
    places: tuple[int, ...]
    losses: tuple[ast.expr, ...]
    body: tuple[int, ...]
    copied: tuple[int, ...] = ()
    below: tuple[int, ...] = ()
    outputs: tuple[str, ...] = ()
    condition: ast.expr | None = None

    @property
    def call_at(self) -> int:
        """The place of the statement that the call of the gradient function takes."""
        return max((n for n in self.body if n not in self.copied), default=self.places[0])

    @property
    def statements(self) -> list[ast.stmt]:
        return [self.block.statements[place] for place in self.body]

    @property
    def staying(self) -> list[ast.stmt]:
        """The statements between those of the body that are run before its function is called."""
        body = sorted(self.body)
        between = range(body[0], self.call_at) if body else ()
        moved = {*self.body, *self.below} - {*self.copied}
        return [self.block.statements[place] for place in between if place not in moved]

    @property
    def behind(self) -> Sequence[ast.stmt]:
        """The statements between the call of the gradient function and the first backward."""
        moved = (self.block.statements[place] for place in self.below)
        return [*moved, *self.block.statements[self.call_at + 1 : self.places[0]]]

    @property
    def reads(self) -> list[str]:
        """What the body and the losses read that the body has not written, in order."""
        sure: set[str] = set()
        found: dict[str, None] = {}
        for node in (*self.statements, *self.losses):
            known = access(node)
            found |= dict.fromkeys(name for name in known.reads if name not in sure)
            sure |= known.sure
        return list(found)

    @property
    def writes(self) -> list[str]:
        found: dict[str, None] = {}
        for node in self.statements:
            found |= dict.fromkeys(ordered_writes(node))
        return list(found)


def check_inside(outside: Set[str]) -> None:
    """Raises: NoRegion if names carry gradients from statements that are not moved"""
    if outside:
        names = ", ".join(sorted(outside))
        raise NoRegion(f"gradients flow on from {names}: compute it beside the loss, or detach it")


def ordered_writes(node: ast.stmt) -> list[str]:
    """The plain names that a statement binds, in the order of the text."""
    known = access(node).writes
    stored = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in known]
    return [name for name in dict.fromkeys(stored) if "." not in name]


@dataclass(frozen=True)
class Finder:
    """Finds the forward pass of backward statements."""

    weights: Weights
    events: Events
    liveness: Liveness

    def effects_in(self, block: Block) -> Effects:
        """What the methods of the class around a block do."""
        scope = block.scope
        if block.cls is None or not isinstance(scope, ast.FunctionDef):
            return Effects(is_cut=self.weights.is_cut)
        return Effects(methods_of(block.cls), owner_of(scope), is_cut=self.weights.is_cut)

    def region(self, block: Block, place: int, barrier: int) -> Region:
        """The forward pass of the backward at a place; `barrier` is the place of the one before.

        Raises: NoRegion
        """
        event = self.events.of(block.statements[place])
        assert isinstance(event, Backward)
        if event.odd:
            raise NoRegion(event.odd)
        plain = Region(block, (place,), (event.loss,), ())
        return self.completed(plain, barrier)

    def lifted(self, block: Block, losses: tuple[ast.expr, ...], *, is_once: bool) -> Region:
        """The forward pass before the `if` that backward statements stand in.

        `is_once`: nobody reads gradients that are computed though the `if` does not ask for them.
        Raises: NoRegion
        """
        owner, outer = block.owner, block.parent
        if not isinstance(owner, ast.If) or outer is None or len(losses) > 2:
            raise NoRegion("the forward pass is not among the statements before it")
        loss, condition = losses[0], None if len(losses) > 1 else owner.test
        if len(losses) > 1:
            loss = ast.IfExp(owner.test, *losses)
        plain = Region(outer, (block.place,), (loss,), (), condition=condition)
        region = self.completed(plain, -1)
        if not is_once and any(map(leaves, region.behind)):
            raise NoRegion("a statement before the `if` ends the round, or the function")
        if not set(region.writes) & set(access(owner.test).reads):
            return region
        if condition is None or not is_once:
            raise NoRegion("what decides on backward is computed with the loss")
        return replace(region, condition=None)

    def completed(self, region: Region, barrier: int) -> Region:
        """The region with its statements, from what it differentiates.

        Raises: NoRegion
        """
        computing = self.computing(region)
        copied = tuple(place for place in computing if place <= barrier)
        region = replace(region, body=computing, copied=copied)
        if not computing:  # of `criterion(net(x), y).backward()`
            return region
        region = self.with_overwriting(self.with_depending(region))
        region = self.with_beginnings(region)
        if any(map(leaves, region.statements)):
            raise NoRegion("a statement of the forward pass ends the round, or the function")
        region = self.unscaled(region)
        return replace(region, below=self.below(region))

    def computing(self, region: Region) -> tuple[int, ...]:
        """The places of the statements through which gradients flow from weights to the losses.

        Raises: NoRegion if some flow from elsewhere, or none do
        """
        sure = self.reached(region, self.weights)
        guessed = self.reached(region, self.weights.guessing)
        if set(sure) < set(guessed):
            return guessed
        if sure or all(self.weights.reach(loss, ()) for loss in region.losses):
            return sure
        if all(self.weights.guessing.reach(loss, ()) for loss in region.losses):
            return guessed
        raise NoRegion("the forward pass is not among the statements before it")

    def reached(self, region: Region, weights: Weights) -> tuple[int, ...]:
        block, end, effects = region.block, region.places[-1], self.effects_in(region.block)
        carried = [weights.carried_before(block, 0)]
        flags = []
        for statement in block.statements[:end]:
            known, is_own = effects.access(statement), bool(effects.called(statement))
            flags.append(weights.reach(statement, carried[-1]))
            flags[-1] |= is_own and not carried[-1].isdisjoint(known.reads)
            kept = known.writes if flags[-1] and is_own else frozenset()
            carried.append(weights.carried_behind(statement, carried[-1]) | kept)
        needed = {name for loss in region.losses for name in effects.flows(loss)}
        outside = set(needed)
        found = []
        for place in reversed(range(end)):
            statement = block.statements[place]
            known = effects.access(statement)
            if not known.writes & needed:
                continue
            if self.is_event(statement):
                check_inside(known.writes & outside & carried[place + 1])
                continue
            needed -= known.sure
            outside -= known.writes if flags[place] else known.sure
            if flags[place]:
                found.append(place)
                flowing = effects.flows(statement) & set(known.reads)
                needed |= flowing
                outside |= flowing
        sure = self.weights  # a guess refuses nothing
        check_inside(outside & (sure.carried_before(block, 0) | sure.handed.kept(block, outside)))
        return tuple(reversed(found))

    def is_event(self, statement: ast.stmt) -> bool:
        return next(self.events.all_in(statement), None) is not None

    def with_depending(self, region: Region) -> Region:
        """The region with the statements that compute from its results what it needs further on.

        One may bring others: what is written into `targets` belongs to `targets = ones_like(out)`.
        """
        while (wider := self.with_some_depending(region)) != region:
            region = wider
        return region

    def with_some_depending(self, region: Region) -> Region:
        block, body, effects = region.block, set(region.body), self.effects_in(region.block)
        needed = {name for loss in region.losses for name in effects.access(loss).reads}
        for place in reversed(range(min(body), max(body) + 1)):
            known = effects.access(block.statements[place])
            before = {
                n for p in body if p < place for n in effects.access(block.statements[p]).writes
            }
            if place not in body and known.writes & needed and before & set(known.reads):
                body.add(place)
            if place in body or known.writes & needed:
                needed = (needed - known.sure) | set(known.reads)
        return replace(region, body=tuple(sorted(body)))

    def with_overwriting(self, region: Region) -> Region:
        """The region with the statements that overwrite what it has read before.

        Raises: NoRegion if that is read once more for another step
        """
        block, body, effects = region.block, set(region.body), self.effects_in(region.block)
        asked = {name for loss in region.losses for name in effects.access(loss).reads}
        for place in range(min(body), region.places[-1]):
            known = effects.access(block.statements[place])
            first = min(body.difference(region.copied), default=region.places[0])
            last = max(body.difference(region.copied), default=region.places[0])
            read = {n for p in body if p < place for n in access(block.statements[p]).reads}
            lost = known.writes & (read if place < last else asked)
            if place in body or not lost:
                continue
            if place < first or self.is_event(block.statements[place]):
                names = ", ".join(sorted(lost))
                raise NoRegion(f"{names}: given another value before its gradients are computed")
            body.add(place)
        return replace(region, body=tuple(sorted(body)))

    def with_beginnings(self, region: Region) -> Region:
        """The region with the plain values that it goes on from: `loss = 0`, `outputs = []`."""
        block, body, effects = region.block, list(region.body), self.effects_in(region.block)
        changed = {n for p in body for n in access(block.statements[p]).writes}
        for place in range(min(body)):
            statement = block.statements[place]
            known = effects.access(statement)
            is_needed = known.sure & changed & set(region.reads)
            if is_needed and isinstance(statement, ast.Assign) and is_plain(statement.value):
                body.append(place)
        return replace(region, body=tuple(sorted(body)))

    def unscaled(self, region: Region) -> Region:
        """The region without a last `loss = loss / n`, where the loss is read before it."""
        last = region.block.statements[region.body[-1]]
        loss = region.losses[0]
        rest = region.body[:-1]
        if len(region.losses) > 1 or not isinstance(loss, ast.Name) or not rest:
            return region
        value = scaled_value(last, loss.id)
        between = region.block.statements[rest[-1] + 1 : region.body[-1]]
        if value is None or not any(loss.id in access(s).reads for s in between):
            return region
        return replace(region, body=rest, losses=(value,))

    def below(self, region: Region) -> tuple[int, ...]:
        """The places of other statements between those of the body that need its results.

        Raises: NoRegion if a value that one of them reads is overwritten behind it
        """
        block, effects = region.block, self.effects_in(region.block)
        moved = [p for p in region.body if p not in region.copied]
        found: list[int] = []
        written: set[str] = set()
        for place in range(min(moved, default=0), region.call_at):
            known = effects.access(block.statements[place])
            if place in moved:
                if any(set(access(block.statements[p]).reads) & known.writes for p in found):
                    raise NoRegion("a value is read between two statements that write it")
                written |= known.writes
            elif written & set(known.reads) and not self.is_event(block.statements[place]):
                found.append(place)
                written |= known.writes
        return tuple(found)

    def with_outputs(self, region: Region) -> Region:
        """The region with the names that are read behind it."""
        names = [name for name in region.writes if self.is_read(name, region)]
        return replace(region, outputs=tuple(names))

    def is_read(self, name: str, region: Region) -> bool:
        """Whether a name that the body writes is read where the body has run."""
        block, at = region.block, region.call_at
        if not any(name in access(block.statements[p]).writes for p in region.body):
            return False
        if all(
            p in region.copied for p in region.body if name in access(block.statements[p]).writes
        ):
            return False
        if any(name in access(block.statements[place]).reads for place in region.below):
            return True
        backs = (block.statements[place] for place in region.places)
        gone = {s for s in backs if isinstance(self.events.of(s), Backward)}
        return self.liveness.is_live(name, block, at, gone)


def is_plain(node: ast.expr) -> bool:
    """Whether it is a value that is written out."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(is_plain, node.elts))
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.Call):
        return bool(dotted(node.func)) and all(map(is_plain, node.args)) and bool(node.args)
    return isinstance(node, ast.Constant)


def scaled_value(statement: ast.stmt, loss: str) -> ast.expr | None:
    """`loss / n` of `loss = loss / n` or `loss /= n`."""
    if isinstance(statement, ast.Assign) and dotted(statement.targets[0]) == loss:
        return statement.value if loss in access(statement.value).reads else None
    if isinstance(statement, ast.AugAssign) and dotted(statement.target) == loss:
        return ast.BinOp(ast.Name(loss, ast.Load()), statement.op, statement.value)
    return None
