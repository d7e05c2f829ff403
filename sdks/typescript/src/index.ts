/** Watch and control Node agents: the agent side of Inspector. */

export { type AttachOptions, attach, type Handle } from './attach.js';
export { CancelledError, DeniedError } from './errors.js';
export {
  type AskOptions,
  allow,
  answer,
  ask,
  type Decide,
  type Decision,
  deny,
  edit,
} from './operations/decision.js';
export {
  cancellation,
  type GivenAnswer,
  type QuestionOptions,
  question,
} from './operations/question.js';
export { type SessionOptions, session } from './operations/session.js';
export { onSignal, type Signal, type SignalHandler } from './operations/signals.js';
export {
  type AgentOptions,
  type Ask,
  agent,
  type RuleOptions,
  type ToolOptions,
  tool,
  type Wrapped,
} from './operations/tool.js';
export type { Capture } from './options.js';
export { Redactor } from './redaction/redactor.js';
