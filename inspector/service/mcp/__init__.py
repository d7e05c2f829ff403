"""The service as an MCP server: agents read the sessions of other agents.

The tools read, and cannot change anything. They ask the routes of `openapi.yaml` and nothing else,
so that an answer is the same over stdio, over HTTP, and from a store that nobody serves.
"""
