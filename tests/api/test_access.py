import re
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.support.services.app import TOKEN, RecordingWriter, caller, running_app

BEARER = {"authorization": f"Bearer {TOKEN}"}
PROTOBUF = {"content-type": "application/x-protobuf"}
OPEN = {("GET", "/health")}
INGEST = {("POST", f"/v1/{name}") for name in ("traces", "logs", "metrics")}


@pytest.fixture
async def app() -> AsyncIterator[FastAPI]:
    async with running_app(RecordingWriter()) as app:
        yield app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with caller(app) as client:
        yield client


def every_route(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Yield (method, path) of every route, documented or not."""
    found = 0
    for included in app.routes:
        for route in included.original_router.routes:  # type: ignore[attr-defined]  # FastAPI's own
            for method in route.methods:
                found += 1
                yield (
                    method,
                    route.path.replace("{path:path}", "x").replace("{", "").replace("}", ""),
                )
    assert found > 5


async def log_in(client: httpx.AsyncClient) -> httpx.Response:
    return await client.get("/ui/", params={"token": TOKEN})


async def test_no_route_answers_from_afar_without_a_token_but_health(app: FastAPI) -> None:
    async with caller(app, peer="192.0.2.7") as client:
        for method, path in every_route(app):
            answer = await client.request(method, path)
            expected = 200 if (method, path) in OPEN else 401
            assert answer.status_code == expected, f"{method} {path}"


async def test_no_route_answers_from_here_without_a_token_but_health_and_ingest(
    app: FastAPI,
    client: httpx.AsyncClient,
) -> None:
    for method, path in every_route(app):
        answer = await client.request(method, path)
        is_open = (method, path) in OPEN | INGEST
        assert (answer.status_code != 401) == is_open, f"{method} {path}"


@pytest.mark.parametrize(
    "path", ["/nothing", "/v1/traces/", "/health/", "/v1", "/docs", "//health"]
)
async def test_what_is_no_route_is_closed_too(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(f"http://127.0.0.1:7800{path}")).status_code == 401


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"{TOKEN}"],
)
async def test_a_wrong_token_is_401_and_says_how(
    client: httpx.AsyncClient, authorization: str
) -> None:
    answer = await client.get("/nothing", headers={"authorization": authorization})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["code"] == "no_token"
    assert ("The token is wrong" in answer.json()["detail"]) == bool(authorization)


async def test_the_token_opens_everything(app: FastAPI) -> None:
    async with caller(app, peer="192.0.2.7") as client:
        assert (await client.get("/nothing", headers=BEARER)).status_code == 404
        answer = await client.post("/v1/traces", headers={**BEARER, **PROTOBUF})
    assert answer.status_code == 200


async def test_ingest_requires_the_token_when_configured() -> None:
    async with (
        running_app(RecordingWriter(), require_ingest_token=True) as app,
        caller(app) as client,
    ):
        assert (await client.post("/v1/traces", headers=PROTOBUF)).status_code == 401
        answer = await client.post("/v1/traces", headers={**BEARER, **PROTOBUF})
    assert answer.status_code == 200


async def test_ingest_asks_for_the_token_when_others_can_reach_the_port() -> None:
    async with running_app(RecordingWriter(), **BEYOND) as app, caller(app) as client:
        assert (await client.post("/v1/traces", headers=PROTOBUF)).status_code == 401


BEYOND = {"host": "0.0.0.0", "dangerously_allow_plain_http": True}


async def test_open_ingest_asks_nobody_for_the_token_and_still_looks_at_host_and_origin() -> None:
    async with (
        running_app(RecordingWriter(), open_ingest=True, **BEYOND) as app,
        caller(app, peer="192.0.2.7") as client,
    ):
        for name in ("traces", "logs", "metrics"):
            assert (await client.post(f"/v1/{name}", headers=PROTOBUF)).status_code == 200
        for forged in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
            answer = await client.post("/v1/traces", headers={**PROTOBUF, **forged})
            assert answer.status_code == 403
        assert (await client.get("/sessions")).status_code == 401, "reading is not open"


@pytest.mark.parametrize(
    "header",
    [
        {"x-forwarded-for": "203.0.113.9"},
        {"x-forwarded-for": "127.0.0.1"},
        {"x-real-ip": "203.0.113.9"},
        {"forwarded": "for=203.0.113.9"},
        {"via": "1.1 proxy"},
    ],
)
async def test_what_a_proxy_on_this_machine_brings_is_not_of_this_machine(
    client: httpx.AsyncClient, header: dict[str, str]
) -> None:
    assert (await client.post("/v1/traces", headers=PROTOBUF | header)).status_code == 401
    answer = await client.post("/v1/traces", headers=PROTOBUF | header | BEARER)
    assert answer.status_code == 200


async def test_a_refused_sender_is_logged_once_with_what_to_set(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_app(RecordingWriter(), **BEYOND) as app:
        for peer in ("192.0.2.7", "192.0.2.7", "192.0.2.8"):
            async with caller(app, peer=peer) as client:
                answer = await client.post("/v1/traces", headers=PROTOBUF)
                assert b"OTEL_EXPORTER_OTLP_HEADERS" in answer.content
                await client.get("/sessions")  # not a sender
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split(". ")[0] for line in lines] == [
        "Rejected OTLP from 192.0.2.7",
        "Rejected OTLP from 192.0.2.8",
    ]
    for line in lines:
        assert "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20TOKEN" in line
        assert "INSPECTOR_OPEN_INGEST" in line
        assert TOKEN not in line


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:7800",
        "169.254.169.254",
        "[::2]:7800",
        "",
    ],
)
async def test_a_rebound_name_is_refused_on_every_route(
    app: FastAPI, client: httpx.AsyncClient, host: str
) -> None:
    for method, path in every_route(app):
        answer = await client.request(method, path, headers={**BEARER, "host": host})
        assert answer.status_code == 403, f"{method} {path}"


@pytest.mark.parametrize("host", ["127.0.0.1", "LOCALHOST:7800", "[::1]:7800", "box.lan:1"])
async def test_allowed_names_are_answered(host: str) -> None:
    async with (
        running_app(RecordingWriter(), allowed_hosts=("box.lan",)) as app,
        caller(app) as client,
    ):
        assert (await client.get("/health", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:9999",
        "http://localhost:7800",
        "file://",
        "http://127.0.0.1:7800.evil.example",
    ],
)
async def test_another_origin_is_refused_even_with_the_token(
    client: httpx.AsyncClient, origin: str
) -> None:
    for path in ("/health", "/v1/traces", "/nothing"):
        answer = await client.post(path, headers={**BEARER, "origin": origin})
        assert answer.status_code == 403, path
        assert "access-control-allow-origin" not in answer.headers


async def test_a_listed_origin_may_call_and_read(app: FastAPI) -> None:
    origin = "https://app.example"
    async with (
        running_app(RecordingWriter(), allowed_origins=(origin,)) as app,
        caller(app) as client,
    ):
        cross = {"origin": origin, "sec-fetch-site": "cross-site"}
        preflight = await client.options(
            "/v1/traces",
            headers={**cross, "access-control-request-headers": "content-type"},
        )
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-origin"] == origin
        assert preflight.headers["access-control-allow-headers"] == "content-type"
        answer = await client.post("/v1/traces", headers={**cross, **PROTOBUF})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == origin
        assert (await client.get("/nothing", headers=cross)).status_code == 401


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_requests_of_other_sites_are_refused_but_for_following_a_link(
    client: httpx.AsyncClient, site: str
) -> None:
    link = {
        "sec-fetch-site": site,
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        **BEARER,
    }
    assert (await client.get("/ui/", headers=link)).status_code == 200
    for path, headers in [
        ("/health", link),
        ("/ui/", {**link, "sec-fetch-dest": "iframe"}),
        ("/ui/", {**link, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"}),
    ]:
        assert (await client.get(path, headers=headers)).status_code == 403
    assert (await client.post("/v1/traces", headers=link)).status_code == 403


async def test_the_token_in_the_address_becomes_a_cookie_that_is_not_the_token(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.get("/ui/sessions/5", params={"token": TOKEN, "tab": "raw"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/ui/sessions/5?tab=raw"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("inspector_7800=")
    assert TOKEN not in cookie
    for attribute in ("HttpOnly", "SameSite=lax", "Path=/"):
        assert attribute in cookie
    assert (await client.get("/nothing")).status_code == 404, "logged in"


PAGES = ("/", "/ui", "/ui/", "/ui/sessions/5?tab=raw")


@pytest.mark.parametrize("path", PAGES)
async def test_a_browser_without_a_cookie_gets_the_login_page(
    client: httpx.AsyncClient, path: str
) -> None:
    page = await client.get(path, headers={"accept": "text/html,*/*;q=0.8"})
    assert page.status_code == 401
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert re.search(r'<input [^>]*name="token"[^>]*type="password"', page.text)
    assert TOKEN not in page.text
    assert "<script" not in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy

    same = {"origin": "http://127.0.0.1:7800"}
    wrong = await client.post(path, data={"token": f"{TOKEN}x"}, headers=same)
    assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)
    assert 'role="alert"' in wrong.text

    right = await client.post(path, data={"token": f" {TOKEN}\n"}, headers=same)
    assert right.status_code == 303
    assert right.headers["location"] == {"/": "/ui/", "/ui": "/ui/"}.get(path, path)
    assert TOKEN not in right.headers["set-cookie"]
    assert (await client.get("/nothing")).status_code == 404, "logged in"


async def test_the_form_is_under_the_rules_of_every_request(client: httpx.AsyncClient) -> None:
    for forged in (
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ):
        answer = await client.post("/", data={"token": TOKEN}, headers=forged)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    for body in (b"", b"\xff\xfe", b"token=" + b"x" * 10_000, b'{"token": "x"}'):
        answer = await client.post("/", content=body)
        assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


async def test_below_a_mount_path_the_form_leads_there(app: FastAPI) -> None:
    outer = Starlette(routes=[Mount("/_inspector", app)])
    async with caller(outer) as client:
        assert 'name="token"' in (await client.get("/_inspector/")).text
        answer = await client.post("/_inspector/", data={"token": TOKEN})
    assert answer.headers["location"] == "/_inspector/ui/"
    assert "Path=/_inspector;" in answer.headers["set-cookie"]


async def test_programs_are_answered_in_their_own_words(client: httpx.AsyncClient) -> None:
    answer = await client.get("/ui/", headers={"accept": "application/json"})
    assert answer.json()["code"] == "no_token"
    asset = await client.get("/ui/assets/index.js")
    assert asset.json()["code"] == "no_token"


async def test_a_wrong_token_in_the_address_sets_no_cookie(client: httpx.AsyncClient) -> None:
    for params in ({"token": "wrong"}, {"token": ""}, {"xtoken": TOKEN}):
        answer = await client.get("/ui/", params=params)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        assert ("Wrong token" in answer.text) == ("token" in params)
    assert (await client.get("/health", params={"token": TOKEN})).cookies == {}
    assert (await client.get("/nothing", params={"token": TOKEN})).status_code == 401


async def test_a_login_survives_a_restart_and_ends_with_the_token() -> None:
    async with running_app(RecordingWriter()) as app, caller(app) as client:
        await log_in(client)
        cookies = dict(client.cookies)
    async with running_app(RecordingWriter()) as app, caller(app) as client:
        client.cookies.update(cookies)
        assert (await client.get("/nothing")).status_code == 404
        object.__setattr__(app.state.parts.access, "token", "another")
        assert (await client.get("/nothing")).status_code == 401


async def test_a_changed_or_old_cookie_is_refused(app: FastAPI) -> None:
    access = app.state.parts.access
    value = access.new_session(now_s=1_000.0)
    assert access.is_session(value, now_s=2_000.0)
    assert not access.is_session(value, now_s=1_000.0 + 31 * 24 * 3600)
    random_part, began, signature = value.split(".")
    assert not access.is_session(f"{random_part}.{int(began) + 1}.{signature}", now_s=2_000.0)
    for bad in ("", ".", "..", "a.b.c", value[:-1], value + "0", "é.1.x"):
        assert not access.is_session(bad, now_s=2_000.0)
    assert access.new_session(now_s=1_000.0) != value


async def test_a_change_by_cookie_needs_an_origin(client: httpx.AsyncClient) -> None:
    await log_in(client)
    assert (await client.delete("/nothing")).status_code == 403
    same = {"origin": "http://127.0.0.1:7800"}
    assert (await client.delete("/nothing", headers=same)).status_code == 404


async def test_every_answer_is_hardened(client: httpx.AsyncClient) -> None:
    answers = [
        await client.get("/health"),
        await client.get("/nothing"),
        await client.get("/nothing", headers=BEARER),
        await client.get("/ui/", headers=BEARER),
        await client.get("/health", headers={"host": "evil.example"}),
        await client.post("/v1/traces"),
        await log_in(client),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in answer.headers


async def test_an_unforeseen_error_is_hardened_and_reveals_nothing(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("a secret")

    answer = await client.get("/broken", headers=BEARER)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.json()["code"] == "internal"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
