"""`inspector` on a machine whose clock is five seconds ahead."""

import time

_time_ns = time.time_ns
time.time_ns = lambda: _time_ns() + 5_000_000_000

from inspector.__main__ import main  # noqa: E402 - modules take the clock when they are imported

main()
