"""Patterns of names find what Python's `re` finds, in time that grows with the text."""

from __future__ import annotations

import random
import re

import pytest

from msconvert.runtime.dump.patterns import MOST_STATES, PatternError, pattern_of

PATTERNS = [
    *("", "a", "^a", "a$", "a|b", "|a", "a||b", "(a)", "(?:a|b)c", "(?P<n>a)b", "a*", "^a+$"),
    *("a?b", "^(ab)*$", "^a{2}$", "^a{2,}b", "^a{,2}$", "^a{1,3}$", "a{", "a{}", "a{x}", "{2}a"),
    *("[ab]c", "[^ab]", "[]a]", "[^]a]", r"[\]a]b", "[a-c/]{2}", r"\d", r"\w+/", r"\.", r"\x61b"),
    *(r"\u0061", r"\141b", r"\bab", r"a\B", r"\Aab\Z", "a.c", "a*?b", "^(a|b)+?$", "(a*)*b"),
    *("()*a", "(a|a)*$", "(^a|b$)c?", "((a|b)/)+c", "(a?){3}b", "^(a{2}){2}$", "(|a)+$", r"\(a\)"),
    *("[(]", "^a{0}b$", "^(a+b?)+c$", r"[{2}]", "a{2}{2}", "a{,}b", "(?:)", "[*+]", r"\\", "a{ 2}"),
]  # fmt: skip


@pytest.mark.parametrize("text", PATTERNS)
def test_it_finds_what_re_finds(text: str) -> None:
    try:
        oracle = re.compile(text)
    except re.error:
        with pytest.raises(PatternError, match="no regular expression"):
            pattern_of(text)
        return
    pattern, chance = pattern_of(text), random.Random(text)
    words = ["", *("".join(chance.choices("abc/2{}].(*\\ ", k=k % 9)) for k in range(300))]
    words += ["".join(chance.choices("ab", k=k % 7)) for k in range(200)]
    for word in words:
        assert pattern.is_in(word) == (oracle.search(word) is not None), word


@pytest.mark.parametrize(
    "text", ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "^(a?){40}a{40}b", "(.*)*x", "a*a*a*a*a*a*a*a*b",
             "(([a-z])+.)+[A-Z]"],
)  # fmt: skip
def test_no_pattern_takes_for_ever(text: str) -> None:
    """`re` would not end: each letter of these names doubles the ways, or nearly."""
    pattern = pattern_of(text)
    assert pattern.is_in("a" * 1000 + "!") is False
    assert len(pattern.states) < 200


@pytest.mark.parametrize(
    "text", [r"(a)\1", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "(?i)a", "(?i:a)", "(?>a)b", "a++",
             "a{2}+", "(?P<n>a)(?P=n)", "(?#x)a", "(a)?(?(1)b|c)", "(", "*", "(" * 5000],
)  # fmt: skip
def test_what_it_does_not_say_is_refused(text: str) -> None:
    with pytest.raises(PatternError):
        pattern_of(text)


@pytest.mark.parametrize(
    "text", ["a{2000}", "(a{100}){100}", "a{0,4000000000}", "(((a{999}){999}){999}){999}",
             "a" * 2000, "(" * 90 + "a" + "){9}" * 90],
)  # fmt: skip
def test_a_pattern_of_too_many_states_is_refused(text: str) -> None:
    with pytest.raises(PatternError, match=str(MOST_STATES)):
        pattern_of(text)


def test_what_is_empty_is_not_repeated() -> None:
    assert pattern_of("((((){9999}){9999}){9999}){9999}a").is_in("a")
