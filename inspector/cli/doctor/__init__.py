"""`inspector doctor`: checks of this setup, with advice for each problem.

It only reads: it writes nothing, and sends only requests that change nothing, to listeners on this
machine and to the named service, history and targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from inspector.cli.doctor.agents import examine_frameworks, examine_policies, examine_senders
from inspector.cli.doctor.disk import examine_store, examine_token
from inspector.cli.doctor.finding import FAIL, OK, CheckResult
from inspector.cli.doctor.reader import examine_writers, is_reader
from inspector.cli.doctor.service import examine_forwarding, examine_ports, examine_service
from inspector.errors import InspectorError
from inspector.service.settings import Settings, load_settings
from inspector.version import VERSION

_EXAMINATIONS: tuple[Callable[[Settings, Mapping[str, str]], Iterator[CheckResult]], ...] = (
    examine_service,
    examine_ports,
    examine_token,
    examine_store,
    examine_senders,
    examine_frameworks,
    examine_policies,
    examine_forwarding,
)
_OF_READER: tuple[Callable[[Settings, Mapping[str, str]], Iterator[CheckResult]], ...] = (
    examine_service,
    examine_writers,
    examine_frameworks,
    examine_policies,
)
"""It has no store, and receives nothing."""


def examine(environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Yield the results of all checks; none takes longer than a few seconds."""
    yield CheckResult(OK, "version", f"mcp-agent-inspector {VERSION}")
    try:
        settings = load_settings()
    except InspectorError as error:
        yield CheckResult(
            FAIL, "settings", str(error), "Fix it: the service does not start with it."
        )
        return
    for examination in _OF_READER if is_reader(settings, environ) else _EXAMINATIONS:
        yield from examination(settings, environ)
