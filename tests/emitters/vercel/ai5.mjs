// Vercel AI SDK 5: its own attributes, `ai.*`.
import {generateText, stepCountIs, tool} from 'ai5';
import {MockLanguageModelV2} from 'ai5/test';
import {ANSWER, CALL, QUESTION, SYSTEM, isAnswered, register, toolOptions} from './story.mjs';

const provider = register('ai5');
const model = new MockLanguageModelV2({
  provider: 'openai.chat',
  modelId: 'gpt-4o-mini',
  doGenerate: async ({prompt}) => ({
    warnings: [],
    content: isAnswered(prompt)
      ? [{type: 'text', text: ANSWER}]
      : [{type: 'reasoning', text: 'Ask the tool.'}, CALL],
    finishReason: isAnswered(prompt) ? 'stop' : 'tool-calls',
    usage: isAnswered(prompt)
      ? {inputTokens: 150, outputTokens: 12, totalTokens: 162, cachedInputTokens: 128}
      : {inputTokens: 120, outputTokens: 18, totalTokens: 138, cachedInputTokens: 64, reasoningTokens: 8},
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
