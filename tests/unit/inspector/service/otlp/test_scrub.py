from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.errors import TooLargeError
from inspector.service.otlp import scrub as scrub_module
from inspector.service.otlp import secrets
from inspector.service.otlp.scrub import REDACTED_MARK, scrub
from inspector.service.otlp.secrets import may_hold_secret
from inspector.service.otlp.signals import LOGS, METRICS, TRACES
from subscribers.content.redaction import REDACTED, Redactor
from tests.support.agents.careless_agent import PLACES
from tests.support.telemetry.otlp import any_value, key_values, span
from tests.support.telemetry.published_tokens import CONTEXTS, VALUES, name_of, sample

TOKEN = "sk-proj-abcdefghijklmnopqrstuvwx"
TOKENS = [
    TOKEN,
    "rk_live_abcdefghijklmnopqrst",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
    "ASIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghijkl",
    "glpat-abcdefghijklmnopqrst",
    "AIza" + "B" * 35,
    "whsec_" + "A1b2" * 6,
    "GOCSPX-" + "A1b2" * 6,
    "eyJ" + "A" * 203,
    "xai-" + "A1b2" * 20,
    "r8_" + "A1b2" * 9,
    "ya29." + "A1b2" * 9,
    "shpat_" + "a1b2" * 8,
    "SG." + "A1b2" * 5 + "." + "A1b2" * 10,
    "https://hooks.slack.com/services/T0000/B0000/" + "A1b2" * 6,
    "https://discord.com/api/webhooks/1234567890/" + "A1b2" * 9,
    "https://api.telegram.org/bot123456789:AA" + "A1b2" * 8,
]
NAMES = [
    "api_key", "API-Key", "x-api-key", "db_password", "Authorization", "proxy-authorization",
    "token", "accessToken", "clientSecret", "Set-Cookie", "AWS_SECRET_ACCESS_KEY", "auth",
    "private_key", "AZURE_OPENAI_KEY", "Ocp-Apim-Subscription-Key", "auth_header", "jwt", "creds",
    "passwordConfirm", "signing_key", "sig", "credential", "X-Amz-Signature", "db_pass", "pwd",
    "password_confirmation", "passcode", "passphrase", "github_token_2", "apikeys", "bearer",
    "LANGSMITH_API_KEY",
]  # fmt: skip


def request(*spans: Span) -> ExportTraceServiceRequest:
    made = ExportTraceServiceRequest()
    made.resource_spans.add().scope_spans.add().spans.extend(spans)
    return made


def scrubbed(one: Span) -> Span:
    made = request(one)
    scrub(TRACES, made, made.SerializeToString())
    return made.resource_spans[0].scope_spans[0].spans[0]


def values(one: Any) -> dict[str, AnyValue]:
    return {pair.key: pair.value for pair in one.attributes}


def places(one: Any) -> list[str]:
    mark = values(one).get(REDACTED_MARK, AnyValue())
    return [value.string_value for value in mark.array_value.values]


def test_published_tokens_are_found_in_bytes_and_under_names() -> None:
    samples = [sample(f"see {template} there") for template in VALUES.values()]
    samples += [sample(f"{name_of(rule)}={template}") for rule, template in VALUES.items()]
    samples += [sample(template) for template in CONTEXTS.values()]
    found = [one.text for one in samples if Redactor().text(one.text) != one.text]
    assert [
        text for text in found if not may_hold_secret(any_value(text).SerializeToString())
    ] == []


pieces = st.lists(
    st.sampled_from(
        [*PLACES.values(), *TOKENS, *(f"{name}=hunter2" for name in NAMES)]
        + [f'"{name}": "hunter2"' for name in NAMES]
        + [f"{name}: hunter2" for name in NAMES]
        + ["token", "key", "=", ":", " ", '"', "\\", "\n", "é", "\u0130", "sk-", "://", "@", "a"]
    ),
    max_size=6,
)
texts = pieces.map("".join)
apart = pieces.map(" ".join)


@given(texts)
def test_what_the_rules_find_in_a_text_is_found_in_its_bytes(text: str) -> None:
    if Redactor().text(text) != text:
        assert may_hold_secret(any_value(text).SerializeToString())


@given(texts)
def test_the_first_look_misses_nothing_that_the_second_finds(text: str) -> None:
    raw = any_value(text).SerializeToString().decode("latin-1").encode("ascii", "replace").decode()
    if secrets._SECOND_LOOK.isinstance_python(raw):
        assert secrets._FIRST_LOOK.isinstance_python(raw.lower())


@given(st.text(alphabet="sk-_gh:/@=Bearer tokn\"'[]?&.aA0\npws", max_size=80))
def test_so_it_is_whatever_the_text(text: str) -> None:
    if Redactor().text(text) != text:
        assert may_hold_secret(any_value(text).SerializeToString())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["hunter2", "x" * 300, ["hunter2", "b"], {"a": {"b": "hunter2"}}])
def test_a_value_under_the_name_of_a_secret_goes(name: str, value: Any) -> None:
    if isinstance(value, dict):
        value = {"a": {name: "hunter2"}}
    one = scrubbed(span(attributes={name: value, "other": "stays"}))
    assert "hunter2" not in str(one)
    assert "xxxx" not in str(one)
    assert values(one)["other"].string_value == "stays"
    assert places(one) == [name]


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_what_the_agent_side_finds_in_a_text_is_found_on_arrival(text: str) -> None:
    one = scrubbed(span(attributes={"arg_0": f"before {text} after"}))
    assert values(one)["arg_0"].string_value == Redactor().text(f"before {text} after")
    assert places(one) == ["arg_0"]


def test_every_part_of_a_span_is_looked_at() -> None:
    one = span(
        f"call {TOKEN}",
        attributes={"list": ["x", TOKEN], "map": {"deep": {"text": TOKEN}}, f"k {TOKEN}": 1},
        events=[Span.Event(name=TOKEN, attributes=key_values({"exception.message": TOKEN}))],
        error=f"failed with {TOKEN}",
    )
    one.trace_state = f"vendor={TOKEN}"
    one.links.add(trace_id=bytes(16), trace_state=TOKEN).attributes.extend(
        key_values({"password": "hunter2"})
    )
    one.attributes.append(KeyValue(key="raw", value=AnyValue(bytes_value=TOKEN.encode())))
    made = request(one)
    group = made.resource_spans[0]
    group.resource.attributes.extend(key_values({"service.name": "s", "env.token": "hunter2"}))
    group.scope_spans[0].scope.attributes.extend(key_values({"url": "https://joe:hunter2@host/"}))
    assert scrub(TRACES, made, made.SerializeToString())
    assert TOKEN.encode() not in made.SerializeToString()
    assert b"hunter2" not in made.SerializeToString()
    clean = group.scope_spans[0].spans[0]
    assert places(clean) == [
        "trace_state", "name", "list", "map", f"k {REDACTED}", "raw",
        "events.name", "events.exception.message",
        "links.trace_state", "links.password", "status.message",
    ]  # fmt: skip
    assert places(group.resource) == ["env.token"]
    assert places(group.scope_spans[0].scope) == ["url"]
    assert clean.status.code == Status.STATUS_CODE_ERROR
    assert (clean.trace_id, clean.span_id) == (one.trace_id, one.span_id)


def test_log_records_and_metrics_are_looked_at() -> None:
    logs: Any = LOGS.request()
    record = logs.resource_logs.add().scope_logs.add().log_records.add()
    record.body.string_value = f"Authorization: Bearer {TOKEN}"
    metrics: Any = METRICS.request()
    metric = metrics.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    metric.sum.data_points.add().attributes.extend(key_values({"api_key": "hunter2"}))
    assert scrub(LOGS, logs)
    assert record.body.string_value == f"Authorization: {REDACTED}"
    assert places(record) == ["body"]
    assert scrub(METRICS, metrics)
    assert b"hunter2" not in metrics.SerializeToString()


def test_a_flag_hides_the_word_after_it() -> None:
    one = scrubbed(span(attributes={"process.command_args": ["run", "--api-key", "hunter2", "-v"]}))
    items = values(one)["process.command_args"].array_value.values
    assert [item.string_value for item in items] == ["run", "--api-key", REDACTED, "-v"]


def test_a_secret_without_a_name_is_reported_too() -> None:
    made = request(Span(attributes=[KeyValue(value=AnyValue(string_value=TOKEN))]))
    assert scrub(TRACES, made), "what is forwarded must not be what came in"


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.usage.input_tokens": 12, "gen_ai.request.max_tokens": 100},
        {"gen_ai.input.messages": "the key to a secret garden: pass the token, Bearer of news"},
        {"mcp.progress.token": "17", "gen_ai.token.type": "input", "next_page_token": "abcdef"},
        {"url.full": "https://example.com/a@b?x=1", "mail": "joe@example.com"},
        {"arguments": '{"key": "name", "max_tokens": 4096, "progressToken": "p-1"}'},
        {"enduser.id": "task-management-is-important", "session.id": "risk-assessment-of-length"},
        {"cleaned": '{"api_key": "[redacted]"} Authorization: [redacted]', "password": REDACTED},
    ],
)
def test_what_is_no_secret_stays_as_it_came(attributes: dict[str, Any]) -> None:
    made = request(span(attributes=attributes))
    before = made.SerializeToString()
    assert not scrub(TRACES, made, before)
    assert made.SerializeToString() == before


@given(st.lists(st.tuples(st.sampled_from([*NAMES, "a", "b.c"]), apart), max_size=4))
def test_scrubbing_twice_changes_nothing_more(pairs: list[tuple[str, str]]) -> None:
    made = request(span(attributes=dict(pairs)))
    scrub(TRACES, made)
    once = made.SerializeToString()
    assert not scrub(TRACES, made)
    assert made.SerializeToString() == once


def test_ordinary_spans_need_no_closer_look() -> None:
    made = request(
        *(
            span(
                "chat gpt-4o",
                span_id=number,
                attributes={
                    "gen_ai.usage.input_tokens": number,
                    "gen_ai.conversation.id": f"conversation-{number}",
                    "gen_ai.input.messages": '[{"role": "user", "parts": [{"content": "Hi."}]}]',
                    "mcp.request.params": '{"name": "search", "_meta": {"progressToken": 7}}',
                },
            )
            for number in range(1, 50)
        )
    )
    assert not may_hold_secret(made.SerializeToString())


def test_a_list_within_a_list_is_looked_at() -> None:
    inner = AnyValue(array_value=ArrayValue(values=[AnyValue(string_value=TOKEN)]))
    one = span()
    one.attributes.append(
        KeyValue(key="a", value=AnyValue(array_value=ArrayValue(values=[inner, inner])))
    )
    assert TOKEN not in str(scrubbed(one))


def test_a_request_of_too_many_secrets_does_not_keep_others_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scrub_module, "MAX_SCRUB_S", 0.0)
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    spans.extend(Span(name=f"token={TOKEN}") for _ in range(3))
    with pytest.raises(TooLargeError, match="smaller batches"):
        scrub(TRACES, request)
