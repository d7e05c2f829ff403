"""Start pages do what they say: a reader who follows one sees the session that it promises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.docs.page import ROOT, DocPage, pages
from tests.support.docs.reader import Reader, outline, spans
from tests.support.docs.scripts import SCRIPTS
from tests.support.services.model_provider import ModelProvider
from tests.support.services.process import Service, free_port, wait_for

MCP1 = ROOT / ".make" / "mcp1" / "bin"
FOLLOWED_ELSEWHERE = {"typescript": "sdks/typescript/tests/package.test.ts"}
NAMES = [Path(page.path).stem for page in pages("docs/start/*.md")]
SLOW = set(NAMES) - {"openai", "opentelemetry"}
"""Pages whose packages take seconds to import."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    with Service(folder, otlp_http_port=free_port()) as started:
        yield started


def start_page(name: str) -> Any:
    marks = [pytest.mark.slow] if name in SLOW else []
    return pytest.param(name, marks=marks, id=name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [start_page(name) for name in NAMES if name not in FOLLOWED_ELSEWHERE]
)
def test_following_a_page_leads_to_the_session_that_it_promises(
    service: Service, tmp_path: Path, name: str
) -> None:
    page = DocPage(f"docs/start/{name}.md")
    programs = {"programs": MCP1} if name == "strands" else {}
    if programs and not MCP1.exists():
        pytest.skip("needs the environment that `make test` makes")
    with ModelProvider(*SCRIPTS.get(name, [])) as provider:
        reader = Reader(service, tmp_path, provider.environment, **programs)
        (session,) = reader.follow(page)

    def is_complete() -> bool:
        return outline(service, session) == page.promise

    with suppress(AssertionError):
        wait_for(is_complete)
    assert outline(service, session) == page.promise
    assert service.get(f"/sessions/{session['id']}")["error_count"] == 0
    for row in spans(service, session):
        if row["kind"] == "llm" and row["duplicate_of"] is None:
            assert min(row["input_tokens"], row["output_tokens"], row["cost_usd"]) > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_short_and_has_every_part(name: str) -> None:
    page = DocPage(f"docs/start/{name}.md")
    parts = [line for line in page.text.splitlines() if line.startswith("## ")]
    assert parts == ["## What you should see", "## If you do not", "## Next"]
    assert len(page.prose.split()) <= 220
    assert page.promise
    for part, at_least in (("If you do not", 3), ("Next", 2)):
        listed = page.text.partition(f"\n## {part}\n")[2].partition("\n## ")[0]
        assert listed.count("\n- ") >= at_least


def test_pages_that_are_followed_elsewhere_are_named_there() -> None:
    for name, test in FOLLOWED_ELSEWHERE.items():
        assert f"docs/start/{name}.md" in (ROOT / test).read_text(encoding="utf-8")
