"""A reader who does what a page says: saves its files, runs its commands, and looks for a session.

The service runs already, and what the page exports is replaced by where it listens.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.support.docs.page import ROOT, DocPage
from tests.support.services.process import Service, wait_for

HOST_CONFIGURATION = "mcp.json"
"""The file in which an MCP client's servers are."""
OTLP_HTTP = "127.0.0.1:4318"
"""Where pages say that OTLP is taken."""


@dataclass(frozen=True)
class Reader:
    """A reader.

    Attributes:
        service: What runs already.
        folder: Where files are saved and commands run.
        environ: Variables that are set before, and that no page changes.
        programs: The folder of `inspector` and `python`.
    """

    service: Service
    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    programs: Path = Path(sys.executable).parent

    def save(self, page: DocPage) -> None:
        """Save the files of a page."""
        for block in page.blocks:
            if block.file and not block.not_run:
                (self.folder / block.file).write_text(block.text, encoding="utf-8")

    def follow(self, page: DocPage) -> list[Any]:
        """Save its files, run its commands about them, and return the new sessions.

        Raises:
            AssertionError: A command failed.
        """
        self.save(page)
        before = self._session_ids()
        exported: dict[str, str] = {}
        for line in (line for block in page.of("sh") for line in block.commands):
            words = shlex.split(line)
            if words[0] == "export":
                name, _, text = words[1].partition("=")
                here = f"127.0.0.1:{self.service.otlp_http_port}"
                exported[name] = text.replace(OTLP_HTTP, here)
            elif any((self.folder / word).is_file() for word in words[1:]):
                self.run(*words, **exported)
        for block in page.of("json"):
            if block.file == HOST_CONFIGURATION:
                asyncio.run(self._ask_servers(json.loads(block.text)))
        wait_for(lambda: self._session_ids() - before)
        sessions = self.service.get("/sessions")["sessions"]
        return [one for one in sessions if one["id"] not in before]

    def run(self, *words: str, **exported: str) -> str:
        """Run a command, which must succeed, allow whatever it asks, and return its output."""
        with subprocess.Popen(
            words,
            env={**self._own(), **exported, **self.environ},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                output, errors = self._answer_until_the_end(process)
            finally:
                process.kill()
        assert process.returncode == 0, f"{shlex.join(words)}: {errors}"
        return output

    def _answer_until_the_end(self, process: subprocess.Popen[str]) -> tuple[str, str]:
        while True:
            try:
                return process.communicate(timeout=0.2)
            except subprocess.TimeoutExpired:
                for request in self.service.get("/requests?status=pending")["requests"]:
                    answer = {"decision": "allow", "args_hash": request["args_hash"]}
                    self.service.client.post(f"/requests/{request['id']}", json=answer)

    async def _ask_servers(self, configuration: Any) -> None:
        """Start MCP servers as a host does, and ask for the status of the repository."""
        stand_in = self.folder / "uvx"  # runs what is installed, where the real one would fetch it
        stand_in.write_text('#!/bin/sh\nexec "$@"\n', encoding="utf-8")
        stand_in.chmod(0o700)
        environ = self._own()
        environ["PATH"] = f"{self.folder}{os.pathsep}{environ['PATH']}"
        for server in configuration["mcpServers"].values():
            command = shutil.which(server["command"], path=environ["PATH"])
            process = StdioServerParameters(
                command=str(command), args=server["args"], env={**environ, **server.get("env", {})}
            )
            async with Client(process) as client:
                await client.list_tools()
                result = await client.call_tool("git_status", {"repo_path": str(ROOT)})
                assert not result.is_error, result

    def _own(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        return {**self.service.environment, "PATH": path}

    def _session_ids(self) -> set[str]:
        return {one["id"] for one in self.service.get("/sessions")["sessions"]}


def outline(service: Service, session: Any) -> str:
    """Return the title of a session and its spans as a tree, without duplicates."""
    rows = {row["span_id"]: row for row in spans(service, session)}
    below: dict[str, list[str]] = {}
    for span_id, row in rows.items():
        if row["duplicate_of"] is None:
            above = row["parent_span_id"]
            while above in rows and rows[above]["duplicate_of"] is not None:
                above = rows[above]["parent_span_id"]
            below.setdefault(above if above in rows else "", []).append(span_id)

    def lines(above: str, indent: str) -> Iterator[str]:
        for span_id in below.get(above, []):
            is_last = span_id == below[above][-1]
            yield f"{indent}{'└─' if is_last else '├─'} {rows[span_id]['name']}\n"
            yield from lines(span_id, indent + ("   " if is_last else "│  "))

    title: str = session["title"]
    return "".join([f"{title}\n", *lines("", "")])


def spans(service: Service, session: Any) -> list[Any]:
    """Return the spans of a session."""
    rows: list[Any] = service.get(f"/sessions/{session['id']}/spans")["spans"]
    return rows
