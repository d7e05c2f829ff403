"""Exit codes, and what an error of ours looks like: one sentence, not a traceback.

Without the command line's library, so that `serve` starts sooner.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from types import MappingProxyType

from inspector.errors import InspectorError

FAILED, CANNOT_START, NO_SERVICE = 1, 2, 3

_CTRL_C = 130


@contextmanager
def reporting_errors(
    codes: Mapping[type[InspectorError], int] = MappingProxyType({}),
) -> Iterator[None]:
    """Exit with a sentence when the block raises an error of ours.

    Args:
        codes: Exit codes by class of error; all others mean `CANNOT_START`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a trace may hold any letter
    try:
        yield
    except InspectorError as error:
        from inspector.service.analysis.sanitise import visible  # noqa: PLC0415 - seldom needed

        sys.stderr.write(f"inspector: {visible(str(error))}\n")
        sys.exit(codes.get(type(error), CANNOT_START))
    except OSError as error:  # such as a full disk that the output goes to
        sys.stderr.write(f"inspector: {error.strerror or error}.\n")
        sys.stdout = None  # Python would try to write the rest at exit
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(_CTRL_C)
