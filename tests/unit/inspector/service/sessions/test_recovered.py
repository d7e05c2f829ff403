from __future__ import annotations

from hypothesis import given

from inspector.service.query.tree import All
from inspector.service.sessions.recovered import recovered_session
from inspector.service.sessions.state import SETTLED, SessionState, status_of
from tests.support.models.schedules import Step, schedules
from tests.support.services.recorder_rig import Rig, play


@given(steps=schedules)
def test_a_session_that_is_over_shows_its_row_again(steps: list[Step]) -> None:
    rig = Rig()
    for step in steps:
        play(rig, step)
    rig.wait(2_000)
    with rig.store.read() as reader:
        rows = [one.row for one in reader.newest_sessions(All(), None, 100).rows]
    for row in rows:
        if row.status not in SETTLED:
            continue
        state = SessionState.load(recovered_session(row).dump())
        status, due_ns = status_of(state, rig.now_ns, rig.now_ns - 10**12, is_owner_alive=False)
        assert (state.row(status), due_ns) == (row, None)
