"""The story as told by `boto3` to AWS Bedrock, and the Bedrock that answers it offline.

Imported by the scripts beside it, which have `boto3`.
"""

from __future__ import annotations

import contextlib
import json
import struct
from binascii import crc32
from collections.abc import Callable, Iterator
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from story import (
    ANSWER,
    ANSWER_USAGE,
    CALL_ID,
    CALL_USAGE,
    CITY,
    QUESTION,
    SYSTEM,
    TOOL,
    TOOL_SCHEMA,
    TOOL_TEXT,
    WEATHER,
    ModelHandler,
    model_server,
)

MODEL = "anthropic.claude-sonnet-4-5-20250929-v1:0"


def tell_story() -> None:
    """Hold the conversation by `converse`, its stream and `invoke_model`; be refused once."""
    with model_server(_Bedrock) as url:
        client = boto3.client(
            "bedrock-runtime",
            endpoint_url=url,
            region_name="eu-central-1",
            aws_access_key_id="none",
            aws_secret_access_key="none",
            config=Config(retries={"total_max_attempts": 1}),
        )
        _converse(lambda request: client.converse(**request)["output"]["message"])
        _converse(lambda request: _joined(client.converse_stream(**request)["stream"]))
        _invoke(client)
        with contextlib.suppress(ClientError):
            now: Any = {"role": "user", "content": [{"text": "Now?"}]}
            client.converse(modelId="busy", messages=[now])


def _converse(ask: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    schema = {"json": TOOL_SCHEMA}
    tool = {"toolSpec": {"name": TOOL, "description": TOOL_TEXT, "inputSchema": schema}}
    request: dict[str, Any] = {
        "modelId": MODEL,
        "system": [{"text": SYSTEM}],
        "messages": [{"role": "user", "content": [{"text": QUESTION}]}],
        "toolConfig": {"tools": [tool]},
        "inferenceConfig": {"temperature": 0.2, "maxTokens": 200},
    }
    message = ask(request)
    call_id = message["content"][0]["toolUse"]["toolUseId"]
    result = {"toolResult": {"toolUseId": call_id, "content": [{"text": json.dumps(WEATHER)}]}}
    request["messages"] += [message, {"role": "user", "content": [result]}]
    ask(request)


def _joined(events: Any) -> dict[str, Any]:
    """Return the message of a stream."""
    text, tool = "", {}
    for event in events:
        tool |= event.get("contentBlockStart", {}).get("start", {}).get("toolUse", {})
        delta = event.get("contentBlockDelta", {}).get("delta", {})
        text += delta.get("text", "") + delta.get("toolUse", {}).get("input", "")
    content = {"toolUse": {**tool, "input": json.loads(text)}} if tool else {"text": text}
    return {"role": "assistant", "content": [content]}


def _invoke(client: Any) -> None:
    request: dict[str, Any] = {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 200,
        "system": SYSTEM,
        "messages": [{"role": "user", "content": QUESTION}],
        "tools": [{"name": TOOL, "description": TOOL_TEXT, "input_schema": TOOL_SCHEMA}],
    }
    for _ in range(2):
        answer = json.loads(
            client.invoke_model(modelId=MODEL, body=json.dumps(request))["body"].read()
        )
        call_id = answer["content"][0].get("id")
        result = {"type": "tool_result", "tool_use_id": call_id, "content": json.dumps(WEATHER)}
        request["messages"] += [
            {"role": "assistant", "content": answer["content"]},
            {"role": "user", "content": [result]},
        ]


class _Bedrock(ModelHandler):
    def do_POST(self) -> None:  # noqa: N802 - the name that the base class calls
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        _, model, operation = self.path.rsplit("/", 2)
        is_answered = "temperature_c" in str(request["messages"])
        counts = ANSWER_USAGE if is_answered else CALL_USAGE
        # Unlike OpenAI's, its input tokens are those that the cache did not have.
        usage = {**counts, "input": counts["input"] - counts["cache_read"]}
        if model == "busy":
            self.send_json({"message": "Too many requests.", "__type": "ThrottlingException"}, 429)
        elif operation == "invoke":
            self.send_json(_anthropic(is_answered, usage))
        elif operation == "converse":
            self.send_json(_conversed(is_answered, usage))
        else:
            events = _events(_conversed(is_answered, usage))
            body = b"".join(_encoded(name, event) for name, event in events)
            self.send_body(body, "application/vnd.amazon.eventstream")


def _anthropic(is_answered: bool, usage: dict[str, int]) -> dict[str, Any]:
    call = {"type": "tool_use", "id": CALL_ID, "name": TOOL, "input": {"city": CITY}}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": ANSWER} if is_answered else call],
        "stop_reason": "end_turn" if is_answered else "tool_use",
        "usage": {
            "input_tokens": usage["input"],
            "output_tokens": usage["output"],
            "cache_read_input_tokens": usage["cache_read"],
            "cache_creation_input_tokens": 0,
        },
    }


def _conversed(is_answered: bool, usage: dict[str, int]) -> dict[str, Any]:
    call = {"toolUse": {"toolUseId": CALL_ID, "name": TOOL, "input": {"city": CITY}}}
    content: dict[str, Any] = {"text": ANSWER} if is_answered else call
    return {
        "output": {"message": {"role": "assistant", "content": [content]}},
        "stopReason": "end_turn" if is_answered else "tool_use",
        "usage": {
            "inputTokens": usage["input"],
            "outputTokens": usage["output"],
            "totalTokens": usage["input"] + usage["output"] + usage["cache_read"],
            "cacheReadInputTokens": usage["cache_read"],
            "cacheWriteInputTokens": 0,
        },
        "metrics": {"latencyMs": 5},
    }


def _events(answer: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    [content] = answer["output"]["message"]["content"]
    index = {"contentBlockIndex": 0}
    yield "messageStart", {"role": "assistant"}
    if call := content.get("toolUse"):
        started = {"toolUseId": call["toolUseId"], "name": call["name"]}
        yield "contentBlockStart", {**index, "start": {"toolUse": started}}
        content = {"toolUse": {"input": json.dumps(call["input"], ensure_ascii=False)}}
    yield "contentBlockDelta", {**index, "delta": content}
    yield "contentBlockStop", index
    yield "messageStop", {"stopReason": answer["stopReason"]}
    yield "metadata", {"usage": answer["usage"], "metrics": answer["metrics"]}


def _encoded(name: str, event: dict[str, Any]) -> bytes:
    """Return an event in the binary frame of AWS: lengths, headers, payload, checksums."""
    named = {
        ":message-type": "event",
        ":event-type": name,
        ":content-type": "application/json",
    }
    headers = b"".join(
        struct.pack(
            f">B{len(key)}sBH{len(value)}s", len(key), key.encode(), 7, len(value), value.encode()
        )
        for key, value in named.items()
    )
    payload = json.dumps(event).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return message + struct.pack(">I", crc32(message))
