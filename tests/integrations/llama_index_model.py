"""A scripted model of LlamaIndex, and agents with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from typing import Any, ClassVar

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection

from instrument import HookDenied
from tests.integrations.contract import QUESTION, ScriptedAgent

USAGE = {"prompt_tokens": 10, "completion_tokens": 5}


def calls(name: str, *args: dict[str, Any]) -> ChatResponse:
    """Return an answer that calls a tool, once for each of `args`."""
    blocks = [
        ToolCallBlock(tool_call_id=f"call-{name}-{n}", tool_name=name, tool_kwargs=one)
        for n, one in enumerate(args)
    ]
    return ChatResponse(message=ChatMessage(role="assistant", blocks=blocks), raw={"usage": USAGE})


def says(text: str) -> ChatResponse:
    """Return an answer that is a text."""
    return ChatResponse(message=ChatMessage(role="assistant", content=text), raw={"usage": USAGE})


class ScriptedModel(FunctionCallingLLM):
    """A model with the answers of its script, word by word; an exception in it is raised."""

    _script: list[ChatResponse | Exception] = PrivateAttr(default_factory=list)
    _sent: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, *script: ChatResponse | Exception) -> ScriptedModel:
        """Return a model with this script."""
        model = cls()
        model._script = list(script)
        return model

    @property
    def sent(self) -> list[list[ChatMessage]]:
        """The messages of each call."""
        return self._sent

    @property
    def metadata(self) -> LLMMetadata:
        """Facts of the model."""
        return LLMMetadata(model_name="scripted-1", is_function_calling_model=True)

    def _next(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        self._sent.append(list(messages))
        answer = self._script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answer from the script."""
        return self._next(messages)

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answer from the script."""
        return self._next(messages)

    @llm_chat_callback()
    def stream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: Any
    ) -> Generator[ChatResponse, None, None]:
        """Stream the answer of the script."""
        return _pieces(self._next(messages))

    @llm_chat_callback()
    async def astream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: Any
    ) -> AsyncGenerator[ChatResponse, None]:
        """Stream the answer of the script."""
        answer = self._next(messages)

        async def pieces() -> AsyncGenerator[ChatResponse, None]:
            for piece in _pieces(answer):
                yield piece

        return pieces()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Complete from the script."""
        answer = self._next([ChatMessage(prompt)])
        return CompletionResponse(text=answer.message.content or "", raw=answer.raw)

    @llm_completion_callback()
    async def acomplete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponse:
        """Complete from the script."""
        completed: CompletionResponse = self.complete(prompt, formatted=formatted, **kwargs)
        return completed

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """Complete in one piece."""
        yield self.complete(prompt)

    @llm_completion_callback()
    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """Complete in no piece: nobody asks."""
        raise NotImplementedError

    def _prepare_chat_with_tools(  # type: ignore[override]  # with less of it
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        messages = list(chat_history or [])
        if user_msg is not None:
            messages.append(ChatMessage(user_msg) if isinstance(user_msg, str) else user_msg)
        return {
            "messages": messages,
            "tools": [tool.metadata.to_openai_tool() for tool in tools],
        }

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        """Return the calls that an answer asks for."""
        return [
            ToolSelection(
                tool_id=block.tool_call_id or "",
                tool_name=block.tool_name,
                tool_kwargs=block.tool_kwargs if isinstance(block.tool_kwargs, dict) else {},
            )
            for block in response.message.blocks
            if isinstance(block, ToolCallBlock)
        ]

    def read(self) -> str:
        """Return the result of the first tool call, as the model read it."""
        return next(one.content or "" for one in self._sent[-1] if one.role == "tool")


def _pieces(answer: ChatResponse) -> Generator[ChatResponse, None, None]:
    text = ""
    for block in answer.message.blocks:
        for word in block.text.split() if isinstance(block, TextBlock) else ():
            delta = f" {word}" if text else word
            text += delta
            yield ChatResponse(message=ChatMessage(text, role="assistant"), delta=delta)
    yield answer


class LlamaIndexAgent(ScriptedAgent):
    """An agent of the framework, which asks its model at once or streams."""

    WAYS: ClassVar[tuple[str, ...]] = ("run", "stream")
    REFUSED = HookDenied
    calls = staticmethod(calls)
    says = staticmethod(says)

    def __init__(self, *script: Any, tools: Sequence[Callable[..., Any]]) -> None:
        self._model = ScriptedModel.of(*script)
        self.native = FunctionAgent(
            name=self.NAME, llm=self._model, tools=list(tools), streaming=False
        )

    async def run(self, way: str) -> str:
        self.native.streaming = way == "stream"
        handler = self.native.run(user_msg=QUESTION)
        return str(await handler)

    def read(self) -> str:
        return self._model.read()

    def count_model_calls(self) -> int:
        return len(self._model.sent)
