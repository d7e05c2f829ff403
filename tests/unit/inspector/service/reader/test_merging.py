from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.http.problems import ProblemError
from inspector.service.reader.merging import decode_cursors, encode_cursors, merge_pages

NAMES = ("eu", "us", "ap")


@dataclass
class _Service:
    """Answers pages of a list as a service does: some short, some empty, before the last."""

    rows: list[tuple[int, str]]
    cuts: list[int]

    def page(self, cursor: str | None, limit: int) -> dict[str, Any]:
        at = int(cursor or 0)
        end = min(at + (self.cuts.pop() if self.cuts else limit), at + limit)
        found = self.rows[at:end]
        return {
            "rows": [{"id": id_} for _, id_ in found],
            "positions": [
                {"value": value, "cursor": str(at + 1 + number)}
                for number, (value, _) in enumerate(found)
            ],
            "next_cursor": str(end) if end < len(self.rows) else None,
        }


@given(
    values=st.lists(st.lists(st.integers(0, 6), max_size=9), min_size=3, max_size=3),
    cuts=st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=3, max_size=3),
    limit=st.integers(1, 5),
    is_descending=st.booleans(),
)
def test_all_pages_together_have_each_row_once_in_order(
    values: list[list[int]], cuts: list[list[int]], limit: int, is_descending: bool
) -> None:
    services = {}
    for name, numbers, short in zip(NAMES, values, cuts, strict=True):
        rows = sorted(
            ((value, f"{n:02}") for n, value in enumerate(numbers)), reverse=is_descending
        )
        services[name] = _Service(rows, short)
    cursor, shown = None, []
    for _ in range(100):
        cursors = decode_cursors(cursor, NAMES)
        answers = {name: services[name].page(cursors[name], limit) for name in cursors}
        page = merge_pages(
            answers,
            cursors,
            "rows",
            limit,
            is_descending=is_descending,
            has_common_places=False,
        )
        assert len(page.rows) <= limit
        shown += [(name, row["id"]) for name, row in page.rows]
        cursor = encode_cursors(page.next)
        if cursor is None:
            break
    wanted = [(value, id_, name) for name in NAMES for value, id_ in services[name].rows]
    wanted.sort(reverse=is_descending)
    assert [id_ for _, id_ in shown] == [id_ for _, id_, _ in wanted]
    assert sorted(shown) == sorted((name, id_) for _, id_, name in wanted)


def test_what_began_after_the_first_page_does_not_come_below_older_rows() -> None:
    def page(*rows: tuple[int, str], has_more: bool) -> dict[str, Any]:
        return {
            "rows": [{"id": id_} for _, id_ in rows],
            "positions": [{"value": v, "cursor": f"after {v} {id_}"} for v, id_ in rows],
            "next_cursor": "more" if has_more else None,
        }

    answers = {
        "eu": page((9, "a"), (8, "b"), has_more=True),
        "us": page((5, "c"), has_more=False),
    }
    merged = merge_pages(
        answers,
        {"eu": None, "us": None},
        "rows",
        2,
        is_descending=True,
        has_common_places=True,
    )
    assert [row["id"] for _, row in merged.rows] == ["a", "b"]
    assert merged.next == {"eu": "more", "us": "after 8 b"}


def test_a_service_that_did_not_answer_stays_out_of_the_pages_that_follow() -> None:
    answers = {"eu": {"rows": [], "positions": [], "next_cursor": "more"}}
    merged = merge_pages(
        answers,
        {"eu": None, "us": None},
        "rows",
        2,
        is_descending=True,
        has_common_places=True,
    )
    assert merged.next == {"eu": "more"}


@pytest.mark.parametrize("cursor", ["x", "eyJ4eCI6bnVsbH0", "W10", "eyJldSI6MX0"])
def test_a_cursor_of_something_else_is_refused(cursor: str) -> None:
    with pytest.raises(ProblemError, match="next_cursor"):
        decode_cursors(cursor, NAMES)
