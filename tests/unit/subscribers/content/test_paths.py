"""A value is read by its path, and the program that it is of does not notice."""

from __future__ import annotations

import warnings

import pytest
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from subscribers import Options, load_spec
from subscribers.bridge.failures import failure_of_result
from subscribers.content.paths import read_path
from subscribers.content.serialise import to_json
from subscribers.spec.engine import Engine


class Old(BaseModel):
    """A class with a deprecated alias, as libraries have."""

    model_config = {"populate_by_name": True, "extra": "allow"}
    new_name: str = Field(default="kept", alias="newName")
    gone: str = Field(default="gone", deprecated="Use new_name.")

    @property
    def size(self) -> int:
        return 4


def _old_name(self: BaseModel) -> object:
    warnings.warn("This name is of before.", DeprecationWarning, stacklevel=2)
    return None


@pytest.mark.filterwarnings("error")
def test_nothing_of_a_model_is_read_in_a_way_that_warns() -> None:
    value = Old(extra="more")  # type: ignore[call-arg]  # what pydantic allows
    paths = {"new_name": "kept", "newName": "kept", "gone": "gone", "size": 4, "extra": "more"}
    assert {path: read_path(value, path) for path in paths} == paths
    assert to_json(value).text == '{"newName":"kept","gone":"gone","extra":"more"}'


def test_names_of_before_that_a_library_puts_on_models_of_mcp_are_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CallToolResult, "isError", property(_old_name), raising=False)
    result = CallToolResult(content=[TextContent(type="text", text="No.")], is_error=True)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert failure_of_result(result, Engine(load_spec(), Options())) is not None
    assert warned == []
