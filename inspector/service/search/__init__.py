"""Find the sessions and spans that match a query, in any store."""

from inspector.service.search.indexing import Indexer, open_words
from inspector.service.search.search import PAGE_S, Page, Search, open_search

__all__ = ["PAGE_S", "Indexer", "Page", "Search", "open_search", "open_words"]
