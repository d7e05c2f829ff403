// Firebase Genkit: its own spans, `genkit:*`, which tell everything as JSON.
import {OTLPTraceExporter} from '@opentelemetry/exporter-trace-otlp-proto';
import {Resource} from '@opentelemetry/resources';
import {BatchSpanProcessor} from '@opentelemetry/sdk-trace-base';
import {genkit, z} from 'genkit';
import {enableTelemetry, flushTracing} from 'genkit/tracing';
import {ANSWER, CITY, packages, QUESTION, SYSTEM, WEATHER} from '../story.mjs';

await enableTelemetry({
  resource: new Resource({
    'service.name': 'emitter-genkit',
    'emitter.packages': packages(import.meta.url, 'genkit'),
  }),
  autoDetectResources: false,
  instrumentations: [],
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const ai = genkit({});
const model = ai.defineModel(
  {name: 'openai/gpt-4o-mini', supports: {tools: true, multiturn: true, systemRole: true}},
  async ({messages}) => {
    const isAnswered = messages.at(-1).role === 'tool';
    const asked = [
      {reasoning: 'Ask the tool.'},
      {toolRequest: {name: 'get_weather', ref: 'call_1', input: CITY}},
    ];
    return {
      message: {role: 'model', content: isAnswered ? [{text: ANSWER}] : asked},
      finishReason: 'stop',
      usage: isAnswered
        ? {inputTokens: 150, outputTokens: 12, cachedContentTokens: 128}
        : {inputTokens: 120, outputTokens: 18, cachedContentTokens: 64, thoughtsTokens: 8},
    };
  },
);
const weather = ai.defineTool(
  {name: 'get_weather', description: 'Weather of a city.', inputSchema: z.object({city: z.string()})},
  async () => WEATHER,
);
const answer = ai.defineFlow(
  {name: 'weather', inputSchema: z.string(), outputSchema: z.string()},
  async (question) => {
    const config = {temperature: 0.2};
    const {text} = await ai.generate({model, system: SYSTEM, prompt: question, tools: [weather], config});
    return text;
  },
);
await answer(QUESTION);
const broken = ai.defineModel({name: 'openai/broken'}, async () => {
  throw new Error('429 rate limited');
});
await ai.generate({model: broken, prompt: 'Now?'}).catch(() => {});
await flushTracing();
