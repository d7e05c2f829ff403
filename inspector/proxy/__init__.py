"""`inspector proxy -- COMMAND`: a pipe around an MCP server that tells what goes through."""
