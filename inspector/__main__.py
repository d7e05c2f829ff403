"""Entry point of the command line."""

from __future__ import annotations

import sys

INSTALL = (
    "pip install 'mcp-agent-inspector[serve]'; or, without installing it: "
    "uvx --from 'mcp-agent-inspector[serve]' inspector"
)


def main() -> None:
    """Run the command line; without its parts, say how to install them and exit 2."""
    if sys.argv[1:2] == ["proxy"]:  # needs none of its parts, and a host waits for it
        from inspector.proxy.command import main as proxy  # noqa: PLC0415

        sys.exit(proxy(sys.argv[2:]))
    try:
        from inspector.cli.main import run  # noqa: PLC0415 - it may not be installed
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
