"""Try a wheel out as a new user would: `python -m tools.smoke_wheel dist/NAME.whl`.

A clean environment, `pip install 'WHEEL[serve]'`, `inspector serve` on free ports, and a look at
`/health` and at the web UI.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
import zipfile
from pathlib import Path

_URL = re.compile(r"(http://\S+?)/ui/\?token=(\S+)")


def main() -> None:
    """Install, start, look, stop."""
    wheel = Path(sys.argv[1]).resolve()
    names = zipfile.ZipFile(wheel).namelist()
    if "inspector/static/index.html" not in names:
        raise SystemExit(f"{wheel.name} has no web UI. Run `make build`.")
    with tempfile.TemporaryDirectory() as folder:
        python = _install(wheel, Path(folder))
        _look(python, Path(folder))
    sys.stdout.write(f"{wheel.name}: installs, serves, and shows its web UI.\n")


def _install(wheel: Path, folder: Path) -> Path:
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    requirement = f"mcp-agent-inspector[serve] @ {wheel.as_uri()}"
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, requirement], check=True)
    return python


def _look(python: Path, folder: Path) -> None:
    settings = {
        "INSPECTOR_PORT": "0",
        "INSPECTOR_OTLP_HTTP_PORT": "0",
        "INSPECTOR_OTLP_GRPC_PORT": "0",
        "INSPECTOR_STORE": f"sqlite:///{folder}/smoke.sqlite3",
        "INSPECTOR_RUNTIME_DIR": str(folder),
    }
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        [python, "-m", "inspector", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=inherited | settings,
    ) as service:
        try:
            assert service.stdout is not None
            found = next(filter(None, map(_URL.search, service.stdout)), None)
            if found is None:
                raise SystemExit("`inspector serve` ended without printing where it listens.")
            base, token = found.groups()
            health = json.loads(_get(f"{base}/health", token))
            page = _get(f"{base}/ui/", token).decode()
            if not health["ready"] or "<script" not in page:
                raise SystemExit(f"Not as it should be: {health}, {page[:200]!r}")
        finally:
            service.terminate()


def _get(url: str, token: str) -> bytes:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        body: bytes = answer.read()
    return body


if __name__ == "__main__":
    main()
