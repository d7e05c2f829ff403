/** Texts of the log for states and faults. */

import type { McpCall } from '../../model/mcp/mcp-calls.ts';
import { MCP_TEXT, PARTS_TEXT } from '../../texts.ts';

/** State in a few words, for a row; empty for success. */
export function stateText(call: McpCall): string {
  switch (call.state) {
    case 'pending':
      return MCP_TEXT.isPending;
    case 'input':
      return MCP_TEXT.asksForInput;
    case 'cancelled':
      return PARTS_TEXT.cancelled;
    case 'unanswered':
      return MCP_TEXT.noAnswer;
    case 'error':
      if (call.fault?.kind === 'tool') return MCP_TEXT.toolError;
      return call.fault?.code == null ? PARTS_TEXT.failed : MCP_TEXT.errorCode(call.fault.code);
    case 'ok':
      return '';
  }
}

const CODES: ReadonlyMap<string, string> = new Map([
  ['-32700', MCP_TEXT.parseError],
  ['-32600', MCP_TEXT.invalidRequest],
  ['-32601', MCP_TEXT.methodNotFound],
  ['-32602', MCP_TEXT.invalidParams],
  ['-32603', MCP_TEXT.internalError],
  ['-32002', MCP_TEXT.resourceNotFound],
  ['-32800', MCP_TEXT.requestCancelled],
]);

/** Text that says whose fault a failure is. */
export function faultText(call: McpCall): string {
  const { fault } = call;
  switch (fault?.kind) {
    case 'tool':
      return MCP_TEXT.toolReportedError;
    case 'rpc': {
      const name = CODES.get(fault.code ?? '');
      const what = MCP_TEXT.rpcError(fault.code ?? '').trim();
      return name === undefined ? `${what}.` : `${what}: ${name}.`;
    }
    case 'cancelled':
      return MCP_TEXT.cancelled;
    case 'failed':
      return fault.code === null ? MCP_TEXT.unusable : MCP_TEXT.unusableBecause(fault.code);
  }
  return call.state === 'unanswered' ? MCP_TEXT.noResponseYet : '';
}
