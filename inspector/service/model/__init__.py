"""Rows, records and values shared by the whole service."""
