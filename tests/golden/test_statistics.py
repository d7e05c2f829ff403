"""The same statistics by the service and by the page, from the same rows.

`statistics.json` has the rows and their statistics; `web/src/model/statistics/` is tested with it
too. Write it with `python -m tests.golden.test_statistics`.
"""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from inspector.service.analysis.statistics import Statistics
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus
from inspector.service.normalise.kinds import subject_of
from inspector.service.present import statistics as presenter
from tests.support.telemetry.span_rows import MS, row, table_of

_FILE = Path(__file__).with_name("statistics.json")
_NAMES = {
    SpanKind.AGENT: ("invoke_agent lead", "invoke_agent helper", "critic.agent"),
    SpanKind.LLM: ("chat small", "chat big", "chat big"),
    SpanKind.TOOL: ("execute_tool read", "tools/call read", "execute_tool write"),
    SpanKind.EMBEDDING: ("embeddings", "embeddings", "embeddings"),
    SpanKind.OTHER: ("work", "größer", "work"),
}


def _rows() -> list[SpanRow]:
    """Return random rows, from a fixed seed, with everything that is hard to count."""
    chance = random.Random(11)
    rows = [_row(number, chance) for number in range(1, 181)]
    rows[40] = _other(rows[40], parent_span_id=rows[50].span_id)
    rows[50] = _other(rows[50], parent_span_id=rows[40].span_id)  # a circle
    return _with_subjects(rows)


def _row(number: int, chance: random.Random) -> SpanRow:
    kind = chance.choice(list(_NAMES))
    offset_ns = number * MS + chance.randrange(-40, 40) * MS // 7
    duration_ns = None if chance.random() < 0.1 else chance.randrange(0, 60 * MS)
    is_model = kind in (SpanKind.LLM, SpanKind.EMBEDDING)
    has_use = chance.random() < (0.8 if is_model else 0.2)
    waited = _waited(offset_ns, chance) if chance.random() < 0.15 else ()
    parent = chance.randrange(max(1, number - 12), number) if number > 2 else None
    is_duplicate = parent is not None and chance.random() < 0.12
    return row(
        number,
        parent if chance.random() < 0.95 else 9_999,  # of a span that never came
        chance.choice(_NAMES[kind]),
        kind=kind,
        status=_status(duration_ns, chance),
        offset_ns=offset_ns,
        duration_ns=duration_ns,
        waited=waited,
        wait_ns=sum(length or 0 for _, length in waited) or chance.choice((0, 0, 0, 3 * MS)),
        waits=len(waited),
        model=chance.choice(("small", "big", None)) if is_model else None,
        input_tokens=chance.randrange(2_000) if has_use else None,
        output_tokens=chance.randrange(300) if has_use and chance.random() < 0.9 else None,
        cost_usd=chance.randrange(100_000) / 1e6 if has_use and chance.random() < 0.7 else None,
        duplicate_of=f"{parent:016x}" if is_duplicate else None,
    )


def _waited(offset_ns: int, chance: random.Random) -> tuple[tuple[int, int | None], ...]:
    first = offset_ns + chance.randrange(-5, 20) * MS
    second = first + chance.randrange(12, 30) * MS
    last = chance.randrange(9) * MS if chance.random() < 0.6 else None
    return ((first, chance.randrange(10) * MS), (second, last))


def _status(duration_ns: int | None, chance: random.Random) -> SpanStatus:
    if duration_ns is None:
        return chance.choice((SpanStatus.RUNNING, SpanStatus.LOST))
    ended = (SpanStatus.OK, SpanStatus.UNSET, SpanStatus.ERROR, SpanStatus.CANCELLED)
    return chance.choice(ended)


def _other(one: SpanRow, **values: Any) -> SpanRow:
    return SpanRow(**{**{f.name: getattr(one, f.name) for f in fields(one)}, **values})


def _with_subjects(rows: list[SpanRow]) -> list[SpanRow]:
    """Return `rows` with tools and agents; some runs name an agent that is not in their name."""
    names = itertools.cycle(("helper", "größer", None, None))
    found = []
    for one in rows:
        named = next(names) if one.kind is SpanKind.AGENT else None
        found.append(_other(one, subject=named or subject_of(one.kind, one.name, {})))
    return found


def _expected(rows: list[SpanRow]) -> dict[str, list[dict[str, Any]]]:
    found = Statistics(table_of(rows))
    presented: dict[str, list[BaseModel]] = {
        "operations": [presenter.operation(share) for share in found.shares(len(rows))],
        "models": [presenter.roll_up(one) for one in found.models(len(rows))],
        "tools": [presenter.roll_up(one) for one in found.tools(len(rows))],
        "agents": [presenter.roll_up(one) for one in found.agents(len(rows))],
    }
    return {
        name: [one.model_dump(mode="json") for one in lines] for name, lines in presented.items()
    }


def _case() -> dict[str, Any]:
    rows = _rows()
    plain = {f.name: f.default for f in fields(SpanRow)}
    changed = (
        {k: v for k, v in asdict(one).items() if k != "session_id" and v != plain[k]}
        for one in rows
    )
    case: dict[str, Any] = {"rows": list(changed), "expected": _expected(rows)}
    return json.loads(json.dumps(case))  # type: ignore[no-any-return]  # as a reader has it


def test_statistics_are_those_of_the_page() -> None:
    assert json.loads(_FILE.read_text(encoding="utf-8")) == _case()


def test_the_case_has_everything_that_is_hard_to_count() -> None:
    rows = _rows()
    expected = _expected(rows)
    assert any(one["running"] for one in expected["operations"])
    assert any(one["wait_ns"] for one in expected["operations"])
    assert any(one["used"] != one["used_in_all"] for one in expected["agents"])
    assert any(row.duplicate_of and row.input_tokens for row in rows)
    assert {one["name"] for one in expected["models"]} == {"small", "big", ""}


if __name__ == "__main__":
    case = _case()
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in case["rows"])
    expected = json.dumps(case["expected"], indent=1, ensure_ascii=False)
    _FILE.write_text(f'{{"rows": [\n{lines}\n],\n"expected": {expected}}}\n', encoding="utf-8")
