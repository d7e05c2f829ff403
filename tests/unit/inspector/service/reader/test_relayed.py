from __future__ import annotations

from hypothesis import given

from inspector.service.present.rows import session_fields, session_record
from inspector.service.query.tree import All
from tests.support.models.schedules import Step, schedules
from tests.support.services.recorder_rig import Rig, play


@given(steps=schedules)
def test_queries_read_the_same_from_a_row_that_came_as_json(steps: list[Step]) -> None:
    rig = Rig()
    for step in steps:
        play(rig, step)
    with rig.store.read() as reader:
        records = reader.newest_sessions(All(), None, 100).rows
    for record in records:
        again = session_record(session_fields(record), created=record.created)
        assert again.row == record.row
        assert (again.change, again.created) == (record.change, record.created)
