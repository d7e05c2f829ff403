"""A provider of models on this machine, which speaks the protocols of OpenAI and Anthropic.

Chat completions, responses, embeddings and messages, whole and as server-sent events, each event
in two writes. Its answers follow a script; what was asked is kept.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple

MODEL = "scripted-1"
SENT, CACHED, RECEIVED, THOUGHT = 10, 4, 5, 2
"""The tokens of each answer."""


@dataclass
class Answer:
    """An answer of the model.

    Attributes:
        text: What it says.
        calls: The tools that it calls, with their arguments.
        thinking: What it thinks before.
        stops_after: Events of a stream after which the connection is cut; None: all are sent.
        fails_after: Events after which the stream has an error.
        is_compressed: Whether the body is compressed.
        before_event: Called with the number of each event of a stream before it is sent.
    """

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    thinking: str = ""
    stops_after: int | None = None
    fails_after: int | None = None
    is_compressed: bool = False
    before_event: Callable[[int], object] | None = None


class Raw(NamedTuple):
    """A response as it is: an error, or rubbish."""

    status: int
    body: bytes
    headers: dict[str, str] = {}  # noqa: RUF012 - nobody changes it


class ModelRequest(NamedTuple):
    """A request."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def key(self) -> str:
        """The key of the client that asks."""
        own = self.headers.get("authorization", "").removeprefix("Bearer ")
        return own or self.headers.get("x-api-key", self.headers.get("api-key", ""))


def says(text: str, **more: Any) -> Answer:
    """Return an answer that is a text."""
    return Answer(text, **more)


def calls(name: str, *arguments: dict[str, Any], **more: Any) -> Answer:
    """Return an answer that calls a tool, once for each of `arguments`."""
    return Answer(calls=[(name, one) for one in arguments], **more)


def overloaded(status: int = 529, retry_after: str = "0.01") -> Raw:
    """Return a refusal for now."""
    error = {"type": "overloaded_error", "message": "overloaded"}
    body = json.dumps({"type": "error", "error": error}).encode()
    return Raw(status, body, {"content-type": "application/json", "retry-after": retry_after})


class ModelProvider:
    """The provider; its script is answered from the front, and then with `Hello there.`.

    Attributes:
        script: The next answers.
        scripts: Those for clients with a key of their own.
        request: The requests that came.
    """

    def __init__(self, *script: Answer | Raw) -> None:
        self.script = list(script)
        self.scripts: dict[str, list[Answer | Raw]] = {}
        self.requests: list[ModelRequest] = []

    def __enter__(self) -> ModelProvider:
        provider = self

        class Handler(_Handler):
            owner = provider

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which the clients find it."""
        return {
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "nothing",
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "nothing",
        }

    def answer(self, request: ModelRequest) -> Answer | Raw:
        """Keep a request, and return the next answer."""
        self.requests.append(request)
        script = self.scripts.get(request.key, self.script)
        return script.pop(0) if script else Answer("Hello there.")


class _Handler(BaseHTTPRequestHandler):
    owner: ModelProvider
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        path = self.path.partition("?")[0]
        request = ModelRequest(
            path, body, {name.lower(): text for name, text in self.headers.items()}
        )
        answer = self.owner.answer(request)
        if isinstance(answer, Raw):
            self._send(answer.status, answer.body, answer.headers)
        elif path.endswith("/embeddings"):
            self._send_json(_vectors(body))
        elif path.endswith("/count_tokens"):
            self._send_json({"input_tokens": SENT})
        else:
            made = next(make for end, make in _ROUTES.items() if path.endswith(end))(answer, body)
            if body.get("stream") or "stream" in path:
                self._stream(answer, made.events())
            else:
                self._send_json(made.whole(), is_compressed=answer.is_compressed)

    def _send_json(self, content: Any, *, is_compressed: bool = False) -> None:
        body, headers = json.dumps(content).encode(), {"content-type": "application/json"}
        if is_compressed:
            body, headers["content-encoding"] = gzip.compress(body), "gzip"
        self._send(200, body, headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, answer: Answer, events: Iterator[Any]) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        if answer.is_compressed:
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        packer = gzip.zlib.compressobj(wbits=31) if answer.is_compressed else None  # type: ignore[attr-defined]
        for number, event in enumerate(events):
            if answer.before_event is not None:
                answer.before_event(number)
            if number == answer.stops_after:
                return  # in the middle of a chunked body
            if number == answer.fails_after:
                error = {"type": "overloaded_error", "message": "out of breath"}
                event = {"type": "error", "error": error}
            text = event if isinstance(event, str) else json.dumps(event)
            kind = "" if isinstance(event, str) else event.get("type", "")
            data = (
                f"event: {kind}\r\n" if kind else ""
            ).encode() + f"data: {text}\r\n\r\n".encode()
            if packer is not None:
                data = packer.compress(data) + packer.flush(gzip.zlib.Z_SYNC_FLUSH)  # type: ignore[attr-defined]
            half = len(data) // 2
            for piece in (data[:half], data[half:]):
                self._write(piece)
            if number == answer.fails_after:
                break
        if packer is not None:
            self._write(packer.flush())
        self._write(b"")

    def _write(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()


class _Made:
    """An answer in a provider's words."""

    def __init__(self, answer: Answer, body: dict[str, Any]) -> None:
        self.answer, self.body = answer, body
        self.words = answer.text.split(" ") if answer.text else []
        self.words = [word + " " for word in self.words[:-1]] + self.words[-1:]

    def whole(self) -> dict[str, Any]:
        raise NotImplementedError

    def events(self) -> Iterator[Any]:
        raise NotImplementedError


class _Completion(_Made):
    def _calls(self) -> list[dict[str, Any]]:
        return [
            {
                "id": f"call-{name}-{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for number, (name, arguments) in enumerate(self.answer.calls)
        ]

    def _usage(self) -> dict[str, Any]:
        return {
            "prompt_tokens": SENT,
            "completion_tokens": RECEIVED,
            "total_tokens": SENT + RECEIVED,
            "prompt_tokens_details": {"cached_tokens": CACHED},
            "completion_tokens_details": {"reasoning_tokens": THOUGHT},
        }

    def _reason(self) -> str:
        return "tool_calls" if self.answer.calls else "stop"

    def whole(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.answer.text or None, "refusal": None}
        if self.answer.calls:
            message["tool_calls"] = self._calls()  # type: ignore[assignment]
        choice = {"index": 0, "message": message, "finish_reason": self._reason(), "logprobs": None}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": f"{self.body['model']}-2026",
            "choices": [choice],
            "usage": self._usage(),
        }

    def events(self) -> Iterator[Any]:
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1}
        head["model"] = f"{self.body['model']}-2026"

        def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
            return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

        yield chunk({"role": "assistant", "content": ""})
        for word in self.words:
            yield chunk({"content": word})
        for index, call in enumerate(self._calls()):
            function = call["function"]
            first = {**call, "index": index, "function": {**function, "arguments": ""}}
            yield chunk({"tool_calls": [first]})
            text = function["arguments"]
            for piece in (text[:3], text[3:]):
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield chunk({}, self._reason())
        if (self.body.get("stream_options") or {}).get("include_usage"):
            yield {**head, "choices": [], "usage": self._usage()}
        yield "[DONE]"


class _Response(_Made):
    def _output(self) -> list[dict[str, Any]]:
        output: list[dict[str, Any]] = []
        if self.answer.thinking:
            summary = [{"type": "summary_text", "text": self.answer.thinking}]
            output.append({"id": "rs-1", "type": "reasoning", "summary": summary})
        for number, (name, arguments) in enumerate(self.answer.calls):
            call = {"id": f"fc-{number}", "type": "function_call", "status": "completed"}
            call |= {"call_id": f"call-{name}-{number}", "name": name}
            output.append({**call, "arguments": json.dumps(arguments)})
        if self.answer.text:
            part = {"type": "output_text", "text": self.answer.text, "annotations": []}
            message = {"id": "msg-1", "type": "message", "role": "assistant"}
            output.append({**message, "status": "completed", "content": [part]})
        return output

    def whole(self) -> dict[str, Any]:
        return {
            "id": "resp-1",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "instructions": self.body.get("instructions"),
            "metadata": {},
            "model": f"{self.body['model']}-2026",
            "output": self._output(),
            "parallel_tool_calls": True,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": self.body.get("tools") or [],
            "top_p": 1.0,
            "usage": {
                "input_tokens": SENT,
                "input_tokens_details": {"cached_tokens": CACHED},
                "output_tokens": RECEIVED,
                "output_tokens_details": {"reasoning_tokens": THOUGHT},
                "total_tokens": SENT + RECEIVED,
            },
        }

    def events(self) -> Iterator[Any]:
        whole = self.whole()
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        numbers = iter(range(1_000))

        def event(kind: str, **more: Any) -> dict[str, Any]:
            return {"type": f"response.{kind}", "sequence_number": next(numbers), **more}

        yield event("created", response=begun)
        yield event("in_progress", response=begun)
        for index, item in enumerate(self._output()):
            of = {"output_index": index, "item_id": item["id"]}
            if item["type"] == "message":
                part = item["content"][0]
                bare = {**item, "content": [], "status": "in_progress"}
                yield event("output_item.added", output_index=index, item=bare)
                at = {**of, "content_index": 0}
                yield event("content_part.added", **at, part={**part, "text": ""})
                for word in self.words:
                    yield event("output_text.delta", **at, delta=word, logprobs=[])
                yield event("output_text.done", **at, text=part["text"], logprobs=[])
                yield event("content_part.done", **at, part=part)
            elif item["type"] == "function_call":
                bare = {**item, "arguments": "", "status": "in_progress"}
                yield event("output_item.added", output_index=index, item=bare)
                text = item["arguments"]
                for piece in (text[:3], text[3:]):
                    yield event("function_call_arguments.delta", **of, delta=piece)
                yield event("function_call_arguments.done", **of, arguments=text, name=item["name"])
            else:
                yield event("output_item.added", output_index=index, item={**item, "summary": []})
            yield event("output_item.done", output_index=index, item=item)
        yield event("completed", response=whole)


class _Message(_Made):
    def _content(self) -> list[dict[str, Any]]:
        content: list[dict[str, Any]] = []
        if self.answer.thinking:
            thought = {"type": "thinking", "thinking": self.answer.thinking, "signature": "s1"}
            content.append(thought)
        if self.answer.text:
            content.append({"type": "text", "text": self.answer.text})
        for number, (name, arguments) in enumerate(self.answer.calls):
            call = {"type": "tool_use", "id": f"call-{name}-{number}", "name": name}
            content.append({**call, "input": arguments})
        return content

    def whole(self) -> dict[str, Any]:
        return {
            "id": "msg-1",
            "type": "message",
            "role": "assistant",
            "model": f"{self.body.get('model', MODEL)}-2026",
            "content": self._content(),
            "stop_reason": "tool_use" if self.answer.calls else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": SENT
                - CACHED
                - 1,  # theirs leaves out what the cache has to do with
                "cache_read_input_tokens": CACHED,
                "cache_creation_input_tokens": 1,
                "output_tokens": RECEIVED,
            },
        }

    def events(self) -> Iterator[Any]:
        whole = self.whole()
        usage = {**whole["usage"], "output_tokens": 1}
        begun = {**whole, "content": [], "stop_reason": None, "usage": usage}
        yield {"type": "message_start", "message": begun}
        yield {"type": "ping"}
        for index, block in enumerate(self._content()):
            yield from _block_events(index, block, self.words)
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": RECEIVED}}
        yield {"type": "message_stop"}


def _block_events(index: int, block: dict[str, Any], words: list[str]) -> Iterator[Any]:
    kind = block["type"]
    deltas: list[dict[str, Any]]
    if kind == "text":
        start = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": word} for word in words]
    elif kind == "thinking":
        start = {**block, "thinking": "", "signature": ""}
        deltas = [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    else:
        start, text = {**block, "input": {}}, json.dumps(block["input"])
        deltas = [
            {"type": "input_json_delta", "partial_json": piece} for piece in (text[:3], text[3:])
        ]
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _vectors(body: dict[str, Any]) -> dict[str, Any]:
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    data = [
        {"object": "embedding", "index": index, "embedding": [0.5, float(index)]}
        for index, _ in enumerate(texts)
    ]
    usage = {"prompt_tokens": SENT, "total_tokens": SENT}
    return {"object": "list", "model": f"{body['model']}-2026", "data": data, "usage": usage}


_ROUTES: dict[str, type[_Made]] = {
    "/chat/completions": _Completion,
    "/responses": _Response,
    "/messages": _Message,
    ":rawPredict": _Message,
    ":streamRawPredict": _Message,
    "/invoke": _Message,
}
