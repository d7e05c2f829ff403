"""The emitters, run: each real package, in its own environment, against a real service."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.emitters.record import emitters, run, tools_of
from tests.emitters.scripts.story import ANSWER, CITY, QUESTION, SYSTEM, TOOL
from tests.emitters.test_captured import RETOLD, SUMS, WITH_MODEL
from tests.support.services.process import Service

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as started:
        yield started


@pytest.mark.parametrize("name", emitters())
def test_a_real_package_is_summed_up_and_its_answer_read(name: str, service: Service) -> None:
    for tool in tools_of(name):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    run(name, service.url)
    sessions = service.get("/sessions")["sessions"]
    keys = ("llm_calls", "input_tokens", "output_tokens")
    assert tuple(sum(session[key] for session in sessions) for key in keys) == SUMS[name]
    details = [
        service.get(f"/spans/{row['trace_id']}/{row['span_id']}")
        for session in sessions
        for row in service.get(f"/sessions/{session['id']}/spans")["spans"]
    ]
    assert len(details) == sum(session["span_count"] for session in sessions)
    texts = [text for detail in details for text in _texts(detail["view"])]
    if name in WITH_MODEL and name not in RETOLD:
        assert {SYSTEM, QUESTION, ANSWER} <= set(texts)
        assert any(TOOL in text and CITY in text for text in texts)


def _texts(view: dict[str, Any]) -> list[str]:
    """Return the texts of a view, and each call as its tool and arguments."""
    parts = [part for message in view["messages"] for part in message["parts"]]
    texts = [part["text"].strip() for part in parts if part["type"] == "text"]
    calls = [part for part in parts if part["type"] == "tool_call"]
    return texts + [call["name"] + call["arguments"]["text"] for call in calls]
