"""`python -m inspector.demo`: the same as `inspector demo`."""

from __future__ import annotations

import argparse
import sys

from inspector.demo.main import run
from inspector.demo.stories import STORIES


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m inspector.demo", description="An agent at work, for somebody to watch."
    )
    parser.add_argument("--seed", type=int, default=7, help="same seed, same stories")
    parser.add_argument("--loop", action="store_true", help="begin again until interrupted")
    parser.add_argument("--speed", type=float, default=1.0, help="10 is ten times faster")
    parser.add_argument("--story", choices=sorted(STORIES), help="tell only this one")
    parser.add_argument("--url", help="the service (default: found by its run-file)")
    return parser.parse_args(argv)


def main() -> int:
    """Parse the arguments and tell the stories."""
    options = _parse(sys.argv[1:])
    return run(
        seed=options.seed,
        loop=options.loop,
        speed=options.speed,
        url=options.url,
        story=options.story,
    )


if __name__ == "__main__":
    sys.exit(main())
