"""Modules of a file that names none: repeated pieces of the network become blocks.

The network is cut where a single value carries everything. Pieces between cuts are letters; the
letters that repeat are words; each occurrence of a word is a block. A shortcut with a convolution
of its own counts as the same letter as one without.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..code.expr import CellCall, Code, Expr, Ref, children, refs
from ..code.numbering import Names
from ..code.statement import Statement, names_of
from .place import cell_in
from .scopes import ModulePath, attribute_name

LONGEST_WORD = 24
"""Words of more pieces are not looked for."""

MOST_WORDS = 100
"""Words that are looked for: each takes a walk over the whole network."""

LONGEST_WAY = 99
"""Statements on one way around a shortcut that are counted; more are as long as these."""

EVERYWHERE = 3
"""A value read this often, over half of the network, is no part of the main line: a mask, say."""

MEANINGLESS = frozenset("arg const constant initializer param tensor val value var".split())
"""Words that exporters number: what is called so has no name."""

_NORMS = ("BatchNorm", "LayerNorm", "GroupNorm")


@dataclass(frozen=True)
class Piece:
    """Statements between two cuts; `shortcut` are those of a projection that others lack."""

    statements: tuple[int, ...]
    letter: object
    shortcut: frozenset[int]


def place_repeats(
    statements: list[Statement], inputs: Sequence[str], outputs: Sequence[str]
) -> None:
    """Sets `scope` and `cell_path` from repeated structure and the words in weights' names."""
    statements[:] = _sides_first(statements)
    pieces = _pieces(statements, inputs, outputs)
    hints = _hints(statements)
    taken = Names(form="{}_{}", first=2)
    for count, word in enumerate(_words(pieces, statements)):
        _place_word(word, statements, hints, taken, count)
    for i, statement in enumerate(statements):
        cell = cell_in(statement.expr)
        if cell is not None and not statement.scope and statement.cell_path is None and hints[i]:
            statement.cell_path = (taken.take(_layer_name(hints[i], cell.kind)),)


def _aside(statements: list[Statement], outputs: Sequence[str]) -> set[str]:
    """Values that are read from everywhere."""
    last = {n: i for i, s in enumerate(statements) for n in refs(s.expr)}
    last.update(dict.fromkeys(outputs, len(statements)))
    made = {n: i for i, s in enumerate(statements) for n in names_of(s.targets)}
    uses = Counter(n for s in statements for n in refs(s.expr))
    span = len(statements) / 2
    return {n for n, i in made.items() if uses[n] >= EVERYWHERE and last.get(n, i) - i > span}


def _sides_first(statements: list[Statement]) -> list[Statement]:
    """The statements, those before all others that make what is read from everywhere.

    Otherwise the first of several equal blocks has them inside, and is no longer equal.
    """
    made = {n: i for i, s in enumerate(statements) for n in names_of(s.targets)}
    first: set[int] = set()
    waiting = [made[name] for name in _aside(statements, ())]
    while waiting:
        i = waiting.pop()
        if i not in first:
            first.add(i)
            waiting += [made[name] for name in refs(statements[i].expr) if name in made]
    return [statements[i] for i in sorted(range(len(statements)), key=lambda i: i not in first)]


def _pieces(
    statements: list[Statement], inputs: Sequence[str], outputs: Sequence[str]
) -> list[Piece]:
    last = {n: i for i, s in enumerate(statements) for n in refs(s.expr)}
    last.update(dict.fromkeys(outputs, len(statements)))
    aside = _aside(statements, outputs)
    ending: dict[int, list[str]] = {}
    for name, i in last.items():
        ending.setdefault(i, []).append(name)
    pieces: list[Piece] = []
    live: set[str] = set()
    start = 0
    for i, statement in enumerate(statements):
        live.difference_update(ending.get(i, ()))
        live |= {n for n in names_of(statement.targets) if last.get(n, -1) > i and n not in aside}
        if len(live) <= 1 or i + 1 == len(statements):
            pieces.append(_piece(statements, tuple(range(start, i + 1))))
            start = i + 1
    return pieces


def _piece(statements: list[Statement], indices: tuple[int, ...]) -> Piece:
    shortcut = _shortcut(statements, indices)
    numbers: dict[str, int] = {}
    letter: list[object] = []
    passed: dict[str, str] = {}
    for i in indices:
        s = statements[i]
        if i in shortcut:
            source = refs(s.expr)[0]
            passed[names_of(s.targets)[0]] = passed.get(source, source)
            continue
        letter.append(_shape(s.expr, numbers, passed))
        for name in names_of(s.targets):
            numbers[name] = len(numbers)
    return Piece(indices, tuple(letter), shortcut)


def _shape(e: Expr, numbers: dict[str, int], passed: dict[str, str]) -> object:
    """The expression without its numbers: what is called on which value."""
    if isinstance(e, Ref):
        return numbers.get(passed.get(e.name, e.name), -1)
    if isinstance(e, Code):
        return e.text
    inner = tuple(_shape(p, numbers, passed) for p in children(e))
    if isinstance(e, CellCall):
        return (e.cell.kind, *(n for n, _ in e.cell.weights if not n.startswith("bias")), inner)
    return (getattr(e, "op", getattr(e, "name", type(e).__name__)), inner)


def _shortcut(statements: list[Statement], indices: tuple[int, ...]) -> frozenset[int]:
    """The convolution and normalisation on the short way around to an addition, if there is one."""
    made = {n: i for i in indices for n in names_of(statements[i].targets)}
    inside = set(indices)
    for i in reversed(indices):
        e = statements[i].expr
        if getattr(e, "op", "") != "+":
            continue
        ways = [_way(statements, ref.name, made) for ref in children(e) if isinstance(ref, Ref)]
        if len(ways) == 2 and all(way is not None for way in ways):
            short, long = sorted((w for w in ways if w is not None), key=len)
            kinds = [_kind(statements[j]) for j in short]
            plain = [k.startswith("Conv") or k.startswith(_NORMS) for k in kinds]
            if short and all(plain) and len(long) > len(short) and inside.issuperset(short):
                return frozenset(short)
    return frozenset()


def _way(statements: list[Statement], name: str, made: dict[str, int]) -> list[int] | None:
    """The chain of single-input statements that leads to a value, back to the piece's input."""
    way: list[int] = []
    while name in made and len(way) < LONGEST_WAY:
        read = refs(statements[made[name]].expr)
        if len(read) != 1:
            return None if not read else way + [made[name]] * LONGEST_WAY
        way.append(made[name])
        name = read[0]
    return way


def _kind(statement: Statement) -> str:
    cell = cell_in(statement.expr)
    return cell.kind if cell is not None else ""


@dataclass(frozen=True)
class Word:
    """A run of letters that repeats: where each occurrence begins, and its pieces."""

    starts: tuple[int, ...]
    occurrences: tuple[tuple[Piece, ...], ...]


def _words(pieces: list[Piece], statements: list[Statement]) -> list[Word]:
    """The words of the network, the most useful first, none overlapping."""
    numbers: dict[object, int] = {}  # which are compared and hashed at once, whatever a letter says
    letters = [numbers.setdefault(p.letter, len(numbers)) for p in pieces]
    free = [True] * len(pieces)
    words: list[Word] = []
    while len(words) < MOST_WORDS:
        best = _best_word(letters, free, pieces, statements)
        if best is None:
            break
        starts, size = best
        for start in starts:
            free[start : start + size] = [False] * size
        words.append(Word(tuple(starts), tuple(tuple(pieces[s : s + size]) for s in starts)))
    return sorted(words, key=lambda w: w.starts[0])


def _best_word(
    letters: list[int], free: list[bool], pieces: list[Piece], statements: list[Statement]
) -> tuple[list[int], int] | None:
    best: tuple[list[int], int] | None = None
    best_score = 0
    for size in range(1, min(LONGEST_WORD, len(letters) // 2) + 1):
        for starts in _occurrences(letters, free, size):
            length = sum(len(p.statements) for p in pieces[starts[0] : starts[0] + size])
            score = (len(starts) - 1) * length
            if score > best_score and _is_block(pieces[starts[0] : starts[0] + size], statements):
                best, best_score = (starts, size), score
    return best


def _occurrences(letters: list[int], free: list[bool], size: int) -> Iterable[list[int]]:
    """Where each word of `size` letters begins, without overlaps."""
    found: dict[tuple[int, ...], list[int]] = {}
    for start in range(len(letters) - size + 1):
        starts = found.setdefault(tuple(letters[start : start + size]), [])
        if all(free[start : start + size]) and (not starts or start >= starts[-1] + size):
            starts.append(start)
    return (starts for starts in found.values() if starts)


def _is_block(pieces: list[Piece], statements: list[Statement]) -> bool:
    """Whether a person would make it a class: it branches, or has a layer with a normalisation."""
    kinds = [_kind(statements[i]) for p in pieces for i in p.statements]
    weighted = [k for k in kinds if k.startswith(("Conv", "Dense"))]
    branches = any(len(p.statements) > 2 for p in pieces)
    normed = len(kinds) > 2 and any(k.startswith(_NORMS) for k in kinds)
    return bool(weighted) and (branches or normed)


def _place_word(
    word: Word, statements: list[Statement], hints: list[str], taken: Names, count: int
) -> None:
    """Gives every occurrence of a word a module of its own."""
    rows = [[i for p in o for i in p.statements if i not in p.shortcut] for o in word.occurrences]
    shortcuts = [sorted(i for p in o for i in p.shortcut) for o in word.occurrences]
    paths = _block_paths(word, rows, hints, taken, count)
    prefixes = [_common_prefix([hints[i] for i in row if hints[i]]) for row in rows]
    for column in zip(*rows, strict=True):
        rests = {hints[i][len(p) :].strip("_/.") for i, p in zip(column, prefixes, strict=True)}
        rest = rests.pop() if len(rests) == 1 else ""
        for i, path in zip(column, paths, strict=True):
            cell = cell_in(statements[i].expr)
            statements[i].scope = path
            if cell is not None and rest:
                statements[i].cell_path = (*path, _layer_name(rest, cell.kind))
    for row, path in zip(shortcuts, paths, strict=True):
        for number, i in enumerate(row):
            statements[i].scope = (*path, "downsample")
            statements[i].cell_path = (*path, "downsample", str(number))


def _block_paths(
    word: Word, rows: list[list[int]], hints: list[str], taken: Names, count: int
) -> list[ModulePath]:
    """A path for each occurrence: from the weights' names, else numbered in runs."""
    prefixes = [_common_prefix([hints[i] for i in row if hints[i]]).strip("_/.") for row in rows]
    if all(prefixes) and len(set(prefixes)) == len(prefixes):
        return [_numbered_path(p, prefixes, taken) for p in prefixes]
    size = len(word.occurrences[0])
    paths: list[ModulePath] = []
    run, number = 0, 0
    several = any(b - a != size for a, b in zip(word.starts, word.starts[1:], strict=False))
    base = f"blocks{count + 1}" if count else "blocks"
    for k, start in enumerate(word.starts):
        if k and start == word.starts[k - 1] + size:
            number += 1
        else:
            run, number = run + 1, 0
        paths.append(
            (
                f"{base}_{run}" if several and count else f"stage{run}" if several else base,
                str(number),
            )
        )
    taken.add(p[0] for p in paths)
    return paths


def _numbered_path(prefix: str, prefixes: list[str], taken: Names) -> ModulePath:
    """`res2_0` as ("res2", "0") where the numbers run from 0; else one attribute."""
    match = re.fullmatch(r"(.*?[A-Za-z0-9])[_/.](\d+)", prefix)
    if match is not None:
        others = [m for p in prefixes if (m := re.fullmatch(r"(.*?[A-Za-z0-9])[_/.](\d+)", p))]
        numbers = [int(m[2]) for m in others if m[1] == match[1]]
        if numbers == list(range(len(numbers))):
            return (_identifier(match[1], "block"), match[2])
    return (taken.take(_identifier(prefix, "block")),)


def _hints(statements: list[Statement]) -> list[str]:
    """For each statement with weights, the part of their names that tells the layer."""
    found: list[str] = []
    for statement in statements:
        cell = cell_in(statement.expr)
        sources = [n for _, w in cell.weights for n in w.sources] if cell is not None else []
        found.append(_layer_word(sources[0]) if sources and len(sources[0]) < 200 else "")
    named = [h for h in found if h]
    shared = _common_prefix(named) if len(named) > 2 else ""
    shared = shared[: max(shared.rfind("/"), shared.rfind(".")) + 1]
    return [h[len(shared) :] for h in found]


def _layer_word(source: str) -> str:
    """`gpu_0/res2_0_branch2a` from "gpu_0/res2_0_branch2a_w_0"; "" if the name says nothing."""
    word = re.sub(r":\d+$", "", source)
    word = re.sub(r"(?<=\D)_\d+$", "", word)
    word = re.sub(
        r"[_/.](w|b|s|weights?|bias(es)?|kernel|gamma|beta|scale|riv|rm|ReadVariableOp|read)$",
        "",
        word,
    )
    plain = re.fullmatch(r"[A-Za-z0-9_/.]+", word) and "::" not in word
    return (
        word
        if plain and word.lower() not in MEANINGLESS and re.search(r"[A-Za-z]{2}", word)
        else ""
    )


def _common_prefix(words: list[str]) -> str:
    """The longest common beginning that ends where a part of each name ends."""
    if not words:
        return ""
    shortest, longest = min(words), max(words)
    size = next((i for i, c in enumerate(shortest) if longest[i : i + 1] != c), len(shortest))
    while size and not all(
        w[size : size + 1] in ("", "_", "/", ".") or w[size - 1] in "_/." for w in words
    ):
        size -= 1
    return shortest[:size]


def _layer_name(hint: str, kind: str) -> str:
    return _identifier(hint, "conv" if kind.startswith("Conv") else kind.lower())


def _identifier(word: str, kind: str) -> str:
    """A plain attribute name from a hint; one that begins with a digit gets its kind in front."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", word).strip("_") or kind
    return attribute_name(f"{kind}{name}" if name[0].isdigit() else name)[:60]
