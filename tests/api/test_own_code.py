"""A loop written by hand: seen, asked about, and of its session and user, without a framework."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.request_client import RequestClient
from tests.support.agents.agent_process import watched_agent
from tests.support.services.process import Service, wait_for

LOOP = Path(__file__).resolve().parents[2] / "examples" / "hand_written_loop.py"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("own-code")) as service:
        yield service


@pytest.mark.slow
def test_a_denied_tool_of_a_loop_does_not_run_and_the_session_shows_all_of_it(
    service: Service,
) -> None:
    client = RequestClient(service)
    with watched_agent(service, LOOP) as agent:
        (request,) = client.wait_for_pending()
        assert request["prompt"] == "Delete draft.txt?"
        assert request["args_json"] == '{"name":"draft.txt"}'
        assert client.answer(request, "deny", reason="it is mine").json()["applied"] is True
        lines = agent.output_lines()
    assert lines[-2:] == ["delete_file: refused: it is mine", "left: draft.txt, report.txt"]

    def ended() -> object:
        row = service.get("/sessions/clean-up-1")
        return row if row["status"] == "completed" else None

    session = wait_for(ended)
    assert isinstance(session, dict)
    assert (session["title"], session["tags"]) == ("Clean up", ["example"])
    assert session["users"] == ["ada"]
    found = [
        [one["id"] for one in service.get(f"/sessions?q=user:{user}")["sessions"]]
        for user in ("ada", "a*", "bo")
    ]
    assert found == [["clean-up-1"], ["clean-up-1"], []]
    spans = service.get("/sessions/clean-up-1/spans")["spans"]
    assert [(span["kind"], span["subject"]) for span in spans] == [
        ("agent", "clean_up"),
        ("tool", "list_files"),
        ("tool", "delete_file"),
    ]
