/** The instrumentation scope of our own spans. */
export const SCOPE = 'mcp-agent-inspector';
