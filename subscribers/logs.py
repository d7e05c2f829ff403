"""Redaction of the bus's log lines about failed hooks.

The bus logs a failure with its traceback. Exceptions quote the values that they failed on, and a
hook gets all of them; a log must not show them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from subscribers.content.redaction import Redactor

_BUS = logging.getLogger("mcp.instrument")
_FORMATTER = logging.Formatter()


class _Scrub(logging.Filter):
    """Redacts the message, and replaces a traceback that contains a secret by its redacted text."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        clean = self._redactor.text(message)
        if clean != message:
            record.msg, record.args = clean, None
        if record.exc_info:
            traceback = _FORMATTER.formatException(record.exc_info)
            if (clean := self._redactor.text(traceback)) != traceback:
                record.exc_info, record.exc_text = None, clean
        return True


def scrub_logs_of_hooks(redactor: Redactor) -> Callable[[], None]:
    """Redact log records of the bus until the returned function is called."""
    scrub = _Scrub(redactor)
    _BUS.addFilter(scrub)
    return lambda: _BUS.removeFilter(scrub)
