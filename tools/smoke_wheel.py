"""Smoke-test a wheel in a clean environment: `python -m tools.smoke_wheel dist/NAME.whl`.

A clean environment, `pip install 'WHEEL[serve]'`, `inspector serve` on free ports, and a look at
`/health` and at the web UI. With another extra, what that is for. `--constraint FILE` is pip's own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import venv
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from tools.first_look import first_look

_ATTACHED = """
import inspector, instrument
handle = inspector.attach()
with instrument.operation("tool_call", tool_name="add", args={"a": 1}):
    assert handle.flush(), "what began was not sent"
assert handle.flush(), "what ended was not sent"
"""
_MCP_AGENT = Path(__file__).parents[1] / "examples" / "frameworks" / "mcp_agent_app.py"


def main() -> None:
    """Install, start, look, stop."""
    parser = argparse.ArgumentParser(description="Try a wheel out as a new user would.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--extra", choices=_TRIALS, default="serve")
    parser.add_argument("--constraint", type=Path)
    options = parser.parse_args()
    wheel: Path = options.wheel.resolve()
    names = zipfile.ZipFile(wheel).namelist()
    if not {f"inspector/static/{name}.html" for name in ("index", "saved")} <= set(names):
        raise SystemExit(f"{wheel.name} has no web UI. Run `make build`.")
    with tempfile.TemporaryDirectory() as folder:
        python = _install(wheel, options.extra, Path(folder), options.constraint)
        _TRIALS[options.extra](python, Path(folder))
    sys.stdout.write(f"{wheel.name}[{options.extra}]: installs and works.\n")


def _install(wheel: Path, extra: str, folder: Path, constraint: Path | None) -> Path:
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if constraint:
        command += ["--constraint", str(constraint)]
    requirement = f"mcp-agent-inspector[{extra}] @ {wheel.as_uri()}"
    subprocess.run([*command, requirement], check=True)
    return python


def _serves(python: Path, folder: Path) -> None:
    first_look([python, "-m", "inspector", "serve"], folder, folder)


def _runs_the_demo(python: Path, folder: Path) -> None:
    """Run the demo agent, its MCP servers, and the service that they report to."""
    first_look([python, "-m", "inspector.demo", "--serve", "--loop"], folder, folder, sessions=1)


def _attaches(python: Path, folder: Path) -> None:
    """Run a program that sends what begins and what ends; nothing takes anything else there."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        environment = _environment() | {"INSPECTOR_URL": url, "INSPECTOR_CONTROL": "off"}
        subprocess.run([python, "-c", _ATTACHED], cwd=folder, env=environment, check=True)
        server.shutdown()
    if not {"/v1/logs", "/v1/traces"}.issubset(paths):
        raise SystemExit(f"An attached program sent to {paths} only.")


def _is_patched(python: Path, folder: Path) -> None:
    """Run an agent of that framework, watched, without a service."""
    environment = _environment() | {"INSPECTOR_RUNTIME_DIR": str(folder)}
    answer = subprocess.run(
        [python, _MCP_AGENT], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True
    )
    if b"7+6 = 13" not in answer.stdout:
        raise SystemExit(f"{_MCP_AGENT.name} did not run: {answer.stdout!r}")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


_TRIALS = {
    "otel": _attaches,
    "serve": _serves,
    "all": _runs_the_demo,
    "mcp-agent": _is_patched,
}


if __name__ == "__main__":
    main()
