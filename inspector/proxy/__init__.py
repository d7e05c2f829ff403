"""`inspector proxy -- COMMAND`: a pipe around an MCP server that also tells what goes through it."""
