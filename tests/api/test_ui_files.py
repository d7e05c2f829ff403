import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from inspector.service.http import ui
from tests.support.services.app import TOKEN, RecordingWriter, caller, running_app

BEARER = {"authorization": f"Bearer {TOKEN}"}
PAGE = '<!doctype html><html><head><base href="/somewhere/"><title>x</title></head></html>'


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "favicon.svg").write_text("<svg/>")
    (tmp_path / "assets" / "index-Ab3dEf9_.js").write_text("run()")
    (tmp_path / "assets" / "index-Ab3dEf9_.css").write_text("a{}")
    (tmp_path / "assets" / "plain.js").write_text("run()")
    monkeypatch.setattr(ui, "STATIC", tmp_path)
    return tmp_path


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with running_app(RecordingWriter()) as app, caller(app) as client:
        client.headers.update(BEARER)
        yield client


async def test_every_page_is_the_application_with_its_base(
    built: Path, client: httpx.AsyncClient
) -> None:
    for path in ("/ui/", "/ui/index.html", "/ui/sessions/some%2Fid", "/ui/a.b/c"):
        answer = await client.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert re.findall(r"<base[^>]*>", answer.text) == ['<base href="/ui/">']


async def test_below_a_mount_path_the_page_has_that_base(built: Path) -> None:
    async with running_app(RecordingWriter()) as app:
        outer = Starlette(routes=[Mount("/_inspector", app)])
        transport = httpx.ASGITransport(outer)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=BEARER
        ) as client:
            answer = await client.get("/_inspector/ui/")
            assert '<base href="/_inspector/ui/">' in answer.text
            for path in ("/_inspector/", "/_inspector/ui"):
                assert (await client.get(path)).headers["location"] == "/_inspector/ui/"


async def test_a_page_without_a_base_gets_one(built: Path, client: httpx.AsyncClient) -> None:
    (built / "index.html").write_text("<html><head lang='en'><title>x</title></head></html>")
    answer = await client.get("/ui/")
    assert "<head lang='en'><base href=\"/ui/\"><title>" in answer.text


@pytest.mark.parametrize(
    ("path", "kind", "is_immutable"),
    [
        ("assets/index-Ab3dEf9_.js", "text/javascript", True),
        ("assets/index-Ab3dEf9_.css", "text/css", True),
        ("assets/plain.js", "text/javascript", False),
        ("favicon.svg", "image/svg+xml", False),
    ],
)
async def test_files_have_their_type_and_hashed_ones_are_immutable(
    built: Path, client: httpx.AsyncClient, path: str, kind: str, is_immutable: bool
) -> None:
    answer = await client.get(f"/ui/{path}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert ("immutable" in answer.headers["cache-control"]) == is_immutable
    assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_a_missing_asset_is_not_a_page(built: Path, client: httpx.AsyncClient) -> None:
    answer = await client.get("/ui/assets/gone-12345678.js")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/ui/../settings.py",
        "/ui/%2e%2e/settings.py",
        "/ui/assets/%2e%2e/%2e%2e/settings.py",
        "/ui//etc/passwd",
        "/ui/%2fetc%2fpasswd",
        "/ui/assets/..%5c..%5csettings.py",
    ],
)
async def test_no_other_file_can_be_reached(
    built: Path, client: httpx.AsyncClient, path: str
) -> None:
    (built.parent / "settings.py").write_text("secret")
    answer = await client.get(path)
    assert "secret" not in answer.text
    assert "root:" not in answer.text


async def test_a_new_build_is_served_without_a_restart(
    built: Path, client: httpx.AsyncClient
) -> None:
    import os

    assert (await client.get("/ui/assets/new-12345678.js")).status_code == 404
    (built / "assets" / "new-12345678.js").write_text("new()")
    os.utime(built / "index.html", ns=(1, 1))
    assert (await client.get("/ui/assets/new-12345678.js")).text == "new()"


async def test_when_it_is_not_built_the_page_says_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: httpx.AsyncClient
) -> None:
    monkeypatch.setattr(ui, "STATIC", tmp_path / "none")
    answer = await client.get("/ui/")
    assert answer.status_code == 200
    assert "npm run build" in answer.text
