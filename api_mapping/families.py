"""Builders of rows that come in families, so that a table states each fact once."""

from __future__ import annotations

from .rule import Rule


def missing(advice: str, *signatures: str) -> tuple[Rule, ...]:
    """Rows of names that MindSpore has no counterpart of, with one thing to do instead."""
    return tuple(Rule(signature, advice=advice) for signature in signatures)
