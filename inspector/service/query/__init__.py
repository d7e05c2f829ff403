"""The query language over sessions and spans: one for the page, HTTP, the command line and MCP."""

from inspector.service.query.check import parse_query
from inspector.service.query.errors import QueryError
from inspector.service.query.fields import QueryScope

__all__ = ["QueryError", "QueryScope", "parse_query"]
