"""Operations for voice pipelines: the run, speech to text, and text to speech.

A pipeline runs in a task that outlives the call that starts it: the run ends with that task.
"""

from __future__ import annotations

from asyncio import CancelledError, Task
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any, Final

from agents.exceptions import AgentsException

from inspector.integrations.open_operations import OpenOperations
from inspector.integrations.openai_agents.runs import Runs
from inspector.integrations.patches import Patches
from inspector.integrations.session import in_session
from inspector.integrations.streamed import inside
from inspector.integrations.verdicts import refused_as
from instrument import Bus, HookStopped, Operation
from instrument.operations import enclosing_call_id

RUN: Final = "workflow_run"
STEP: Final = "step_run"

Awaited = Callable[..., Awaitable[Any]]


def patch(runs: Runs, patches: Patches) -> None:
    """Wrap the methods of a pipeline, once the program has imported it."""
    pipeline = patches.find("agents.voice.pipeline", "VoicePipeline")
    patches.put(pipeline, "run", partial(_wrap_run, runs))
    patches.put(pipeline, "_process_audio_input", partial(_wrap_transcription, runs.bus))
    result = patches.find("agents.voice.result", "StreamedAudioResult")
    patches.put(result, "_stream_audio", partial(_wrap_speech, runs.bus))


def _wrap_run(runs: Runs, original: Awaited) -> Awaited:
    operations = OpenOperations(runs.bus)

    @wraps(original)
    async def run(pipeline: Any, audio_input: Any) -> Any:
        if not runs.wants(None):
            return await original(pipeline, audio_input)
        key, config = object(), pipeline.config
        name, args = config.workflow_name or "Voice Agent", _about(audio_input)
        with in_session(config.group_id):
            with refused_as(AgentsException):
                operation = await operations.begin_async(key, RUN, workflow=name, args=args)
            try:
                with inside(operation):
                    output = await original(pipeline, audio_input)
            except BaseException as error:
                operations.fail(key, error)
                raise

        def end(task: Task[Any]) -> None:
            error = CancelledError() if task.cancelled() else task.exception()
            if error is None:
                operations.end(key, output.total_output_text)
            else:
                operations.fail(key, error, output.total_output_text)

        output.text_generation_task.add_done_callback(end)
        return output

    return run


def _wrap_transcription(bus: Bus, original: Awaited) -> Awaited:
    @wraps(original)
    async def transcribe(pipeline: Any, audio_input: Any) -> Any:
        async def body(_: Operation) -> Any:
            return await original(pipeline, audio_input)

        if enclosing_call_id(bus, RUN) is None:
            return await original(pipeline, audio_input)
        args = {"model": pipeline._get_stt_model().model_name, **_about(audio_input)}
        return await _step(bus, body, "speech to text", args)

    return transcribe


def _wrap_speech(bus: Bus, original: Awaited) -> Awaited:
    @wraps(original)
    async def speak(result: Any, text: str, *args: Any, **kwargs: Any) -> Any:
        async def body(operation: Operation) -> None:
            await original(result, operation.args["text"], *args, **kwargs)

        if enclosing_call_id(bus, RUN) is None:
            return await original(result, text, *args, **kwargs)
        about = {"model": result.tts_model.model_name, "voice": result.tts_settings.voice}
        return await _step(bus, body, "text to speech", {**about, "text": text})

    return speak


async def _step(
    bus: Bus, body: Callable[[Operation], Awaitable[Any]], name: str, args: dict[str, Any]
) -> Any:
    try:
        with refused_as(AgentsException):
            return await bus.call(STEP, body, step=name, kind=None, args=args)
    except HookStopped as stop:
        return stop.value


def _about(audio_input: Any) -> dict[str, Any]:
    """Return how long an audio is, never its data; of one that is streamed nothing is known."""
    buffer = getattr(audio_input, "buffer", None)
    if buffer is None:
        return {"audio": "streamed"}
    return {"audio_s": round(len(buffer) / audio_input.frame_rate / audio_input.channels, 3)}
