"""The query language for sessions and spans, the same in page, HTTP, command line and MCP."""

from inspector.service.query.check import parse_query
from inspector.service.query.errors import QueryError
from inspector.service.query.fields import QueryScope

__all__ = ["QueryError", "QueryScope", "parse_query"]
