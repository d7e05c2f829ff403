"""Entry point of the command line."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

INSTALL = (
    "pip install 'mcp-agent-inspector[serve]'; or without installing: "
    "uvx --from 'mcp-agent-inspector[serve]' inspector"
)


def main() -> None:
    """Run the command line; without its parts, say how to install them and exit 2."""
    if sys.argv[1:2] == ["proxy"]:  # needs none of its parts, and a host waits for it
        from inspector.proxy.command import main as proxy  # noqa: PLC0415

        sys.exit(proxy(sys.argv[2:]))
    run: Callable[[], None] | None = None
    if sys.argv[1:2] == ["run"]:
        from inspector.cli.plain_run import plain_run  # noqa: PLC0415 - only for this command

        run = plain_run(sys.argv[2:])
    try:
        if sys.argv[1:2] == ["serve"]:
            gc.disable()  # a twentieth of the start; the service enables it
            from inspector.cli.plain_serve import plain_serve  # noqa: PLC0415 - may not be there

            run = plain_serve(sys.argv[2:])
        if run is None:
            from inspector.cli.main import run as run_command  # noqa: PLC0415 - as above

            run = run_command
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("inspector", "instrument", "subscribers"):
            raise
        sys.stderr.write(
            f"The command line needs {error.name}, which is not installed. Run: {INSTALL}\n"
        )
        sys.exit(2)
    run()


if __name__ == "__main__":
    main()
