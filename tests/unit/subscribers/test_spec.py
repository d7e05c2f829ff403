from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from instrument import CATALOGUE
from subscribers import SpecError, load_spec
from subscribers.spec import DEFAULT_PATH, Requirement

SHIPPED = DEFAULT_PATH.read_text(encoding="utf-8")
ROW = '{ current = "a.b", from = "agent", type = "string", req = "R", cut = "T1", sens = "S0" }'

ALL_OF_1_2 = [hook.name for hook in CATALOGUE.values() if hook.since <= "1.2"]


def test_the_32_hooks_of_the_seed_all_have_telemetry() -> None:  # 000-26
    assert len(ALL_OF_1_2) == 32
    assert set(ALL_OF_1_2) <= load_spec().hooks.keys()


@pytest.mark.parametrize("name", ALL_OF_1_2)
def test_required_rows_of_a_hook_can_be_read(name: str) -> None:
    hook = load_spec().hooks[name]
    assert all(row.requirement is Requirement.REQUIRED for row in hook.required())
    if hook.action != "remember":
        assert hook.required() or hook.name == "before_agent_call"


def test_every_seed_attribute_that_has_a_hook_is_mapped() -> None:
    legacy = {row.legacy for hook in load_spec().hooks.values() for row in hook.attributes}
    assert {
        "mcp.agent.name", "mcp.llm.prompt_json", "mcp.llm.response_json", "mcp.tool.input_json",
        "mcp.tool.output_json", "mcp.tool.structured_output_json", "mcp.workflow.type",
        "mcp.rpc.method", "mcp.rpc.id", "mcp.rpc.request_json", "mcp.rpc.response_json",
        "mcp.rpc.duration_ms", "mcp.resource.uri", "mcp.resource.mime_type", "mcp.resource.bytes",
        "mcp.prompt.template_id", "mcp.prompt.parameters_json", "mcp.result.prompt_apply_json",
        "mcp.model.preferences_json", "mcp.result.model_select_json", "mcp.progress.token",
        "mcp.transport.reconnect_count", "mcp.status.code", "mcp.error.code", "mcp.error.message",
        "mcp.stop_reason", "session.id", "run.id",
    } <= legacy  # fmt: skip


@pytest.fixture
def broken(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write the shipped spec with one thing replaced."""

    def write(old: str, new: str) -> Path:
        assert old in SHIPPED
        path = tmp_path / "spec.toml"
        path.write_text(SHIPPED.replace(old, new, 1), encoding="utf-8")
        return path

    return write


FIRST_ROW = 'hooks.before_agent_call.attributes[0] (gen_ai.operation.name)'  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ("[hooks.before_agent_call]", "[hooks.before_agents_call]", "hooks.before_agents_call",
         "unknown hook"),
        ('from = "agent.description"', 'from = "agnet.description"',
         "hooks.before_agent_call.attributes[2] (gen_ai.agent.description)",
         "unknown kwarg 'agnet'"),
        ('from = "$agent"', 'from = "$agnet"', "hooks.before_tool_call.attributes[5]",
         "unknown '$agnet'"),
        ('value = "invoke_agent", type = "string", req = "R", cut = "T0", sens = "S0"',
         'value = "invoke_agent", type = "string", req = "R", cut = "T9", sens = "S0"', FIRST_ROW,
         "`cut` is 'T9'"),
        ('value = "invoke_agent", type = "string", req = "R", cut = "T0", sens = "S0"',
         'value = "invoke_agent", type = "string", req = "R", cut = "T0", sens = "S4"', FIRST_ROW,
         "`sens` is 'S4'"),
        ('value = "invoke_agent", type = "string"', 'value = "invoke_agent", type = "strin"',
         FIRST_ROW, "`type` is 'strin'"),
        ('value = "invoke_agent"', 'value = "invoke_agent", from = "agent"', FIRST_ROW,
         "either `from` or `value`"),
        ('value = "invoke_agent"', 'value = "invoke_agent", form = "agent"', FIRST_ROW,
         "unknown column form"),
        ('current = "gen_ai.agent.description"', 'current = "gen_ai.agent.name"',
         "hooks.before_agent_call", "two rows write gen_ai.agent.name"),
        ('via = "class_name"', 'via = "klass_name"', "(inspector.agent.class)",
         "`via` is 'klass_name'"),
        ('span = "agent"', 'span = "agnet"', "hooks.before_agent_call", "unknown span 'agnet'"),
        ('kind = "internal"', 'kind = "inner"', "spans.agent", "`kind` is 'inner'"),
        ('noun = "agent_call"', 'noun = "agent_cal"', "spans.agent", "unknown noun"),
        ('action = "remember"', 'action = "event"', "hooks.before_model_select", "`event`"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_row(
    broken: Callable[[str, str], Path], old: str, new: str, where: str, what: str
) -> None:
    path = broken(old, new)
    with pytest.raises(SpecError) as caught:
        load_spec(path)
    message = str(caught.value)
    assert str(path) in message
    assert where in message
    assert what in message


def test_a_hook_without_a_row_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text('version = "1"', encoding="utf-8")
    with pytest.raises(SpecError, match=r"no row for .*before_tool_call"):
        load_spec(path)


@pytest.mark.parametrize("text", ["[", "\x00", "hooks = 3"])
def test_a_file_that_is_no_spec_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=r"spec\.toml"):
        load_spec(path)


def test_the_environment_may_name_another_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_TELEMETRY_SPEC", str(tmp_path / "none.toml"))
    with pytest.raises(SpecError, match=r"none\.toml"):
        load_spec()
