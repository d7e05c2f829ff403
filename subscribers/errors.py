"""Exceptions of the bridge.

    SubscribersError
    ├── PriceError     a price file says something that cannot be meant
    └── SpecError      telemetry_spec.toml says something that cannot be meant

Only set-up raises them; nothing is ever raised into the code that emits a hook.
"""

from __future__ import annotations


class SubscribersError(Exception):
    """Root of the package's errors."""


class PriceError(SubscribersError):
    """A price file cannot be used; the message names the file and the entry."""


class SpecError(SubscribersError):
    """A telemetry spec cannot be used; the message names the file and the row."""
