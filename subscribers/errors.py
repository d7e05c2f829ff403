"""Exceptions of the bridge.

    SubscribersError
    ├── PriceError     an invalid price file
    └── SpecError      an invalid telemetry spec

Only set-up raises them; nothing is raised into code that emits a hook.
"""

from __future__ import annotations


class SubscribersError(Exception):
    """Root of the package's errors."""


class PriceError(SubscribersError):
    """A price file cannot be used; the message names the file and the entry."""


class SpecError(SubscribersError):
    """A telemetry spec cannot be used; the message names the file and the row."""
