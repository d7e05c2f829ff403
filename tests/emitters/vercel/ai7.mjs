// Vercel AI SDK 7 with its OpenTelemetry package: the official attributes, and the older ones.
import {generateText, registerTelemetry, stepCountIs, tool} from 'ai';
import {MockLanguageModelV4} from 'ai/test';
import {LegacyOpenTelemetry, OpenTelemetry} from '@ai-sdk/otel';
import {ANSWER, CALL, QUESTION, SYSTEM, isAnswered, register, toolOptions} from './story.mjs';

const provider = register('ai', '@ai-sdk/otel');
const model = new MockLanguageModelV4({
  provider: 'openai.chat',
  modelId: 'gpt-4o-mini',
  doGenerate: async ({prompt}) => ({
    warnings: [],
    content: isAnswered(prompt)
      ? [{type: 'text', text: ANSWER}]
      : [{type: 'reasoning', text: 'Ask the tool.'}, CALL],
    finishReason: isAnswered(prompt)
      ? {unified: 'stop', raw: 'stop'}
      : {unified: 'tool-calls', raw: 'tool_calls'},
    usage: isAnswered(prompt)
      ? {inputTokens: {total: 150, cacheRead: 128}, outputTokens: {total: 12, reasoning: 0}}
      : {inputTokens: {total: 120, cacheRead: 64}, outputTokens: {total: 18, reasoning: 8}},
  }),
});
for (const integration of [new OpenTelemetry(), new LegacyOpenTelemetry()]) {
  await generateText({
    model,
    instructions: SYSTEM,
    prompt: QUESTION,
    temperature: 0.2,
    tools: {get_weather: tool(toolOptions)},
    stopWhen: stepCountIs(3),
    telemetry: {isEnabled: true, functionId: 'weather', integrations: [integration]},
  });
}
await provider.shutdown();
