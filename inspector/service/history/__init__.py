"""The history: everything that is stored, copied to ClickHouse behind the writer."""
