"""Rows, records and values that the whole service knows."""
