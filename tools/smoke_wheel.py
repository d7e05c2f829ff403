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
import venv
import zipfile
from pathlib import Path

from tools.first_look import first_look

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
    if "inspector/static/index.html" not in names:
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


def _is_patched(python: Path, folder: Path) -> None:
    """Run an agent of that framework, watched, without a service."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = inherited | {"INSPECTOR_RUNTIME_DIR": str(folder)}
    answer = subprocess.run(
        [python, _MCP_AGENT], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True
    )
    if b"7+6 = 13" not in answer.stdout:
        raise SystemExit(f"{_MCP_AGENT.name} did not run: {answer.stdout!r}")


_TRIALS = {"serve": _serves, "all": _runs_the_demo, "mcp-agent": _is_patched}


if __name__ == "__main__":
    main()
