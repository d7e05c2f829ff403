"""Find sessions and spans that are what a query asks for, in whatever store."""

from inspector.search.indexing import Indexer, open_words
from inspector.search.pages import Page, Search, open_search

__all__ = ["Indexer", "Page", "Search", "open_search", "open_words"]
