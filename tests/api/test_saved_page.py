"""`GET /sessions/{id}/export.html`: a session as one web page."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from inspector.service.http import recording, saved_page
from tests.support.services.api import Api
from tests.support.services.app import RecordingWriter, caller, running_app
from tests.support.telemetry.delegating_run import TRACE, spans
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import incoming, span_hex, trace_hex

URL = "/sessions/refunds/export.html"
BEFORE, AFTER = "<script>", "</script><p>end</p>"


@pytest.fixture(autouse=True)
def template(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let the built page be a short one."""
    monkeypatch.setattr(saved_page, "STATIC", tmp_path)
    page = tmp_path / "saved.html"
    page.write_text(f"{BEFORE}ANSWERS{AFTER}")
    return page


@pytest.fixture
async def api(api: Api) -> Api:
    await api.submit(*(incoming(one, "p1") for one in spans()))
    return api


async def saved(api: Api, url: str = URL) -> dict[str, str]:
    """Return the answers in a page, by path."""
    page = (await api.get(url)).text
    assert page.startswith(BEFORE)
    assert page.endswith(AFTER)
    packed = base64.b64decode(page.removeprefix(BEFORE).removesuffix(AFTER), validate=True)
    lines = map(json.loads, gzip.decompress(packed).splitlines())
    return {path: text for path, text, _ in lines}


def facts(answers: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answers["/saved"])
    return found


async def test_the_page_has_what_the_routes_answer(api: Api) -> None:
    answers = await saved(api)
    assert facts(answers) | {"exported_at": ""} == {
        "session_id": "refunds",
        "exported_at": "",
        "left_out": 0,
    }
    for path, text in answers.items():
        if path != "/saved":
            assert (await api.get(path)).text == text, path
    rows = json.loads(answers["/sessions/refunds/spans?format=columns&limit=20000"])
    assert rows["columns"]["span_id"]
    for trace_id, span_id in zip(
        rows["columns"]["trace_id"], rows["columns"]["span_id"], strict=True
    ):
        assert f"/spans/{trace_id}/{span_id}?max_value_bytes=65536" in answers
    with_its_call_before = f"{trace_hex(TRACE)}.{span_hex(28)}~{trace_hex(TRACE)}.{span_hex(26)}"
    assert any(with_its_call_before in path for path in answers)


async def test_rows_of_many_pages_are_there_as_the_page_asks_for_them(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_ROWS", 3)
    monkeypatch.setattr(recording, "_LATER_ROWS", 4)
    answers = await saved(api)
    (first, later) = [text for path, text in answers.items() if "/spans?" in path]
    assert f"cursor={quote(json.loads(first)['next_cursor'], safe='')}" in "".join(answers)
    pages = [json.loads(line)["columns"]["span_id"] for line in later.splitlines()]
    ids = json.loads(first)["columns"]["span_id"] + [one for page in pages for one in page]
    whole = (await api.get("/sessions/refunds/spans?format=columns")).json()["columns"]["span_id"]
    assert (len(pages) > 1, ids) == (True, whole)


async def test_nothing_that_a_trace_says_is_markup_in_the_page(api: Api) -> None:
    markup = "</script><!--<script><img src=x onerror=alert(1)>\u2028]]>"
    attributes = {"session.id": markup, "inspector.session.title": markup, markup: markup}
    await api.submit(incoming(span(markup, trace=9, attributes=attributes), "p1"))
    sessions = (await api.get("/sessions")).json()["sessions"]
    (hostile,) = [one["id"] for one in sessions if one["id"] != "refunds"]
    page = await api.get(f"/sessions/{quote(hostile, safe='')}/export.html")
    inside = page.text.removeprefix(BEFORE).removesuffix(AFTER)
    assert page.status_code == 200
    assert not set(inside) & set("<>&\u2028")
    assert page.headers["content-disposition"] == "attachment"


async def test_a_long_value_is_whole_in_the_page(api: Api) -> None:
    text = "x" * 100_000
    long = span("long", trace=9, attributes={"session.id": "long", "text": text})
    await api.submit(incoming(long, "p1"))
    answers = await saved(api, "/sessions/long/export.html")
    values = [text for path, text in answers.items() if "/value?" in path]
    assert values == [text]


async def test_content_without_room_is_left_out_and_counted(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_page, "MAX_ANSWERS_BYTES", 0)
    monkeypatch.setattr(saved_page, "_PIECE_BYTES", 0)
    answers = await saved(api)
    rows = json.loads(answers["/sessions/refunds/spans?format=columns&limit=20000"])
    assert facts(answers)["left_out"] == len(rows["columns"]["span_id"])
    assert not any(path.startswith("/spans/") for path in answers)


async def test_a_span_that_is_too_large_is_cut_shorter_or_left_out(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = {f"key {number}": "x" * 20_000 for number in range(20)}
    large = span("large", trace=9, attributes={"session.id": "large", **many})
    await api.submit(incoming(large, "p1"))
    monkeypatch.setattr(recording, "MAX_SPAN_BYTES", 200_000)
    answers = await saved(api, "/sessions/large/export.html")
    (body,) = [path for path in answers if path.startswith("/spans/") and "/value" not in path]
    assert body.endswith("?max_value_bytes=4096")
    assert facts(answers)["left_out"] == 1
    monkeypatch.setattr(recording, "MAX_SPAN_BYTES", 1_000)
    answers = await saved(api, "/sessions/large/export.html")
    assert not any(path.startswith("/spans/") for path in answers)
    assert facts(answers)["left_out"] == 1


async def test_a_page_of_too_many_spans_is_refused_with_another_way(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_page, "MAX_SPANS", 3)
    refused = await api.get(URL)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_many_spans")
    assert "inspector export" in refused.json()["detail"]


async def test_nobody_gets_a_page_that_is_not_there_or_not_theirs(api: Api, template: Path) -> None:
    assert (await api.get("/sessions/nobody/export.html")).status_code == 404
    async with running_app(RecordingWriter()) as app, caller(app) as stranger:
        assert (await stranger.get(URL)).status_code == 401
    template.unlink()  # noqa: ASYNC240 - nobody waits
    missing = await api.get(URL)
    assert (missing.status_code, missing.json()["code"]) == (501, "no_ui")
