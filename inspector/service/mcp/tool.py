"""The definition of a tool: its description for models, its arguments, its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from inspector.errors import InspectorError
from inspector.service.mcp.answer import ClosedModel, Recorded, ToolAnswer
from inspector.service.mcp.source import Archive

A = TypeVar("A", bound=ClosedModel)
R = TypeVar("R", bound=BaseModel)


class BadArgumentsError(InspectorError):
    """A tool was called with arguments that are not valid."""

    code = "bad_arguments"


@dataclass(frozen=True, slots=True)
class ServedTool(Generic[A, R]):
    """A tool.

    Attributes:
        name: In calls.
        title: For people.
        description: For models: its purpose, its answer, what to call next.
        arguments: The model of its arguments.
        result: The model of `recorded` in its structured answer.
        run: Finds the answer.
        address: Returns the path of the route that it changes something by, from any arguments;
            None: it only reads.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[R]
    run: Callable[[Archive, A], Awaitable[Recorded[R]]]
    address: Callable[[dict[str, Any]], str] | None = None

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return _plain(self.arguments.model_json_schema())

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the structured answer."""
        whole: type[BaseModel] = ToolAnswer[self.result]  # type: ignore[name-defined]  # made at run time
        return _plain(whole.model_json_schema(mode="serialization"))

    async def call(self, archive: Archive, arguments: dict[str, Any]) -> Recorded[R]:
        """Run it.

        Raises:
            BadArgumentsError: Arguments are not valid; says which and why.
            InspectorError: The service refuses, or does not answer.
        """
        try:
            valid = self.arguments.model_validate(arguments)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
                for one in error.errors()[:10]
            )
            raise BadArgumentsError(f"Cannot call {self.name}: {wrong}.") from error
        return await self.run(archive, valid)


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the titles that pydantic adds: they cost tokens."""
    return {key: _without_titles(value) for key, value in schema.items() if key != "title"}


def _without_titles(node: Any) -> Any:
    match node:
        case {"title": str(), **rest} if "type" in rest or "anyOf" in rest or "$ref" in rest:
            return {key: _without_titles(value) for key, value in rest.items()}
        case dict():
            return {key: _without_titles(value) for key, value in node.items()}
        case list():
            return [_without_titles(one) for one in node]
        case _:
            return node
