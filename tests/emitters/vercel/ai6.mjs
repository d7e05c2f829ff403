// Vercel AI SDK 6: its own attributes, `ai.*`.
import {generateText, stepCountIs, tool} from 'ai6';
import {MockLanguageModelV3} from 'ai6/test';
import {ANSWER, CALL, QUESTION, SYSTEM, isAnswered, register, toolOptions} from './story.mjs';

const provider = register('ai6');
const model = new MockLanguageModelV3({
  provider: 'openai.chat',
  modelId: 'gpt-4o-mini',
  doGenerate: async ({prompt}) => ({
    warnings: [],
    content: isAnswered(prompt)
      ? [{type: 'text', text: ANSWER}]
      : [{type: 'reasoning', text: 'Ask the tool.'}, CALL],
    finishReason: isAnswered(prompt) ? {unified: 'stop', raw: 'stop'} : {unified: 'tool-calls', raw: 'tool_calls'},
    usage: isAnswered(prompt)
      ? {inputTokens: {total: 150, cacheRead: 128}, outputTokens: {total: 12, reasoning: 0}}
      : {inputTokens: {total: 120, cacheRead: 64}, outputTokens: {total: 18, reasoning: 8}},
  }),
});
await generateText({
  model,
  system: SYSTEM,
  prompt: QUESTION,
  temperature: 0.2,
  tools: {get_weather: tool(toolOptions)},
  stopWhen: stepCountIs(3),
  headers: {authorization: 'Bearer sk-not-a-key'},
  experimental_telemetry: {
    isEnabled: true,
    functionId: 'weather',
    metadata: {sessionId: 'chat-1', userId: 'user-1'},
  },
});
await provider.shutdown();
