/** Texts of the log for states and faults. */
import type { McpCall } from '../../model/mcp/mcp-calls.ts';

/** State in a few words, for a row; empty for success. */
export function stateText(call: McpCall): string {
  switch (call.state) {
    case 'pending':
      return 'pending';
    case 'input':
      return 'asks for input';
    case 'cancelled':
      return 'cancelled';
    case 'unanswered':
      return 'no answer';
    case 'error':
      if (call.fault?.kind === 'tool') return 'tool error';
      return call.fault?.code == null ? 'failed' : `error ${call.fault.code}`;
    case 'ok':
      return '';
  }
}

const CODES: ReadonlyMap<string, string> = new Map([
  ['-32700', 'parse error'],
  ['-32600', 'invalid request'],
  ['-32601', 'method not found'],
  ['-32602', 'invalid params'],
  ['-32603', 'internal error'],
  ['-32002', 'resource not found'],
  ['-32800', 'request cancelled'],
]);

/** Text that says whose fault a failure is. */
export function faultText(call: McpCall): string {
  const { fault } = call;
  switch (fault?.kind) {
    case 'tool':
      return 'The tool reported an error (isError).';
    case 'rpc': {
      const name = CODES.get(fault.code ?? '');
      const what = `JSON-RPC error ${fault.code ?? ''}`.trim();
      return name === undefined ? `${what}.` : `${what}: ${name}.`;
    }
    case 'cancelled':
      return 'Cancelled.';
    case 'failed':
      return fault.code === null ? 'No usable response.' : `No usable response: ${fault.code}.`;
  }
  return call.state === 'unanswered' ? 'No response.' : '';
}
