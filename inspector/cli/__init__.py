"""The command line: arguments in, calls to a service or a store, text out."""
