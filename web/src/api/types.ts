/** Short names for the generated types of the API. */
import type { components, operations } from './schema.gen.ts';

type Schemas = components['schemas'];

export type Session = Schemas['Session'];
export type SessionStatus = Schemas['SessionStatus'];
export type SessionCount = Schemas['SessionCount'];
export type SessionHit = Schemas['SessionHit'];
export type SessionHistogram = Schemas['SessionHistogram'];
export type CauseList = Schemas['CauseList'];
export type CauseGroup = Schemas['CauseGroup'];
export type LastGoodSession = Schemas['LastGoodSession'];
export type SessionUsage = Schemas['SessionUsage'];
export type UsageTotal = Schemas['UsageTotal'];
export type UsageGroup = Schemas['UsageGroup'];
export type UsageKey = Schemas['UsageKey'];
export type SessionSort = NonNullable<
  NonNullable<operations['list_sessions_sessions_get']['parameters']['query']>['sort']
>;
export type SessionList = Schemas['SessionList'];
export type SearchHit = Schemas['SearchHit'];
export type SearchResult = Schemas['SearchResult'];
export type Excerpt = Schemas['Excerpt'];
export type Comparison = Schemas['Comparison'];
export type Difference = Schemas['Difference'];
export type AlignedStep = Schemas['AlignedStep'];
export type AlignedSteps = Schemas['AlignedSteps'];
export type RunCell = NonNullable<Schemas['RunStep']['cells'][number]>;
export type RunStep = Schemas['RunStep'];
export type RunTable = Schemas['RunTable'];
export type Change = Schemas['Change'];
export type Health = Schemas['Health'];
export type ImportReport = Schemas['ImportReport'];
export type QueryValues = Schemas['QueryValues'];
export type IndexState = Schemas['IndexState'];
/** A part of the sessions that an answer leaves out. */
export type Unsearched = Schemas['Partial'];
export type SpanRow = Schemas['SpanRow'];
export type SpanKind = Schemas['SpanKind'];
export type SpanStatus = Schemas['SpanStatus'];
export type SpanSkeleton = Schemas['SpanSkeleton'];
export type SpanColumns = Schemas['SpanColumns'];
export type TextSoFar = Schemas['TextSoFar'];
export type SpanDetail = Schemas['SpanDetail'];
export type Clamped = Schemas['Clamped'];
export type SpanLink = Schemas['SpanLink'];
export type ToolDefinition = Schemas['ToolDefinition'];
export type CallContext = Schemas['CallContext'];
export type ContextPart = Schemas['ContextPart'];
export type SpanContext = Schemas['SpanContext'];
export type SessionContext = Schemas['SessionContext'];
export type ToolsBefore = Schemas['ToolsBefore'];
export type StateStep = Schemas['StateStep'];
export type StateDifference = Schemas['StateDifference'];
export type View = Schemas['View'];
export type Message = Schemas['Message'];
export type Part = Message['parts'][number];
export type Payload = Schemas['Payload'];
export type ToolCallPart = Schemas['ToolCallPart'];
export type ToolResultPart = Schemas['ToolResultPart'];
export type BlobPart = Schemas['BlobPart'];
export type Decision = Schemas['Decision'];
export type ErrorView = Schemas['ErrorView'];
export type StoreHealth = Schemas['StoreHealth'];
export type SessionStatistics = Schemas['SessionStatistics'];
export type Operation = Schemas['Operation'];
export type RollUp = Schemas['RollUp'];
export type Times = Schemas['Times'];
export type Use = Schemas['Use'];
export type Spread = Schemas['Spread'];
export type Streams = Schemas['Streams'];
export type StreamedCall = Schemas['StreamedCall'];
export type CacheUse = Schemas['CacheUse'];
export type Handoff = Schemas['Handoff'];
export type Problem = Schemas['Problem'];

export type McpLog = Schemas['McpLog'];
export type McpEntry = Schemas['McpEntry'];
export type McpFrame = Schemas['McpFrame'];

export type Request = Schemas['Request'];
export type RequestStatus = Request['status'];
export type RequestList = Schemas['RequestList'];
export type GivenAnswer = Schemas['GivenAnswer'];
export type Answer = Schemas['Answer'];
export type AnswerResult = Schemas['AnswerResult'];
export type Listeners = Schemas['Listeners'];
export type VerbResult = Schemas['VerbResult'];
export type Verb = Exclude<VerbResult['verb'], 'signal'>;
export type AuditEntry = Schemas['AuditEntry'];
export type AuditLog = Schemas['AuditLog'];
export interface AuditFilter {
  /** `people`: without what agents and the service do by themselves. */
  readonly by: 'people' | 'all';
  /** A text in any part of an entry. */
  readonly q?: string;
  readonly origin?: AuditEntry['origin'];
  readonly result?: AuditEntry['result'];
}

export type Transcript = Schemas['Transcript'];
export type Reading = Schemas['Reading'];
export type Said = Schemas['Said'];
export type Piece = Schemas['Piece'];
export type Clip = Schemas['Clip'];
export type DecisionReading = Schemas['DecisionReading'];
export type AskedReading = Schemas['AskedReading'];
export type StateReading = Schemas['StateReading'];

export type StreamEvent =
  | Schemas['SessionStarted']
  | Schemas['SessionUpdated']
  | Schemas['SessionFinished']
  | Schemas['SessionDeleted']
  | Schemas['SpanStarted']
  | Schemas['SpanUpdated']
  | Schemas['SpanEnded']
  | Schemas['ApprovalRequested']
  | Schemas['ApprovalResolved']
  | Schemas['WaitingOnSignal']
  | Schemas['SignalReceived']
  | Schemas['DecisionMade']
  | Schemas['ProgressUpdate']
  | Schemas['ResourceFetched']
  | Schemas['PromptUsed']
  | Schemas['Heartbeat']
  | Schemas['LeftOut']
  | Schemas['Gap'];
