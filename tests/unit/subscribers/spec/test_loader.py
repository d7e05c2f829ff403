from __future__ import annotations

import logging
import tomllib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

from instrument import CATALOGUE, CONTRACT_VERSION
from subscribers import SpecError, load_spec
from subscribers.spec.loader import usable_spec
from subscribers.spec.model import DEFAULT_PATH, Attribute, Requirement
from tools.generate_telemetry_doc import render

load_cached = lru_cache(load_spec)
SHIPPED = DEFAULT_PATH.read_text(encoding="utf-8")
ROW = '{ current = "a.b", from = "agent", type = "string", req = "R", cut = "T1", sens = "S0" }'

ALL_OF_1_2 = [hook.name for hook in CATALOGUE.values() if hook.since <= "1.2"]


def test_every_hook_of_the_catalogue_has_telemetry() -> None:
    assert len(ALL_OF_1_2) == 32
    assert load_spec().hooks.keys() == CATALOGUE.keys()


def test_the_page_names_the_version_of_the_hook_contract_as_spans_do() -> None:
    spec = load_spec()

    assert spec.version == CONTRACT_VERSION
    assert f"<!-- version -->{CONTRACT_VERSION}<!-- " in render(spec)
    assert "version" not in tomllib.loads(SHIPPED)


class Agreed(NamedTuple):
    """A line of the agreed mapping."""

    hook: str
    key: str
    type: str
    requirement: str
    source: str
    truncation: str
    sensitivity: str


def agreed() -> Iterator[Agreed]:
    text = Path(__file__).with_name("mapping.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        hooks, current, legacy, *cells = [cell.strip() for cell in line.split("|")]
        for hook in hooks.split(", "):
            for key in filter(None, dict.fromkeys([*current.split(", "), *legacy.split(", ")])):
                yield Agreed(hook, key, *cells)


def _source(row: Attribute) -> str:
    return f"={row.constant}" if row.source is None else row.source


@pytest.mark.parametrize("line", list(agreed()), ids=lambda line: f"{line.hook}-{line.key}")
def test_every_row_that_was_agreed_is_in_the_spec(line: Agreed) -> None:
    rows = [row for row in load_cached().hooks[line.hook].attributes if line.key in row.keys]
    assert len(rows) == 1
    [row] = rows
    assert row.type == line.type
    is_shared = line.key == row.legacy and row.current not in {None, line.key}
    assert is_shared or row.requirement == line.requirement
    assert (row.truncation, row.sensitivity) == (line.truncation, line.sensitivity)
    assert line.source in _source(row)


def test_a_key_that_is_not_ours_is_written_where_that_was_agreed() -> None:
    shared = {"session.id", "user.id", "mcp.error.code", "mcp.error.message", "mcp.status.code",
              "mcp.peer.server_id"}  # fmt: skip
    known = {(line.hook, line.key) for line in agreed()}
    extra = {
        (hook.name, key)
        for hook in load_cached().hooks.values()
        for row in hook.attributes
        for key in row.keys
        if not key.startswith("inspector.") and key not in shared
    }
    assert extra <= known


@pytest.mark.parametrize("name", ALL_OF_1_2)
def test_required_rows_of_a_hook_can_be_read(name: str) -> None:
    hook = load_spec().hooks[name]
    assert all(row.requirement is Requirement.REQUIRED for row in hook.required())
    if hook.action != "remember":
        assert hook.required() or hook.name == "before_agent_call"


def test_every_legacy_attribute_that_has_a_hook_is_mapped() -> None:
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
         "unknown hook 'before_agents_call'; did you mean 'before_agent_call'?"),
        ('from = "agent.description"', 'from = "agnet.description"',
         "hooks.before_agent_call.attributes[2] (gen_ai.agent.description)",
         "unknown kwarg 'agnet'; did you mean 'agent'?"),
        ('from = "$agent"', 'from = "$agnet"', "hooks.before_tool_call.attributes[5]",
         "unknown value '$agnet'; did you mean '$agent'?"),
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
         "unknown column 'form'; did you mean 'from'?"),
        ('current = "gen_ai.agent.description"', 'current = "gen_ai.agent.name"',
         "hooks.before_agent_call", "two rows write gen_ai.agent.name"),
        ('via = "class_name"', 'via = "klass_name"', "(inspector.agent.class)",
         "`via` is 'klass_name'"),
        ('span = "agent"', 'span = "agnet"', "hooks.before_agent_call", "unknown span 'agnet'"),
        ('kind = "internal"', 'kind = "inner"', "spans.agent", "`kind` is 'inner'"),
        ('noun = "agent_call"', 'noun = "agent_cal"', "spans.agent", "unknown noun 'agent_cal'"),
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


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[hooks.x]\na = 1", "1:1: hooks.x: unknown hook 'x'"),
        ('[hooks.before_tool_call]\nattributes = [\n  { current = "a.b", typ = "int" },\n]',
         "3:22: hooks.before_tool_call.attributes[0] (a.b): unknown column 'typ'"),
        ('[hooks.before_tool_call]\n[[hooks.before_tool_call.attributes]]\ncurrent = "a.b"\n'
         'value = "x"\ntype = "txt"',
         "5:1: hooks.before_tool_call.attributes[0] (a.b): `type` is 'txt', not one of string"),
        ('# [hooks.before_tool_call]\n[ hooks . "before_tool_call" ]\n# {\nattributes = [{current='
         '"{", value="}", type="int"}, {current="c"}]',
         "4:51: hooks.before_tool_call.attributes[1] (c): needs either `from` or `value`"),
        ("[hook.x]", "1:1: hook: unknown table 'hook'; did you mean 'hooks'?"),
        ("[common]\nattributes = 3", "2:1: common: `attributes` is not a list of tables"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_users_file_is_named_with_line_and_column(
    own: Callable[[str], Path], text: str, where: str
) -> None:
    path = own(text.replace('type="int"', 'type="int", req="own", cut="T0", sens="S0"'))
    with pytest.raises(SpecError) as caught:
        load_spec()
    assert f"{path}:{where.partition(':')[0]}" in str(caught.value)
    assert where.partition(": ")[2] in str(caught.value)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Write a user's own spec and let the environment name it."""

    def write(text: str) -> Path:
        path = tmp_path / "own.toml"
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv("INSPECTOR_TELEMETRY_SPEC", str(path))
        return path

    return write


TENANT = (
    '{ current = "acme.tenant", from = "context.tenant", type = "string", req = "own", '
    'cut = "T1", sens = "S1" }'
)


def test_a_users_file_adds_rows_and_changes_cells(own: Callable[[str], Path]) -> None:
    own(
        f"""
        [spans.tool]
        name = "tool {{gen_ai.tool.name}}"
        [hooks.before_tool_call]
        attributes = [
          {TENANT},
          {{ current = "gen_ai.tool.description", sens = "S3" }},
          {{ legacy = "mcp.peer.server_id", value = "mine" }},
        ]
        """
    )
    shipped, spec = load_spec(DEFAULT_PATH), load_spec()
    before = {row.keys: row for row in shipped.hooks["before_tool_call"].attributes}
    after = {row.keys: row for row in spec.hooks["before_tool_call"].attributes}
    assert after.keys() - before.keys() == {("acme.tenant",)}
    changed = {keys for keys, row in before.items() if after[keys] != row}
    assert changed == {
        ("gen_ai.tool.description",),
        ("inspector.mcp.server.name", "mcp.peer.server_id"),
    }
    assert after["gen_ai.tool.description",].source == before["gen_ai.tool.description",].source
    assert after["inspector.mcp.server.name", "mcp.peer.server_id"].constant == "mine"
    assert spec.spans["tool"].template == "tool {gen_ai.tool.name}"
    assert {name for name, hook in shipped.hooks.items() if spec.hooks[name] != hook} == {
        "before_tool_call"
    }


def test_a_row_of_a_hook_goes_before_the_rows_that_all_hooks_have(
    own: Callable[[str], Path],
) -> None:
    row = TENANT.replace("acme.tenant", "session.id").replace(
        'from = "context.tenant"', 'value = "mine"'
    )
    failed = row.replace("session.id", "error.type")
    own(f"[hooks.before_tool_call]\nattributes = [{row}]\n"
        f"[hooks.error_tool_call]\nattributes = [{failed}]")  # fmt: skip
    spec = load_spec()
    for hook, key in (("before_tool_call", "session.id"), ("error_tool_call", "error.type")):
        [found] = [row for row in spec.hooks[hook].attributes if key in row.keys]
        assert found.constant == "mine"


def test_a_key_that_a_users_file_names_twice_is_refused(own: Callable[[str], Path]) -> None:
    own(f"[hooks.before_tool_call]\nattributes = [{TENANT}, {TENANT}]")
    with pytest.raises(SpecError, match=r"two rows write acme\.tenant"):
        load_spec()


@pytest.mark.parametrize("text", [None, "[", "[hooks.nonsense]"])
def test_a_users_file_that_is_wrong_is_logged_once_and_left_out(
    own: Callable[[str], Path], caplog: pytest.LogCaptureFixture, text: str | None
) -> None:
    path = own(text or "")
    if text is None:
        path.unlink()
    with caplog.at_level(logging.WARNING, "inspector"):
        assert usable_spec() == load_spec(DEFAULT_PATH)
    assert len(caplog.records) == 1
    assert str(path) in caplog.text
    assert "The built-in telemetry spec is used." in caplog.text
