"""Functions and blocks of the program as operations: decorators, spans and sessions."""
