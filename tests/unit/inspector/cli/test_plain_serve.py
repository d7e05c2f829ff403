"""`inspector serve` without the command line's library has the same flags."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from inspector.cli.main import app
from inspector.cli.plain_serve import plain_serve
from inspector.service.server import serve as module
from inspector.service.settings import Settings

PLAIN: tuple[list[str], ...] = (
    [],
    ["--port", "0"],
    ["--port=7801", "--otlp-http-port", "0"],
    ["--host", "localhost", "--store=memory:", "--forward-otlp", "http://a:1,http://b:2"],
    ["--retention", "3d", "--retention", "4d"],
    ["--tls-cert", "a=b", "--tls-key", ""],
)
NOT_PLAIN = (
    ["--help"],
    ["--port"],
    ["--port", "many"],
    ["--port", "-1"],
    ["--po", "1"],
    ["--otlp_http_port", "1"],
    ["port", "1"],
    ["--token", "given-to-this-test"],
    ["--open-ingest"],
    ["--no-open-ingest"],
    ["--rotate-token"],
    ["--store", "--port"],
)


@pytest.fixture(autouse=True)
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    served: list[Settings] = []
    monkeypatch.setattr(module, "serve", lambda settings, *, say: served.append(settings))
    return served


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_plain_arguments_mean_what_they_mean_to_the_library(
    arguments: list[str], served: list[Settings]
) -> None:
    run = plain_serve(arguments)
    assert run is not None
    run()
    assert CliRunner().invoke(app, ["serve", *arguments]).exit_code == 0

    plainly, by_the_library = served
    assert plainly == by_the_library
    assert plainly.model_fields_set == by_the_library.model_fields_set


@pytest.mark.parametrize("arguments", NOT_PLAIN, ids=" ".join)
def test_all_else_is_left_to_the_library(arguments: list[str], served: list[Settings]) -> None:
    assert plain_serve(arguments) is None
    assert served == []
