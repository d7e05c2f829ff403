"""`openapi.yaml` against the running service."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    positive_data_acceptance,
    unsupported_method,
)

from tests.support.services.process import Service, running_service
from tests.support.telemetry.export import TRACE_ID, span, span_id, trace_request

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
PROTOBUF = "application/x-protobuf"
TIMEOUT_S = 20


def empty_request(scopes: int) -> bytes:
    """Return a request without items, which is the same for traces, logs and metrics."""
    request = trace_request()
    del request.resource_spans[0].scope_spans[:]
    for _ in range(scopes):
        request.resource_spans[0].scope_spans.add().scope.name = "tests"
    return request.SerializeToString()


schemathesis.openapi.media_type(PROTOBUF, st.integers(0, 3).map(empty_request))
# Every stream begins with an event: one is enough to see that it keeps to its schema.
CONFIG: dict[str, Any] = {"max-stream-events": 1}
# Where the test runs, not in each process that collects: making its cases takes seconds.
schema = schemathesis.pytest.from_fixture("contract")

KNOWN = {
    "session_id": [TRACE_ID.hex(), "no such session", "a/b"],
    "trace_id": [TRACE_ID.hex()],
    "span_id": [span_id(1).hex(), span_id(9).hex()],
}


def map_path_parameters(context: object, path_parameters: dict[str, Any] | None) -> object:
    """Let most requests be about something that exists."""
    for name, known in KNOWN.items():
        value = (path_parameters or {}).get(name)
        if path_parameters and isinstance(value, str) and len(value) % 4:
            path_parameters[name] = known[len(value) % len(known)]
    return path_parameters


@pytest.fixture(
    scope="module",
    params=["some values", pytest.param("each value at its limits", marks=pytest.mark.slow)],
)
def contract(request: pytest.FixtureRequest) -> schemathesis.BaseSchema:
    at_limits = {"enabled": request.param != "some values"}
    config = SchemathesisConfig.from_dict({**CONFIG, "phases": {"coverage": at_limits}})
    schema = schemathesis.openapi.from_path(CONTRACT, config=config)
    schema.hook(map_path_parameters)
    return schema


@pytest.fixture(autouse=True)
def node_has_its_id(request: pytest.FixtureRequest) -> None:
    # What Schemathesis 4.32 renames, and pytest 9.2 no longer has.
    request.node._nodeid = request.node.nodeid


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    directory = tmp_path_factory.mktemp("contract")
    with running_service(directory, require_ingest_token=True, store="memory:") as service:
        service.send(span(1), span(2))
        yield service
        assert httpx.get(f"{service.url}/health").json()["ready"] is True, "it is unharmed"


def _fields(case: "schemathesis.Case[Any]") -> list[Any]:
    return list(case.body) if isinstance(case.body, dict) else []


@schema.parametrize()
@settings(
    max_examples=4,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_keeps_to_the_contract(
    case: "schemathesis.Case[Any]", service: Service
) -> None:
    # More is taken than the contract asks callers to keep to: unknown query parameters are ignored,
    # any text is a position in the stream, and OTLP/JSON is read as it is really sent.
    not_checked: list[Any] = [negative_data_rejection]
    if case.path == "/mcp":
        not_checked.append(positive_data_acceptance)  # what it takes is up to another protocol
    if "q" in (case.query or {}):
        not_checked.append(positive_data_acceptance)  # a language: not every text is a query
    if "cursor" in (case.query or {}):
        not_checked.append(positive_data_acceptance)  # opaque: one that was made up is refused
    if any(str(name).endswith("_json") for name in _fields(case)):
        not_checked.append(positive_data_acceptance)  # JSON as text: not every text is JSON
    if case.path.startswith("/processes/"):
        not_checked.append(unsupported_method)  # an id may be any path: `a/messages` is one
    case.call_and_validate(
        base_url=service.url,
        headers={"Authorization": f"Bearer {service.token}"},
        timeout=TIMEOUT_S,
        excluded_checks=not_checked,
    )
