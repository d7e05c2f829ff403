"""OpenAI Agents: voice pipelines are reported with their steps and the agents in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from agents import Agent, set_tracing_disabled
from agents.exceptions import AgentsException
from agents.voice import (
    AudioInput,
    SingleAgentVoiceWorkflow,
    StreamedAudioInput,
    VoicePipeline,
    VoicePipelineConfig,
)
from agents.voice.testing import ScriptedSTTModel, ScriptedTTSModel

from inspector import context
from inspector.integrations.openai_agents import attach
from instrument import Bus, Decision
from tests.integrations.hook_log import HookLog
from tests.integrations.openai_agents_model import Scripted, says

AUDIO = AudioInput(buffer=np.zeros(12_000, dtype=np.int16))


@pytest.fixture(autouse=True)
def attached(bus: Bus) -> Iterator[None]:
    set_tracing_disabled(True)  # the framework's own, which sends to OpenAI
    detach = attach(bus=bus)
    yield
    detach()


async def speak(
    *, tts: Any = (b"AAAA",), audio: Any = AUDIO, sessions: Any = (), stt: Any = ("What is 1 + 2?",)
) -> ScriptedTTSModel:
    speech = ScriptedTTSModel([tts])
    pipeline = VoicePipeline(
        workflow=SingleAgentVoiceWorkflow(Agent("calculator", model=Scripted(says("It is 3.")))),
        stt_model=ScriptedSTTModel(stt, sessions=sessions),
        tts_model=speech,
        config=VoicePipelineConfig(group_id="call-1", tracing_disabled=True),
    )
    result = await pipeline.run(audio)
    async for _ in result.stream():
        pass
    return speech


@pytest.mark.shows("openai_agents", "agent", "session")
async def test_a_pipeline_is_reported_with_its_steps_and_its_agent(
    bus: Bus, hooks: HookLog
) -> None:
    seen: list[str] = []
    bus.observe("before_step_run", lambda **_: seen.append(context.get()))

    await speak()

    heard, spoken = hooks.of("before_step_run")
    assert (heard["step"], heard["args"]) == (
        "speech to text",
        {"model": "scripted-stt", "audio_s": 0.5},
    )
    assert (spoken["step"], spoken["args"]["text"].strip()) == ("text to speech", "It is 3.")
    assert hooks.of("after_step_run")[0]["result"] == "What is 1 + 2?"
    below = [heard, spoken, hooks.one("before_agent_call")]
    assert {hooks.parent_noun(one) for one in below} == {"workflow_run"}
    assert hooks.one("after_workflow_run")["result"].strip() == "It is 3."
    assert seen == ["call-1", "call-1"]
    assert context.get() == context.UNKNOWN
    assert "AAAA" not in str(hooks.events)  # the audio
    hooks.check_pairs()


async def test_a_streamed_conversation_is_one_run(hooks: HookLog) -> None:
    audio = StreamedAudioInput()  # type: ignore[no-untyped-call]  # the framework's
    await audio.add_audio(None)
    await speak(audio=audio, sessions=[["What is 1 + 2?"]])

    assert hooks.one("before_workflow_run")["args"] == {"audio": "streamed"}
    assert hooks.parent_noun(hooks.one("before_agent_call")) == "workflow_run"
    assert hooks.one("before_step_run")["step"] == "text to speech"
    hooks.check_pairs()


async def test_speech_that_fails_is_an_error_of_the_step_and_the_run(hooks: HookLog) -> None:
    with pytest.raises(ConnectionError, match="no speaker"):
        await speak(tts=ConnectionError("no speaker"))

    assert str(hooks.one("error_step_run")["exc"]) == "no speaker"
    assert str(hooks.one("error_workflow_run")["exc"]) == "no speaker"
    hooks.check_pairs()


async def test_steps_are_decided(bus: Bus, hooks: HookLog) -> None:
    def edit(step: str, args: Any, **_: Any) -> Decision | None:
        is_speech = step == "text to speech"
        return Decision.modify(args={**args, "text": "No."}) if is_speech else None

    bus.intercept("before_step_run", edit)
    assert [one.text for one in (await speak()).calls] == ["No."]

    bus.intercept("before_workflow_run", lambda **_: Decision.deny("be quiet"))
    with pytest.raises(AgentsException, match="Denied: be quiet"):
        await speak()
