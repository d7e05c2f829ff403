"""`inspector doctor`: checks of this setup, with advice for each problem.

It only looks: nothing is written, and nothing is sent but questions to what listens on this
machine, or was named as the service or as a target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from inspector.cli.doctor.disk import examine_store, examine_token
from inspector.cli.doctor.finding import FAIL, OK, CheckResult
from inspector.cli.doctor.policies import examine_policies
from inspector.cli.doctor.senders import examine_frameworks, examine_senders
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


def examine(environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Yield the results of all checks; none takes longer than a few seconds."""
    yield CheckResult(OK, "version", f"mcp-agent-inspector {VERSION}")
    try:
        settings = load_settings()
    except InspectorError as error:
        yield CheckResult(FAIL, "settings", str(error), "Mend it: the service would not start.")
        return
    for examination in _EXAMINATIONS:
        yield from examination(settings, environ)
