"""`python -m inspector.demo`: `inspector demo`, with a service of its own if wanted."""

from __future__ import annotations

import argparse
import signal
import sys
from functools import partial
from types import FrameType

from inspector.demo.main import run
from inspector.demo.service import ServiceError, running_service
from inspector.demo.stories import STORIES

_NO_SERVICE = 2


def main() -> int:
    """Parse the arguments and run the stories."""
    parser = argparse.ArgumentParser(prog="python -m inspector.demo", description="A demo agent.")
    parser.add_argument("--seed", type=int, default=7, help="same seed, same stories")
    parser.add_argument("--loop", action="store_true", help="repeat until interrupted")
    parser.add_argument(
        "--speed", type=float, default=1.0, help="speed factor; 10 is ten times faster"
    )
    parser.add_argument("--story", choices=sorted(STORIES), help="run only this story")
    parser.add_argument("--serve", action="store_true", help="also start a service")
    parser.add_argument("--url", help="URL of the service (default: from its run-file)")
    options = parser.parse_args()
    run_stories = partial(
        run, seed=options.seed, loop=options.loop, speed=options.speed, story=options.story
    )
    if not options.serve:
        return run_stories(url=options.url)
    # Whatever ends this process must end the service: by default these signals run no clean-up.
    for name in ("SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, _exit)
    try:
        with running_service() as service:
            return run_stories(url=service.url, token=service.token)
    except ServiceError as error:
        sys.stderr.write(f"{error}\n")
        return _NO_SERVICE


def _exit(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
