"""Trusted proxies: the addresses of callers that they report."""

from typing import Any

import httpx
import pytest

from inspector.service.app import create_app
from inspector.service.server.ports import listen, port_of
from inspector.service.server.serving import serving
from tests.support.services.app import TOKEN, settings

FORWARDED = {"x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"}
HERE = "127.0.0.1"


async def audited(**values: object) -> dict[str, Any]:
    """Return the audit log's entry of an answer, forwarded by a process of this machine."""
    configured = settings(port=0, **values)
    app = create_app(configured, token=TOKEN)
    with listen(HERE, 0, setting="a free port") as listener:
        url = f"http://{HERE}:{port_of(listener)}"
        async with (
            app.router.lifespan_context(app),
            serving(app, listener, configured),
            httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {TOKEN}"}) as client,
        ):
            answer = {"decision": "allow"}
            refused = await client.post("/requests/none", json=answer, headers=FORWARDED)
            assert refused.status_code == 404
            entries: list[dict[str, Any]] = (await client.get("/audit")).json()["entries"]
    return entries[0]


async def test_a_process_of_this_machine_is_not_believed() -> None:
    assert (await audited())["address"] == HERE


@pytest.mark.parametrize("proxies", ["127.0.0.1", "10.0.0.0/8, 127.0.0.0/8"])
async def test_a_proxy_that_is_named_is_believed(proxies: str) -> None:
    assert (await audited(trusted_proxies=proxies))["address"] == "203.0.113.9"


async def test_another_proxy_than_the_one_that_is_named_is_not_believed() -> None:
    assert (await audited(trusted_proxies="10.0.0.0/8"))["address"] == HERE
