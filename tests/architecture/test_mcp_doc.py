"""The configuration snippets of `docs/mcp-server.md` name commands that exist."""

import json
import re

import typer.main

from inspector.cli.main import app
from tools.generate import ROOT

TEXT = (ROOT / "docs" / "mcp-server.md").read_text(encoding="utf-8")


def test_every_snippet_names_a_command_that_exists_or_the_route() -> None:
    snippets = [json.loads(found) for found in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]
    servers = [server for one in snippets for group in one.values() for server in group.values()]
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group has them
    assert len(servers) == 3
    for server in servers:
        if "url" in server:
            assert server["url"].endswith("/mcp")
        else:
            assert server["command"] == "inspector"
            assert server["args"][0] in commands
