"""Secrets of a sender that redacts nothing: which are stored or forwarded."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict

from inspector.service.model.rows import Json
from tests.support.services.otlp_receiver import Receiver
from tests.support.services.process import Service, running_service, wait_for
from tests.support.telemetry.otlp import key_values, span
from tests.unit.inspector.service.otlp.test_scrub import request

SECRETS: dict[str, Json] = {
    "arg_0": {"api_key": "Qz41f2hunter"},
    "ai.request.headers.authorization": "Bearer Qz41f2hunter",
    "langsmith.metadata.LANGSMITH_API_KEY": "Qz41f2hunter",
    "db.url": "postgres://joe:Qz41f2hunter@db/x",
    "prompt": 'use {"password": "Qz41f2hunter"} and stay',
}
SECRET = b"Qz41f2hunter"


def send(service: Service) -> None:
    """Send the same in three ways, as three traces."""
    for number, coding in enumerate(("protobuf", "json", "gzip"), start=1):
        made = request(span("careless", trace=number, attributes=SECRETS))
        made.resource_spans[0].resource.attributes.extend(
            key_values({"os.env.TOKEN": "Qz41f2hunter"})
        )
        headers = {"content-type": "application/x-protobuf"}
        body = made.SerializeToString()
        if coding == "json":
            headers = {"content-type": "application/json"}
            body = json.dumps(MessageToDict(made)).encode()  # ids in base64, as some files have it
        elif coding == "gzip":
            headers["content-encoding"] = "gzip"
            body = gzip.compress(body)
        answer = service.client.post("/v1/traces", content=body, headers=headers)
        assert (answer.status_code, answer.content) in ((200, b""), (200, b"{}"))


def shown(service: Service) -> bytes:
    """Return the answers of the API about all three."""
    sessions = service.client.get("/sessions").json()["sessions"]
    assert len(sessions) == 3
    received = [
        gzip.decompress(service.client.get(f"/trace/{session['id']}").content)
        for session in sessions
    ]
    return b"".join(received)


@pytest.fixture
def further() -> Iterator[Receiver]:
    with Receiver() as received:
        yield received


@pytest.mark.slow
@pytest.mark.parametrize("capture", ["redacted", "full"])
def test_secrets_of_senders_are_removed_unless_all_is_captured(
    tmp_path: Path, further: Receiver, capture: str
) -> None:
    with running_service(tmp_path, forward_otlp=further.url, capture_content=capture) as service:
        send(service)
        wait_for(lambda: len(further.spans) == 3)
        exported = shown(service)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    forwarded = b"".join(b"".join(bodies) for bodies in further.bodies.values())
    is_full = capture == "full"
    assert [SECRET in content for content in (exported, stored, forwarded)] == [is_full] * 3
    assert [b"[redacted]" in content for content in (exported, stored, forwarded)] == [
        not is_full
    ] * 3
    assert b"and stay" in exported
    assert (b"inspector.redacted" in exported) is not is_full
