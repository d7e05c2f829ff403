/** The Vercel AI SDK: LLM calls by a middleware, tools by a wrapper. */

export type { GenerateResult } from './messages.js';
export {
  inspectorMiddleware,
  type MiddlewareOptions,
  type ModelAnswer,
  type ModelCall,
} from './middleware.js';
export { inspectorTools, type ToolCall, type ToolsOptions } from './tools.js';
