"""Call ids."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from instrument.ids import next_call_id
from tools.generate import ROOT


def test_ids_drawn_by_many_threads_are_all_different() -> None:
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: [next_call_id() for _ in range(500)], range(8)))

    ids = [call_id for some in drawn for call_id in some]
    assert len(set(ids)) == len(ids) == 4000


@pytest.mark.skipif(not hasattr(sys, "abiflags"), reason="fork is of POSIX systems")
def test_a_forked_child_draws_other_ids_than_its_parent() -> None:
    code = (
        f"import os, sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from instrument.ids import next_call_id\n"
        "child = os.fork()\n"
        "print(next_call_id(), flush=True)\n"
        "if child: os.waitpid(child, 0)\n"
    )
    completed = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )

    first, second = completed.stdout.split()
    assert first != second
