"""What the bridge was asked to do: argument, else environment, else default."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

_logger = logging.getLogger("inspector")

DEFAULT_MAX_CONTENT_BYTES = 30_720
"""Per attribute, UTF-8, after serialisation."""


class Vocabulary(StrEnum):
    """Which attribute keys a span carries; its name and kind are official unless `legacy`."""

    DUP = "dup"
    CURRENT = "current"
    LEGACY = "legacy"


class Capture(StrEnum):
    """What happens to prompts, arguments, results and envelopes."""

    FULL = "full"
    REDACTED = "redacted"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Options:
    """How hooks become spans.

    `has_structured_content` writes content as maps and lists instead of JSON text: fewer backends
    show it, and SDKs before 1.45 drop it.
    """

    vocabulary: Vocabulary = Vocabulary.DUP
    capture: Capture = Capture.OFF
    max_content_bytes: int = DEFAULT_MAX_CONTENT_BYTES
    has_structured_content: bool = False


def read_options(
    *,
    semconv: str | None = None,
    capture: str | None = None,
    default_capture: Capture = Capture.OFF,
    environ: Mapping[str, str] = os.environ,
) -> Options:
    """Settle the options; an argument wins over the environment, that over the default.

    Args:
        semconv: `dup`, `current` or `legacy`; else `INSPECTOR_SEMCONV`.
        capture: `full`, `redacted` or `off`; else `INSPECTOR_CAPTURE_CONTENT`, else
            `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` (`NO_CONTENT`: off, any other:
            redacted).
        default_capture: When nobody said anything.
        environ: Where the variables are read.

    Raises:
        ValueError: An argument is not one of its values. A bad variable is only logged: the
            environment of a watched agent must not stop it.
    """
    vocabulary = (
        Vocabulary(semconv)
        if semconv
        else _from_environ("INSPECTOR_SEMCONV", environ, Vocabulary.DUP)
    )
    if capture:
        return Options(vocabulary=vocabulary, capture=Capture(capture))
    fallback = _otel_capture(environ) or default_capture
    return Options(
        vocabulary=vocabulary,
        capture=_from_environ("INSPECTOR_CAPTURE_CONTENT", environ, fallback),
    )


_E = TypeVar("_E", bound=StrEnum)


def _from_environ(variable: str, environ: Mapping[str, str], default: _E) -> _E:
    text = environ.get(variable, "").strip().lower()
    if not text:
        return default
    try:
        return type(default)(text)
    except ValueError:
        allowed = ", ".join(type(default))
        _logger.warning("%s=%r is not one of %s; using %s.", variable, text, allowed, default)
        return default


def _otel_capture(environ: Mapping[str, str]) -> Capture | None:
    text = environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").strip().lower()
    if not text:
        return None
    # Packages before util-genai 1.0 wrote `true` and `false`.
    return Capture.OFF if text in {"no_content", "false"} else Capture.REDACTED
