"""The catalogue against the table of version 1.2, and what is made of it."""

from typing import Any, get_type_hints

import pytest

from instrument import CATALOGUE, CONTRACT_VERSION, events
from instrument.catalogue import HISTORY, IDENTITY, NOUNS, TRANSPORTS, find_noun
from tools.generate_hook_types import class_name

# The table of version 1.2, word for word: hook, kwargs, added.
SEED_TABLE = """
before_agent_call | agent | v1.1
after_agent_call | agent, result | v1.1
error_agent_call | agent, exc | v1.1
before_llm_generate | llm, prompt | v1.0
after_llm_generate | llm, prompt, response, usage | v1.0
error_llm_generate | llm, prompt, exc | v1.0
before_tool_call | tool_name, args, context | v1.0
after_tool_call | tool_name, args, result, context | v1.0
error_tool_call | tool_name, args, exc, context | v1.0
before_workflow_run | workflow, context | v1.0
after_workflow_run | workflow, context, result | v1.0
error_workflow_run | workflow, context, exc | v1.0
before_rpc_request | envelope, transport | v1.0
after_rpc_response | envelope, transport, duration_ms | v1.0
error_rpc_request | envelope, transport, exc | v1.0
before_resource_fetch | uri, context | v1.2
after_resource_fetch | uri, content, mime_type, context | v1.2
error_resource_fetch | uri, exc, context | v1.2
before_prompt_apply | template_id, parameters, context | v1.2
after_prompt_apply | template_id, rendered, context | v1.2
error_prompt_apply | template_id, parameters, exc, context | v1.2
session_started | session_id, metadata | v1.2
session_paused | session_id, signal_name, prompt | v1.2
session_resumed | session_id, signal_name, payload | v1.2
session_finished | session_id, status, error | v1.2
before_model_select | preferences, available_models, context | v1.2
after_model_select | selected_model, scores, context | v1.2
progress_update | operation_id, percent, message, context | v1.2
operation_cancelled | operation_id, context | v1.2
transport_connected | transport_type, uri | v1.2
transport_disconnected | transport_type, uri, reason | v1.2
transport_reconnecting | transport_type, uri, attempt | v1.2
"""


def test_version_1_2_of_the_catalogue_is_the_contracts_table() -> None:
    of_1_2 = [
        f"{hook.name} | {', '.join(kwarg.name for kwarg in hook.kwargs if kwarg.always)} "
        f"| v{hook.since}"
        for hook in CATALOGUE.values()
        if hook.since <= "1.2"
    ]

    assert of_1_2 == SEED_TABLE.strip().splitlines()
    assert len(of_1_2) == 32


@pytest.mark.parametrize("hook", CATALOGUE.values(), ids=lambda hook: hook.name)
def test_a_row_of_the_catalogue_agrees_with_itself(hook: Any) -> None:
    names = [kwarg.name for kwarg in hook.kwargs]

    assert hook.name == hook.name.lower()
    assert hook.name.isidentifier()
    assert len(names) == len(set(names))
    assert set(hook.writable) <= set(names)
    assert {kwarg.since for kwarg in hook.kwargs} <= {version for version, _, _ in HISTORY}
    assert all(kwarg.since >= hook.since for kwarg in hook.kwargs)
    assert all(not kwarg.always for kwarg in hook.kwargs if kwarg.since > hook.since)
    assert hook.value is None or hook.value.kwarg in hook.writable
    assert set(hook.aliases) <= {"control", "typed", "guidance", "flow"}
    if hook.name.startswith("error_"):
        assert "exc" in names


@pytest.mark.parametrize("hook", CATALOGUE.values(), ids=lambda hook: hook.name)
def test_the_typed_dict_of_a_hook_has_its_kwargs(hook: Any) -> None:
    typed = getattr(events, class_name(hook.name))

    assert typed.__required_keys__ == {kwarg.name for kwarg in hook.kwargs if kwarg.always}
    assert typed.__optional_keys__ == {kwarg.name for kwarg in hook.kwargs if not kwarg.always}
    expected = {kwarg.name: eval(kwarg.type, vars(events)) for kwarg in hook.kwargs}
    assert get_type_hints(typed) == expected


def test_every_hook_has_a_typed_dict_and_no_other_is_exported() -> None:
    assert set(events.__all__) == {class_name(name) for name in CATALOGUE}


@pytest.mark.parametrize("noun", NOUNS.values(), ids=lambda noun: noun.name)
def test_the_hooks_of_a_noun_are_catalogued_and_carry_an_identity(noun: Any) -> None:
    before, after, error = (CATALOGUE[name] for name in (noun.before, noun.after, noun.error))

    for hook in (before, after, error):
        assert tuple(kwarg.name for kwarg in hook.kwargs[-2:]) == IDENTITY
    assert noun.input is None or noun.input in {kwarg.name for kwarg in before.kwargs}
    assert noun.output in {kwarg.name for kwarg in after.kwargs}


def test_every_triple_of_the_catalogue_is_a_noun() -> None:
    befores = {name for name in CATALOGUE if name.startswith("before_")}

    assert befores - {noun.before for noun in NOUNS.values()} == {"before_final_response"}


def test_an_unknown_noun_gets_hooks_named_after_it() -> None:
    noun = find_noun("teleport")

    assert (noun.before, noun.after, noun.error) == (
        "before_teleport",
        "after_teleport",
        "error_teleport",
    )


def test_the_transports_are_the_four_of_the_contract() -> None:
    assert TRANSPORTS == ("stdio", "sse", "http", "websocket")


def test_the_contract_version_is_the_last_of_its_history() -> None:
    assert HISTORY[-1][0] == CONTRACT_VERSION
    assert [version for version, _, _ in HISTORY] == [f"1.{minor}" for minor in range(8)]
