"""The query language over sessions and spans: one for the page, HTTP, the command line and MCP."""

from inspector.query.check import parse_query
from inspector.query.errors import QueryError
from inspector.query.fields import Scope

__all__ = ["QueryError", "Scope", "parse_query"]
