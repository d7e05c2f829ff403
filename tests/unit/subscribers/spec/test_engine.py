from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subscribers import Capture, Options, Vocabulary, load_spec, read_options
from subscribers.content.convert import CONVERSIONS
from subscribers.content.paths import read_path, roots
from subscribers.content.redaction import Redactor
from subscribers.options import exit_timeout_s
from subscribers.send.delivery import Limits
from subscribers.spec.engine import MAX_PLANS, TRUNCATED, Engine
from subscribers.spec.model import Sensitivity

SPEC = load_spec()
TOOL = {"tool_name": "search", "args": {"q": 1}, "context": None, "$session": "s"}


def attributes(hook: str, kwargs: dict[str, Any], **options: Any) -> dict[str, Any]:
    chosen = Options(**{"capture": Capture.REDACTED, **options})
    return Engine(SPEC, chosen).attributes(hook, kwargs)


def test_each_vocabulary_writes_its_own_keys() -> None:
    dup = attributes("before_tool_call", TOOL)
    current = attributes("before_tool_call", TOOL, vocabulary=Vocabulary.CURRENT)
    legacy = attributes("before_tool_call", TOOL, vocabulary=Vocabulary.LEGACY)
    assert current["gen_ai.tool.name"] == legacy["mcp.tool.name"] == "search"
    assert not any(key.startswith("mcp.") for key in current)
    assert not any(key.startswith("gen_ai.") for key in legacy)
    assert dup == {**legacy, **current}


def test_span_names_are_official_but_for_legacy() -> None:
    found = attributes("before_tool_call", TOOL)
    tool = SPEC.spans["tool"]
    assert Engine(SPEC, Options()).span_name(tool, found) == "execute_tool search"
    legacy = Engine(SPEC, Options(vocabulary=Vocabulary.LEGACY))
    assert legacy.span_name(tool, found) == "tool.call"


def test_unknown_parts_of_a_name_are_left_out() -> None:
    engine = Engine(SPEC, Options())
    assert engine.span_name(SPEC.spans["agent"], {}) == "invoke_agent"
    assert engine.span_name(SPEC.spans["agent"], {"gen_ai.agent.name": ""}) == "invoke_agent"
    assert engine.span_name(SPEC.spans["rpc"], {"mcp.method.name": "ping"}) == "ping"
    assert engine.span_name(SPEC.spans["rpc"], {}) == "rpc_request"


@pytest.mark.parametrize("hook", list(SPEC.hooks))
def test_no_content_is_written_when_capture_is_off(hook: str) -> None:
    content = {
        key
        for row in SPEC.hooks[hook].attributes
        if row.sensitivity is Sensitivity.CONTENT
        for key in row.keys
    }
    everything: dict[str, Any] = {
        name: {"text": "content", "content": "content", "result": {"content": ["content"]}}
        for name in ("prompt", "response", "result", "args", "envelope", "payload", "before",
                     "after", "kwargs", "parameters", "rendered", "answer", "agent", "llm")
    }  # fmt: skip
    everything["prompt"] = "content"
    off = attributes(hook, dict(everything), capture=Capture.OFF)
    assert not content & off.keys()


def test_full_content_is_not_redacted_but_scrubbed_rows_are() -> None:
    secret = "sk-abcdefghijklmnopqrstuv"
    found = attributes("before_tool_call", {**TOOL, "args": {"q": secret}}, capture=Capture.FULL)
    assert json.loads(found["gen_ai.tool.call.arguments"])["q"] == secret
    agent = {"agent": {"name": "a", "description": f"uses {secret}"}}
    found = attributes("before_agent_call", agent, capture=Capture.FULL)
    assert found["gen_ai.agent.description"] == "uses [redacted]"


def test_structured_content_on_request() -> None:
    found = attributes("before_tool_call", TOOL, has_structured_content=True)
    assert found["gen_ai.tool.call.arguments"] == {"q": 1}
    assert found["mcp.tool.input_json"] == '{"q":1}'


def test_prompt_variables_become_attributes_of_their_own() -> None:
    parameters = {"who": "Joe", "n": 3, "bad key!": "x", "api_key": "secret-value"}
    found = attributes("before_prompt_apply", {"template_id": "t", "parameters": parameters})
    assert found["gen_ai.prompt.variable.who"] == "Joe"
    assert found["gen_ai.prompt.variable.n"] == "3"
    assert found["gen_ai.prompt.variable.bad_key_"] == "x"
    assert found["gen_ai.prompt.variable.api_key"] == "[redacted]"
    many = {str(number): "x" for number in range(1_000)}
    found = attributes("before_prompt_apply", {"template_id": "t", "parameters": many})
    assert sum(key.startswith("gen_ai.prompt.variable.") for key in found) == 32


class Hostile:
    """Every attribute raises."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    __str__ = __repr__ = __getattr__  # type: ignore[assignment]


@pytest.mark.parametrize("hook", list(SPEC.hooks))
def test_no_argument_can_make_a_hook_fail(hook: str) -> None:
    engine = Engine(SPEC, Options(capture=Capture.FULL))
    names = {root for row in SPEC.hooks[hook].attributes for root in (row.source or "").split(".")}
    values: list[Any] = [
        Hostile(),
        None,
        2**70,
        float("nan"),
        "\ud800",
        b"x",
        [[[]]],
        {"": Hostile},
    ]
    for value in values:
        engine.attributes(hook, dict.fromkeys(names, value))


def test_numbers_that_otlp_cannot_carry_are_left_out() -> None:
    found = attributes(
        "after_llm_generate",
        {"response": "x", "usage": {"input_tokens": 2**70, "output_tokens": True}},
    )
    assert "gen_ai.usage.input_tokens" not in found
    assert "gen_ai.usage.output_tokens" not in found


def test_anthropic_usage_counts_what_came_from_the_cache() -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 5}
    chosen = {"response": "x", "usage": usage, "$is_inference": True}
    found = attributes("after_llm_generate", chosen)
    assert found["gen_ai.usage.input_tokens"] == 115
    assert found["gen_ai.usage.cache_read.input_tokens"] == 100
    assert found["gen_ai.usage.cache_write.input_tokens"] == 5


def test_uris_lose_their_secrets() -> None:
    uri = "https://joe:pw@host:8443/a?token=abc&page=2#frag"
    found = attributes("before_resource_fetch", {"uri": uri})
    assert found["mcp.resource.uri"] == "https://host:8443/a?token=…&page=…"


@pytest.mark.parametrize(
    ("content", "size"),
    [("é", 2), (b"123", 3), ({"blob": "AAAA"}, 3), ({"text": "ab"}, 2),
     ({"contents": [{"text": "ab"}, {"blob": "AAAA"}]}, 5), (object(), None)],
)  # fmt: skip
def test_the_size_of_a_resource_is_in_bytes(content: Any, size: int | None) -> None:
    kwargs = {"uri": "u", "content": content, "mime_type": "text/plain"}
    assert attributes("after_resource_fetch", kwargs).get("inspector.resource.size") == size


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, Options(Vocabulary.DUP, Capture.OFF)),
        ({"INSPECTOR_SEMCONV": "Legacy "}, Options(Vocabulary.LEGACY, Capture.OFF)),
        ({"INSPECTOR_SEMCONV": "nonsense"}, Options(Vocabulary.DUP, Capture.OFF)),
        ({"INSPECTOR_CAPTURE_CONTENT": "full"}, Options(Vocabulary.DUP, Capture.FULL)),
        ({"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "EVENT_ONLY"},
         Options(Vocabulary.DUP, Capture.REDACTED)),
        ({"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "false"},
         Options(Vocabulary.DUP, Capture.OFF)),
    ],
)  # fmt: skip
def test_options_come_from_the_environment(environ: dict[str, str], expected: Options) -> None:
    assert read_options(environ=environ) == expected


def test_a_switch_that_is_none_is_logged_with_what_is_used_instead(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert not read_options(environ={"INSPECTOR_METRICS": "maybe"}).has_metrics
    assert "INSPECTOR_METRICS='maybe' is not one of" in caplog.text
    assert caplog.text.rstrip().endswith("; using off.")


@pytest.mark.parametrize(
    ("text", "expected_s"), [("", 1.0), (" 2.5 ", 2.5), ("0", 0.0), ("3600", 3600.0)]
)
def test_an_exit_waits_for_as_long_as_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, text: str, expected_s: float
) -> None:
    monkeypatch.setenv("INSPECTOR_EXIT_TIMEOUT_S", text)
    assert exit_timeout_s() == expected_s
    assert Limits().exit_s == 0.9 * expected_s


@pytest.mark.parametrize("text", ["soon", "nan", "-1", "inf", "3601", "1e400"])
def test_no_exit_waits_for_ever_or_fails(caplog: pytest.LogCaptureFixture, text: str) -> None:
    assert exit_timeout_s({"INSPECTOR_EXIT_TIMEOUT_S": text}) == 1.0
    assert f"INSPECTOR_EXIT_TIMEOUT_S='{text}' is not a number of seconds" in caplog.text


def test_an_argument_wins_over_the_environment() -> None:
    environ = {"INSPECTOR_SEMCONV": "legacy", "INSPECTOR_CAPTURE_CONTENT": "off"}
    options = read_options(semconv="current", capture="full", environ=environ)
    assert options == Options(Vocabulary.CURRENT, Capture.FULL)
    with pytest.raises(ValueError, match="nonsense"):
        read_options(capture="nonsense", environ={})


class Thing:
    """Something of the watched program, with attributes."""

    name = "thing"
    model = "m-1"
    usage = {"input_tokens": 3, "output_tokens": 4}  # noqa: RUF012 - as a class of theirs has it

    @property
    def content(self) -> str:
        raise RuntimeError


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20),
    st.sampled_from([Thing(), "tools/call", "https://u:p@host:1/x?key=v", b"bytes"]),
)  # fmt: skip
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=3), SCALARS)


def kwargs_at(places: list[tuple[str, Any]]) -> dict[str, Any]:
    """Kwargs that have these values at these paths."""
    kwargs: dict[str, Any] = {}
    for path, value in places:
        inner, (*outer, last) = kwargs, path.split(".")
        for name in outer:
            deeper = inner.setdefault(name, {})
            inner = deeper if isinstance(deeper, dict) else {}
        inner[last] = value
    return kwargs


ENGINES = {
    vocabulary: Engine(SPEC, Options(vocabulary=vocabulary, capture=Capture.REDACTED))
    for vocabulary in Vocabulary
}


def visiting_every_row(engine: Engine, hook: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes by a plain engine, which omits no row or alternative beforehand."""
    found: dict[str, Any] = {}
    for row in SPEC.hooks[hook].attributes:
        write = engine._writer(row, engine._keys(row))
        with contextlib.suppress(Exception):
            if row.source is None:
                write(found, row.constant)
            elif row.when is None or read_path(kwargs, row.when):
                value = read_path(kwargs, row.source)
                value = None if value is None else CONVERSIONS[row.via](value)
                if value is not None:
                    write(found, value)
    return found


@pytest.mark.parametrize("hook", list(SPEC.hooks))
@settings(max_examples=15)
@given(data=st.data(), vocabulary=st.sampled_from(Vocabulary))
def test_a_plan_says_what_all_rows_would_say(
    hook: str, data: st.DataObject, vocabulary: Vocabulary
) -> None:
    paths = [p for row in SPEC.hooks[hook].attributes for p in (row.source, row.when) if p]
    ends = sorted({end for path in paths for end in (*path.split("|"), *roots(path))})
    places = st.lists(st.tuples(st.sampled_from([*ends, "other"]), VALUES), max_size=9)
    kwargs = kwargs_at(data.draw(places))
    engine = ENGINES[vocabulary]
    expected = visiting_every_row(engine, hook, kwargs)
    for _ in range(2):  # the plan is made, then used again
        found = engine.attributes(hook, kwargs)
        assert list(found.items()) == list(expected.items())


SECRET = "sk-abcdefghijklmnopqrstuv"
TEXTS = st.text(max_size=9) | st.sampled_from([SECRET, "data:image/png;base64,AAAA", "x" * 900])
ARGUMENTS = st.dictionaries(st.sampled_from(["q", "api_key", SECRET]), TEXTS | st.integers())
BLOCKS = st.one_of(
    TEXTS.map(lambda text: {"type": "text", "text": text}),
    ARGUMENTS.map(lambda found: {"type": "tool_use", "id": "1", "name": "t", "input": found}),
    ARGUMENTS.map(lambda found: {"type": "tool_result", "tool_use_id": "1", "content": [found]}),
    ARGUMENTS.map(lambda found: {"type": "image", "source": {"data": "AAAA", **found}}),
    ARGUMENTS,
    TEXTS,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "model", "tool", SECRET, 1])},
        optional={
            "content": TEXTS | st.lists(BLOCKS, max_size=3) | BLOCKS,
            "tool_call_id": TEXTS,
            "tool_calls": st.lists(ARGUMENTS, max_size=2),
            "name": TEXTS,
        },
    )
    | TEXTS,
    max_size=4,
)
WITH_MESSAGES = [
    Engine(SPEC, Options(capture=Capture.REDACTED, max_content_bytes=max_bytes), redactor)
    for max_bytes in (300, 30_720)
    for redactor in (Redactor(), Redactor(callback=str.upper), Redactor(["text|content|[a-f]"]))
]


@pytest.mark.slow
@pytest.mark.parametrize("engine", WITH_MESSAGES)
@given(messages=MESSAGES)
def test_messages_written_in_both_forms_at_once_are_those_written_one_by_one(
    engine: Engine, messages: list[Any]
) -> None:
    for hook, kwargs in (
        ("before_llm_generate", {"prompt": messages}),
        ("after_llm_generate", {"response": {"output": messages}}),
        ("after_llm_generate", {"response": messages}),
    ):
        found, expected = engine.attributes(hook, kwargs), visiting_every_row(engine, hook, kwargs)
        without_content, content, _ = engine.attributes_and_content(hook, kwargs)
        late = without_content | (content() if content is not None else {})
        for attributes in (found, expected, late):
            attributes[TRUNCATED] = sorted(set(attributes.get(TRUNCATED, ())))
        assert found == expected == late


def test_an_emitter_that_invents_kwargs_fills_no_memory() -> None:
    engine = Engine(SPEC, Options())
    for number in range(MAX_PLANS + 10):
        found = engine.attributes("before_tool_call", {"tool_name": "t", f"k{number}": 1})
        assert found["gen_ai.tool.name"] == "t"
    assert len(engine._plans) == MAX_PLANS
