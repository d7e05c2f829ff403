"""An agent with a secret in every possible place, all of which it reports.

Run as `python -m tests.support.agents.careless_agent`; it prints the places in which it had one.
What `SECRETS` has for them must not be found anywhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hashlib
import json
import logging
import os
from types import SimpleNamespace
from typing import Any

import attrs
from opentelemetry import baggage, trace
from opentelemetry import context as otel_context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Link, SpanContext, TraceFlags
from pydantic import BaseModel

import inspector
import instrument


class Secrets(dict[str, str]):
    """Unique words, one for each place, the same in each process."""

    def __missing__(self, place: str) -> str:
        word = f"Qz{hashlib.sha256(place.encode()).hexdigest()[:18]}Jp"
        return self.setdefault(place, word)


SECRETS = Secrets()
S = SECRETS

PLACES: dict[str, str] = {
    "an OpenAI key": f"sk-proj-{S['openai']}abcdef",
    "a GitHub token": f"ghp_{S['github']}abcdefghijklmnopq",
    "a bearer header": f"Authorization: Bearer {S['bearer']}",
    "a basic header": f"authorization: Basic {S['basic']}=",
    "a header of another scheme": f"Authorization: Token {S['scheme']}",
    "a cookie": f"Cookie: theme=dark; sid={S['cookie']}; lang=en",
    "a cookie that is set": f"Set-Cookie: sid={S['set-cookie']}; Path=/; HttpOnly",
    "a password in a URI": f"postgres://joe:{S['uri']}@db:5432/x",
    "a password with odd letters": f"amqp://joe:p@{S['odd-uri']}@mq:5672/",
    "a token for a user": f"https://{S['user-uri']}@git.example/x.git",
    "a token in a query": f"https://api.example/x?page=2&access_token={S['query']}&y=1",
    "a signed address": f"https://b.example/o?X-Amz-Signature={S['amz']}&X-Amz-Date=1",
    "an environment variable": f"DATABASE_PASSWORD={S['env']}",
    "a token of a bot": f"SLACK_BOT_TOKEN={S['bot']}",
    "camel case": f"dbPassword: {S['camel']}",
    "a flag": f"run --api-key {S['flag']} --verbose",
    "a flag with a sign": f"run --token={S['flag=']} --verbose",
    "JSON": json.dumps({"client_secret": S["json"]}),
    "JSON in JSON": json.dumps({"body": json.dumps({"refresh_token": S["json2"]})}),
    "JSON in JSON in JSON": json.dumps({"a": json.dumps({"b": json.dumps({"pwd": S["json3"]})})}),
    "YAML": f"auth:\n  api_key: '{S['yaml']}'\n",
    "a private key": f"-----BEGIN PRIVATE KEY-----\n{S['pem']}\n-----END PRIVATE KEY-----",
    "a JSON web token": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIi{S['jwt']}.{S['jwt']}",
    "a Python dict": repr({"password": S["python"]}),
    "an address with a signature": f"https://b.example/o?sv=1&sig={S['signature']}&se=2",
    "a field that a model refused": "1 validation error for Login\napi_key\n  Input should be a "
    f"valid integer [type=int_type, input_value='{S['refused']}', input_type=str]",
    "an encoded URI": f"next=https%3A%2F%2Fjoe%3A{S['encoded']}%40host%2F",
}
"""Text with a secret in it, as prompts, answers, messages and errors have it."""


@dataclasses.dataclass
class Account:
    """State with a secret field."""

    name: str
    password: str


class Connection(BaseModel):
    """State of a model class."""

    host: str
    api_key: str


@attrs.define
class Client:
    """State of an attrs class."""

    url: str
    token: str


class Settings:
    """An object with secrets in its `repr`."""

    def __repr__(self) -> str:
        return f"Settings(plain {S['repr']})"

    __str__ = __repr__


def values() -> dict[str, Any]:
    """Return one value with every kind of secret in it."""
    return {
        "texts": list(PLACES.values()),
        "api_key": S["key"],
        "headers": {"Authorization": f"Bearer {S['headers']}", "X-Api-Key": S["x-api-key"]},
        "pairs": [["Authorization", S["pairs"]], ("cookie", f"sid={S['pairs-cookie']}")],
        "har": [{"name": "X-Auth-Token", "value": S["har"]}],
        "env": {"AWS_SECRET_ACCESS_KEY": S["aws"], "GITHUB_TOKEN": S["env-token"]},
        "argv": ["serve", "--password", S["argv"], "--port", "80"],
        "account": Account("joe", S["dataclass"]),
        "connection": Connection(host="h", api_key=S["pydantic"]),
        "client": Client("https://h", S["attrs"]),
        "settings": Settings(),
        "long": "word " * 6_140 + f"password={S['cut']}" + " word" * 9_000,
        "bytes": f"password={S['bytes']}".encode(),
        f"sk-{S['dict-key']}": 1,
    }


def text(place: str) -> str:
    """Return prose with a secret of its own and every kind of secret there is."""
    return f"{place} password={S[place]} " + " ".join(PLACES.values())


def short(place: str) -> str:
    """Return a short text with a secret of its own."""
    return f"it was sk-{S[place]} there"


def failure(place: str) -> Exception:
    """Return an exception as one that was raised, with secrets in all that it carries."""
    try:
        try:
            raise KeyError(short(f"{place} cause"))
        except KeyError as cause:
            error = ValueError(short(f"{place} message"), {"password": S[f"{place} args"]})
            error.add_note(short(f"{place} note"))
            raise error from cause
    except ValueError as error:
        return error


async def bare_hooks() -> None:
    """Emit hooks as frameworks do that use the bus alone."""
    emit = instrument._emit
    context = SimpleNamespace(config=Settings(), api_key=S["context"])
    await emit("session_started", session_id="s", metadata={"title": short("title")})
    await emit(
        "before_model_select",
        preferences={"hints": [{"name": short("hint")}], "api_key": S["preferences"]},
        available_models=[short("models")],
        context=context,
    )
    selected = {"name": "m", "api_key": S["selected"]}
    await emit("after_model_select", selected_model=selected, scores=values(), context=context)
    agent = SimpleNamespace(
        name="a", description=short("description"), instruction=text("instruction"), tools=[]
    )
    await emit("before_agent_call", agent=agent)
    for hook in ("session_paused", "session_resumed"):
        await emit(hook, session_id="s", signal_name="go", prompt=text("pause"), payload=values())
    address = f"https://joe:{S['transport']}@mcp.example/sse?key={S['transport-query']}"
    command = f"npx server --api-key {S['command']}"
    for uri in (address, command):
        await emit("transport_connected", transport_type="sse", uri=uri)
        await emit(
            "transport_disconnected", transport_type="sse", uri=uri, reason=failure("reason")
        )
        await emit("transport_reconnecting", transport_type="sse", uri=uri, attempt=1)
    await emit(
        "progress_update", operation_id=short("op"), percent=5, message=text("p"), context=context
    )
    await emit("error_agent_call", agent=agent, exc=failure("agent"))
    await emit("error_tool_call", tool_name="orphan", args=values(), exc=failure("orphan"))
    await emit("session_finished", session_id="s", status="failed", error=failure("session"))


async def operations() -> None:
    """Do everything that operations are there for."""
    llm = SimpleNamespace(provider="openai", model="m", base_url=f"https://x:{S['base']}@h/v1")
    prompt = [
        {"role": "system", "content": text("system")},
        {"role": "user", "content": [{"type": "text", "text": text("user")}]},
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": short("call"),
                    "function": {
                        "name": "login",
                        "arguments": json.dumps({"password": S["tool-call"]}),
                    },
                }
            ],
        },
    ]
    async with instrument.operation("workflow_run", workflow={"name": "w"}) as run:
        run.result = values()
        async with instrument.operation("llm_generate", llm=llm, prompt=prompt) as op:
            op.result = {"content": text("answer"), "model": "m", "id": short("response")}
    with contextlib.suppress(ValueError):
        async with instrument.operation("llm_generate", llm=llm, prompt=text("prompt")):
            raise failure("llm")
    async with instrument.operation("tool_call", tool_name=short("tool"), args=values()) as op:
        envelope = {
            "jsonrpc": "2.0",
            "id": short("id"),
            "method": "tools/call",
            "params": {
                "name": "login",
                "arguments": values(),
                "_meta": {"authorization": S["meta"]},
            },
        }
        async with instrument.operation("rpc_request", envelope=envelope, transport="sse") as rpc:
            rpc.result = {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": values()}}
        async with instrument.operation("rpc_request", envelope=envelope, transport="sse") as rpc:
            error = {"code": -32602, "message": text("rpc"), "data": values()}
            rpc.result = {"jsonrpc": "2.0", "id": 1, "error": error}
        op.result = {"isError": True, "content": [{"type": "text", "text": text("tool-error")}]}
    address = f"https://joe:{S['resource']}@files.example/a?sig={S['resource-query']}"
    async with instrument.operation("resource_fetch", uri=address) as op:
        op.result = text("content")
    with contextlib.suppress(ValueError):
        async with instrument.operation("resource_fetch", uri=PLACES["a token for a user"]):
            raise failure("resource")
    parameters = {"password": S["parameter"], "tone": text("tone"), "deep": values()}
    async with instrument.operation("prompt_apply", template_id="t", parameters=parameters) as op:
        op.result = [{"role": "user", "content": text("rendered")}]
    async with instrument.operation(instrument.CustomNoun("own_noun"), headers=values()):
        pass


async def decisions() -> None:
    """Let interceptors and a failing observer leak secrets."""

    def rewrite(**kwargs: Any) -> instrument.Decision:
        return instrument.Decision.modify(args={"password": S["after"]}, reason=short("reason"))

    def fail(**kwargs: Any) -> None:
        raise failure("hook")

    async def fail_later(**kwargs: Any) -> None:
        raise failure("async hook")

    offs = [
        instrument.intercept("before_tool_call", rewrite, name="rewrite"),
        instrument.intercept("after_tool_call", fail, name="fails"),
        instrument.observe("before_tool_call", fail),
        instrument.observe("before_tool_call", fail_later),
    ]

    async def login(op: Any) -> str:
        return text("login")

    with contextlib.suppress(ValueError):
        await instrument.call("tool_call", login, tool_name="login", args={"password": S["before"]})
    for off in offs:
        off()

    def deny(**kwargs: Any) -> instrument.Decision:
        return instrument.Decision.deny(text("deny"))

    def ask(**kwargs: Any) -> instrument.Decision:
        return instrument.Decision.ask_user(text("ask"), options=(short("option"),))

    for decide in (deny, ask):
        off = instrument.intercept("before_tool_call", decide)
        with contextlib.suppress(instrument.HookDenied):
            await instrument.call("tool_call", login, tool_name="login", args=values())
        off()


def state() -> None:
    """Capture state with secrets, then changed state."""
    for number in range(2):
        inspector.capture_state("account", values() | {"n": number})
    inspector.capture_state("secret", S["state-name"])
    inspector.capture_state(short("state"), Account("joe", S["state"]))

    @inspector.dump_state_to_span(description=short("dumped"))
    def connect() -> Connection:
        return Connection(host=text("host"), api_key=S["returned"])

    connect()


def foreign() -> None:
    """Make spans as other instrumentation does."""
    tracer = trace.get_tracer("other", attributes={"note": short("scope")})
    link = Link(
        SpanContext(1, 2, is_remote=True, trace_flags=TraceFlags(1)), {"note": short("link")}
    )
    attributes = {
        "http.request.header.authorization": [S["header-list"]],
        "ai.request.headers.x-api-key": S["ai-header"],
        "langsmith.metadata.LANGSMITH_API_KEY": S["langsmith"],
        "db.connection_string": PLACES["a password in a URI"],
        "url.full": PLACES["a token in a query"],
        "process.command_args": ["python", "--password", S["foreign-argv"]],
        "gen_ai.input.messages": json.dumps([{"role": "user", "content": text("foreign")}]),
        "arg_0": text("arg"),
    }
    with (
        contextlib.suppress(ValueError),
        tracer.start_as_current_span(
            f"GET {PLACES['a token in a query']}", attributes=attributes, links=[link]
        ) as span,
    ):
        span.add_event("gen_ai.user.message", {"content": text("event")})
        span.add_event(short("event-name"))
        span.update_name(f"POST {PLACES['a token in a query']}")
        raise failure("foreign error")


def main() -> None:
    """Do all of it once, while attached and with the most verbose logging."""
    logging.basicConfig(level=logging.DEBUG)
    os.environ["OTEL_EXPORTER_OTLP_HEADERS"] = f"authorization=Bearer {S['otlp-headers']}"
    os.environ["OTEL_RESOURCE_ATTRIBUTES"] = f"deployment.key={short('resource-env')}"
    resource = Resource.create(
        {
            "process.command_args": ["agent", "--api-key", S["resource-argv"]],
            "process.command_line": f"agent --api-key {S['resource-line']}",
            "db.password": S["resource-key"],
        }
    )
    trace.set_tracer_provider(TracerProvider(resource=resource))
    otel_context.attach(baggage.set_baggage("token", S["baggage"]))
    # Only watched: whom it asks is shown all of what would run, secrets too.
    handle = inspector.attach(control=False)
    asyncio.run(bare_hooks())
    asyncio.run(operations())
    asyncio.run(decisions())
    state()
    foreign()
    assert handle.flush(60.0)
    handle.detach()
    print("places:", json.dumps(list(SECRETS)))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
