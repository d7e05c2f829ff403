"""The demo against an OpenAI-compatible endpoint that speaks the real wire format."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from inspector.demo.model import Delta, ToolCall
from inspector.demo.openai_model import ModelEndpointError, OpenAIModel, model_from_environment
from tests.unit.inspector.demo.recording import record_story


class Endpoint(ThreadingHTTPServer):
    """Answers each request with the next of the prepared streams; keeps the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.streams: list[list[dict[str, Any]]] = []
        self.requests: list[dict[str, Any]] = []
        self.status = 200

    @property
    def model(self) -> OpenAIModel:
        return OpenAIModel(f"http://127.0.0.1:{self.server_port}/v1", "a key", "tiny")


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, "headers": dict(self.headers), **body})
        self.send_response(self.server.status)
        self.end_headers()
        if self.server.status != 200:
            self.wfile.write(b'{"error": "no such model"}')
            return
        for event in self.server.streams.pop(0):
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _chunk(finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _call(index: int, **function: str) -> dict[str, Any]:
    return {"index": index, "function": function}


async def _deltas(model: OpenAIModel) -> list[Delta]:
    tools = [{"name": "look", "description": "", "parameters": {"type": "object"}}]
    return [delta async for delta in model.stream([{"role": "user", "content": "hi"}], tools)]


async def test_text_arrives_in_the_pieces_it_was_sent_in(endpoint: Endpoint) -> None:
    endpoint.streams = [
        [
            _chunk(content="Hel"),
            _chunk(content="lo"),
            _chunk("stop"),
            {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
        ]
    ]

    *pieces, last = await _deltas(endpoint.model)

    assert [piece.text for piece in pieces] == ["Hel", "lo"]
    assert last.finish_reason == "stop"
    assert last.usage == {"input_tokens": 5, "output_tokens": 2}
    [request] = endpoint.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["Authorization"] == "Bearer a key"
    assert request["tools"][0]["function"]["name"] == "look"


async def test_fragments_of_tool_calls_are_put_together(endpoint: Endpoint) -> None:
    endpoint.streams = [
        [
            _chunk(tool_calls=[{"id": "a", **_call(0, name="look", arguments='{"x"')}]),
            _chunk(tool_calls=[{"id": "b", **_call(1, name="listen", arguments="{}")}]),
            _chunk("tool_calls", tool_calls=[_call(0, arguments=": 1}")]),
        ]
    ]

    deltas = await _deltas(endpoint.model)

    assert [delta.tool_call for delta in deltas if delta.tool_call] == [
        ToolCall("a", "look", '{"x": 1}'),
        ToolCall("b", "listen", "{}"),
    ]


async def test_a_refusal_says_what_to_check(endpoint: Endpoint) -> None:
    endpoint.status = 404

    with pytest.raises(ModelEndpointError, match=r"404: .*no such model.*OPENAI_MODEL"):
        await _deltas(endpoint.model)


async def test_an_endpoint_that_is_not_there_says_what_to_check() -> None:
    with pytest.raises(ModelEndpointError, match=r"Cannot reach.*OPENAI_BASE_URL"):
        await _deltas(OpenAIModel("http://127.0.0.1:9", "key"))


@pytest.mark.slow
async def test_a_real_model_uses_the_tools_of_the_servers(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.streams = [
        [_chunk(tool_calls=[{"id": "a", **_call(0, name="list_issues", arguments="{}")}])],
        [_chunk(tool_calls=[{"id": "b", **_call(0, name="list_issues", arguments="not json")}])],
        [_chunk("stop", content="Six are open.")],
    ]

    recording = await record_story("triage", seed=1, directory=tmp_path, endpoint=endpoint.model)

    assert recording.answer == "Six are open."
    [call] = recording.of("after_tool_call")
    assert call["tool_name"] == "list_issues"
    result = endpoint.requests[1]["messages"][-1]
    assert result["role"] == "tool"
    assert "captive portal" in result["content"]
    assert "are not JSON" in endpoint.requests[2]["messages"][-1]["content"]
    assert {use["provider"] for use in recording.of("before_llm_generate")} == {"openai"}


@pytest.mark.slow
async def test_a_failing_model_fails_the_session(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.status = 500

    with pytest.raises(ModelEndpointError, match="500"):
        await record_story("triage", seed=1, directory=tmp_path, endpoint=endpoint.model)


def test_an_endpoint_needs_both_a_base_url_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert model_from_environment() is None

    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    model = model_from_environment()
    assert model is not None
    assert "secret" not in repr(model)
