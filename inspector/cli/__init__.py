"""The command line: what is typed, what is asked of a service or a store, what is shown."""
