"""Generate `query-fields.gen.ts`, the completions of the page's query field."""

from __future__ import annotations

import json
from pathlib import Path

from inspector.service.query.fields import FIELDS, Field
from inspector.service.query.syntax import MAX_CHARS

_FILE = """\
// Generated from inspector/service/query/fields.py by `make gen`. Do not edit.

export interface QueryField {{
  readonly scope: 'session' | 'span';
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly choices: readonly string[];
}}

export const MAX_QUERY_CHARS = {max_chars};

export const QUERY_FIELDS: readonly QueryField[] = [
{fields}
];
"""


def outputs() -> dict[Path, str]:
    """Return the module."""
    lines = [_line(field) for fields in FIELDS.values() for field in fields.values()]
    module = _FILE.format(max_chars=MAX_CHARS, fields="\n".join(lines))
    return {Path("web/src/model/query/query-fields.gen.ts"): module}


def _line(field: Field) -> str:
    row = {
        "scope": field.scope,
        "name": field.name,
        "type": field.kind,
        "description": field.description,
        "choices": field.choices,
    }
    return f"  {json.dumps(row)},"
