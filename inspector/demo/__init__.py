"""`inspector demo`: a real agent with scripted words, for somebody to watch."""
