"""Pipelines as JSON, and back, in MindSpore's own words."""

from __future__ import annotations
