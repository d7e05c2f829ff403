"""Find sessions and spans that are what a query asks for, in whatever store."""

from inspector.search.pages import Page, Search

__all__ = ["Page", "Search"]
