"""The service as an MCP server: agents read the sessions of other agents.

The tools only call the routes of `openapi.yaml`, so that an answer is the same over stdio, over
HTTP, and from a store without a service.
"""
