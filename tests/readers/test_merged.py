"""A reader over two services answers what one service does that has the telemetry of both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.services.crawler import FILES, Crawler, unread_routes
from tests.support.services.process import Service

_OF_A_STORE = ("change", "changed_at", "as_of", "next_cursor", "version", "partial")
"""What is not the same in two stores that have the same."""


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Service]]:
    found = {}
    for name in ("eu", "us", "whole"):
        folder = tmp_path_factory.mktemp(name)
        found[name] = Service(folder, token="a-token-of-all-services", retention="off")
    for one in found.values():
        one.start()
    writers = ",".join(f"{name}={found[name].url}" for name in ("eu", "us"))
    folder = tmp_path_factory.mktemp("reader")
    found["reader"] = Service(folder, store=None, token="a-token-of-all-services", writers=writers)
    found["reader"].start()
    yield found
    for one in found.values():
        one.stop()


@pytest.mark.slow
async def test_every_route_answers_as_one_service_with_everything(
    services: dict[str, Service],
) -> None:
    owner: dict[str, str] = {}
    for number, file in enumerate(FILES):
        name = ("eu", "us")[number % 2]
        for one in (services[name], services["whole"]):
            answer = one.client.post("/import", content=file.read_bytes())
            for id_ in answer.raise_for_status().json()["sessions"]:
                assert owner.setdefault(id_, name) == name
    crawled = {}
    for name in ("whole", "reader"):
        async with httpx.AsyncClient(
            base_url=services[name].url, headers=services[name].headers, timeout=60
        ) as client:
            crawler = Crawler(client, _OF_A_STORE)
            await crawler.crawl()
            crawled[name] = crawler.answers
    assert not unread_routes(crawled["reader"])
    names = re.compile(r"\b(?:eu|us)(?::|%3A)")

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            return names.sub("", value)
        if isinstance(value, dict):
            return {plain(key): plain(one) for key, one in value.items()}
        return [plain(one) for one in value] if isinstance(value, list) else value

    found, wanted = plain(crawled["reader"]), crawled["whole"]
    assert found.keys() == wanted.keys()
    different = [path for path in wanted if found[path] != wanted[path]]
    # What is about one title is that of one service.
    assert [path for path in different if not path.endswith("/last-good")] == []
