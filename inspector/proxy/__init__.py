"""`inspector proxy -- COMMAND`: a pipe around an MCP server that reports its messages."""
