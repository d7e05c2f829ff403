/** Names for the generated wire shapes, so that the rest of the code can read them. */
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];

export type Session = Schemas['Session'];
export type SessionStatus = Schemas['SessionStatus'];
export type SessionHistogram = Schemas['SessionHistogram'];
export type SessionList = Schemas['SessionList'];
export type IndexState = Schemas['IndexState'];
export type SpanRow = Schemas['SpanRow'];
export type SpanKind = Schemas['SpanKind'];
export type SpanStatus = Schemas['SpanStatus'];
export type SpanSkeleton = Schemas['SpanSkeleton'];
export type SpanDetail = Schemas['SpanDetail'];
export type View = Schemas['View'];
export type Message = Schemas['Message'];
export type Part = Message['parts'][number];
export type Payload = Schemas['Payload'];
export type ToolCallPart = Schemas['ToolCallPart'];
export type ToolResultPart = Schemas['ToolResultPart'];
export type BlobPart = Schemas['BlobPart'];
export type Decision = Schemas['Decision'];
export type StateChange = Schemas['StateChange'];
export type ErrorView = Schemas['ErrorView'];
export type StoreHealth = Schemas['StoreHealth'];
export type Problem = Schemas['Problem'];

// Written by hand until the service's description has them.
export type RequestStatus = 'pending' | 'answered' | 'expired' | 'withdrawn' | 'lost';
export type AnswerDecision = 'allow' | 'allow_always' | 'deny' | 'answer' | 'decline' | 'cancel';
export type Origin = 'browser' | 'cli' | 'api' | 'mcp' | 'agent' | 'service';
export interface GivenAnswer {
  decision: AnswerDecision;
  actor: string;
  origin: Origin;
  at: string;
  reason: string | null;
  is_edited: boolean;
  applied: boolean | null;
  applied_reason: string | null;
}
export interface Transition {
  status: RequestStatus;
  at: string;
  actor: string;
  origin: Origin;
  reason: string | null;
}
export interface Request {
  id: string;
  session_id: string;
  session_title: string;
  trace_id: string | null;
  span_id: string | null;
  process_id: string;
  kind: 'approval' | 'question' | 'breakpoint';
  status: RequestStatus;
  hook: string | null;
  interceptor: string | null;
  tool_name: string | null;
  prompt: string;
  options: string[];
  args_json: string | null;
  args_text: string | null;
  args_hash: string | null;
  form_json: string | null;
  signal_name: string | null;
  default: string;
  can_always: boolean;
  created_at: string;
  expires_at: string | null;
  closed_at: string | null;
  answer: GivenAnswer | null;
  transitions: Transition[];
}
export interface RequestList {
  requests: Request[];
  pending_count: number;
  next_cursor: string | null;
  as_of: string;
}
export interface Answer {
  decision: AnswerDecision;
  args_hash?: string | null;
  args_json?: string | null;
  payload_json?: string | null;
  reason?: string | null;
}
export interface AnswerResult {
  request: Request;
  applied: boolean | null;
  message: string;
}
export type Verb = 'cancel' | 'pause' | 'resume' | 'step';
export interface VerbResult {
  session_id: string;
  verb: Verb | 'signal';
  processes: number;
  applied: boolean | null;
  message: string;
}
export interface AuditEntry {
  id: number;
  at: string;
  actor: string;
  origin: Origin;
  address: string | null;
  action: string;
  request_id: string | null;
  session_id: string | null;
  process_id: string | null;
  result: 'accepted' | 'applied' | 'not_applied' | 'refused';
  code: string | null;
  detail: string | null;
  decision: string | null;
  args_hash: string | null;
}
export interface AuditLog {
  entries: AuditEntry[];
  next_cursor: string | null;
}
interface RequestEvent<T extends string> {
  type: T;
  time: string;
  session_id: string;
  request: Request;
}

export type StreamEvent =
  | RequestEvent<'ApprovalRequested'>
  | RequestEvent<'ApprovalResolved'>
  | Schemas['SessionStarted']
  | Schemas['SessionUpdated']
  | Schemas['SessionFinished']
  | Schemas['SessionDeleted']
  | Schemas['SpanStarted']
  | Schemas['SpanUpdated']
  | Schemas['SpanEnded']
  | Schemas['WaitingOnSignal']
  | Schemas['SignalReceived']
  | Schemas['DecisionMade']
  | Schemas['ProgressUpdate']
  | Schemas['ResourceFetched']
  | Schemas['PromptUsed']
  | Schemas['Heartbeat']
  | Schemas['Gap'];
