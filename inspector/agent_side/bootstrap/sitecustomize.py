"""Startup hook of each Python process below `inspector run`: standard library only.

The directory of this file comes first on PYTHONPATH. It is removed from `sys.path` here, so that
imports of the program stay as they are. The `sitecustomize` that it hides runs first: it may set
the path on which OpenTelemetry is.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib takes 5 ms


def _run_the_other() -> None:
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(module)


def _ours() -> Any:
    """Load the module that finds our packages; a copy in the program wins, so there is one bus."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))  # noqa: PTH120
    spec = PathFinder.find_spec("_mcp_agent_inspector", [*sys.path, root])
    if spec is None or spec.loader is None:
        raise ImportError(f"not found in {root}")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(opentelemetry: Any) -> None:
    """Raise `ImportError` without SDK and exporter: many packages bring the API alone."""
    if sys.version_info < (3, 11):  # noqa: UP036 - any Python may find this on its path
        raise ImportError("Python 3.11 or later is needed")
    directories = [] if opentelemetry is None else opentelemetry.submodule_search_locations or []
    for part in ("sdk", "exporter/otlp/proto/http"):
        if not any(os.path.isdir(os.path.join(one, part)) for one in directories):  # noqa: PTH112, PTH118
            raise ImportError(f"OpenTelemetry {part} is not installed")


def _watch() -> None:
    try:
        ours = _ours()
        _check(ours.found("opentelemetry"))
        ours.load("inspector.integrations.auto").watch_when_used()
    except Exception as error:  # noqa: BLE001 - never into the watched program
        if os.environ.pop("INSPECTOR_RUN_REPORTS", None) and sys.stderr is not None:
            sys.stderr.write(
                f"inspector run: {sys.executable} cannot import the inspector ({error}), so this "
                "program is not watched. Install it: pip install 'mcp-agent-inspector[otel]'\n"
            )


sys.path[:] = [one for one in sys.path if os.path.abspath(one) != _HERE]  # noqa: PTH100
try:
    _run_the_other()
finally:
    _watch()
