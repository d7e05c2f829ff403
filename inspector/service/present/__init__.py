"""Conversion of rows to the JSON of responses."""
