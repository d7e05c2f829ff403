"""What every Python process below `inspector run` does first: standard library only.

The directory of this file comes first on PYTHONPATH. The `sitecustomize` that would have run
without us runs as well, and first: it may set the path by which the inspector is found.
"""

import os
import sys
from importlib.machinery import PathFinder


def _run_the_other() -> None:
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib takes 5 ms
    path = [one for one in sys.path if os.path.abspath(one) != here]  # noqa: PTH100
    spec = PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        from importlib.util import module_from_spec  # noqa: PLC0415

        spec.loader.exec_module(module_from_spec(spec))


def _watch() -> None:
    try:
        from inspector.integrations.auto import watch_when_used  # noqa: PLC0415
    except ImportError as error:
        if os.environ.pop("INSPECTOR_RUN_SAYS", None):
            sys.stderr.write(
                f"inspector run: {sys.executable} cannot import the inspector ({error}), so this "
                "program is not watched. Install it: pip install 'mcp-agent-inspector[otel]'\n"
            )
    else:
        watch_when_used()


try:
    _run_the_other()
finally:
    _watch()
