"""Rows as the JSON that is answered."""
