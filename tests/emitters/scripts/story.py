"""The conversation that every emitter has, and the model that answers it offline.

Imported by the scripts beside it, which run in environments of their own: standard library only.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any

MODEL = "gpt-4o-mini"
SYSTEM = "Answer in one sentence."
QUESTION = "What is the weather in Zürich?"
TOOL = "get_weather"
TOOL_TEXT = "Weather of a city."
CITY = "Zürich"
CALL_ID = "call_1"
WEATHER = {"temperature_c": 21, "sky": "clear"}
ANSWER = "It is 21 °C and clear in Zürich."
CALL_USAGE = {"input": 120, "output": 18, "cache_read": 64, "reasoning": 8}
ANSWER_USAGE = {"input": 150, "output": 12, "cache_read": 128, "reasoning": 0}
TOOL_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {"name": TOOL, "description": TOOL_TEXT, "parameters": TOOL_SCHEMA},
    }
]


def packages(*names: str) -> dict[str, Any]:
    """Return resource attributes with the versions of the packages."""
    return {
        "service.name": f"emitter-{names[0]}",
        "emitter.packages": [f"{name}=={version(name)}" for name in names],
    }


def provider(*names: str) -> Any:
    """Return a tracer provider that sends by OTLP to the address in the environment."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    made = TracerProvider(resource=Resource.create(packages(*names)))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


def log_provider(*names: str) -> Any:
    """Return a logger provider that sends by OTLP to the address in the environment."""
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    made = LoggerProvider(resource=Resource.create(packages(*names)))
    made.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    return made


def converse(client: Any, *, stream: bool = False) -> None:
    """Hold the conversation through the `openai` package, answering its tool call."""
    messages: list[Any] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": QUESTION},
    ]
    first = _complete(client, messages, stream)
    call = first["tool_calls"][0]
    messages += [
        first,
        {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(WEATHER)},
    ]
    _complete(client, messages, stream)


def _complete(client: Any, messages: list[Any], stream: bool) -> dict[str, Any]:
    request: dict[str, Any] = {
        "model": MODEL, "messages": messages, "tools": TOOLS, "temperature": 0.2, "max_tokens": 200,
    }  # fmt: skip
    if not stream:
        answer = client.chat.completions.create(**request).choices[0].message
        return {k: v for k, v in answer.model_dump().items() if v is not None}
    message: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": []}
    options = {"include_usage": True}
    for chunk in client.chat.completions.create(stream=True, stream_options=options, **request):
        for choice in chunk.choices:
            message["content"] += choice.delta.content or ""
            message["tool_calls"] += [
                {"id": call.id, "type": "function", "function": call.function.model_dump()}
                for call in choice.delta.tool_calls or ()
            ]
    return {key: value for key, value in message.items() if value}


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    # Some frameworks tell the model of a tool's result by the user's mouth.
    is_answered = "temperature_c" in str(request["messages"])
    usage = ANSWER_USAGE if is_answered else CALL_USAGE
    message: dict[str, Any] = {"role": "assistant", "content": ANSWER if is_answered else None}
    if not is_answered:
        function = {"name": TOOL, "arguments": json.dumps({"city": CITY}, ensure_ascii=False)}
        message["tool_calls"] = [{"id": CALL_ID, "type": "function", "function": function}]
    reason = "stop" if is_answered else "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": f"{MODEL}-2024-07-18",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {
            "prompt_tokens": usage["input"],
            "completion_tokens": usage["output"],
            "total_tokens": usage["input"] + usage["output"],
            "prompt_tokens_details": {"cached_tokens": usage["cache_read"]},
            "completion_tokens_details": {"reasoning_tokens": usage["reasoning"]},
        },
    }


def _chunks(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    common = {**answer, "object": "chat.completion.chunk"}
    usage, choice = common.pop("usage"), common["choices"][0]
    delta = choice["message"]
    for index, call in enumerate(delta.get("tool_calls", ())):
        call["index"] = index
    yield {**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    ended = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {**common, "choices": [ended]}
    yield {**common, "choices": [], "usage": usage}


class ModelHandler(BaseHTTPRequestHandler):
    """Answers as OpenAI's API does."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.endswith("/embeddings"):
            self.send_json(
                {
                    "object": "list",
                    "model": request["model"],
                    "data": [{"object": "embedding", "index": 0, "embedding": [0.25, 0.5]}],
                    "usage": {"prompt_tokens": 4, "total_tokens": 4},
                }
            )
        elif request["model"] == "busy":
            self.send_json({"error": {"message": "Too many requests.", "type": "rate"}}, status=429)
        elif request.get("stream"):
            events = [json.dumps(chunk) for chunk in _chunks(_answer(request))]
            body = "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])
            self.send_body(body.encode(), "text/event-stream")
        else:
            self.send_json(_answer(request))

    def send_json(self, body: dict[str, Any], status: int = 200) -> None:
        self.send_body(json.dumps(body).encode(), "application/json", status)

    def send_body(self, body: bytes, content_type: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def model_server(handler: type[ModelHandler] = ModelHandler) -> Iterator[str]:
    """Run the model on a free port; yield its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
