// The OpenAI Agents SDK for TypeScript with OpenInference: an agent that calls a tool.
import * as agents from '@openai/agents';
import {OpenAIAgentsInstrumentation} from '@arizeai/openinference-instrumentation-openai-agents';
import {OTLPTraceExporter} from '@opentelemetry/exporter-trace-otlp-proto';
import {resourceFromAttributes} from '@opentelemetry/resources';
import {BatchSpanProcessor, NodeTracerProvider} from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import {z} from 'zod';
import {packages, QUESTION, SYSTEM, WEATHER} from '../story.mjs';

const INSTRUMENTATION = '@arizeai/openinference-instrumentation-openai-agents';
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({
    'service.name': 'emitter-openai-agents-js',
    'emitter.packages': packages(import.meta.url, '@openai/agents', INSTRUMENTATION),
  }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
new OpenAIAgentsInstrumentation({tracerProvider: provider}).manuallyInstrument(agents);

agents.setDefaultOpenAIClient(new OpenAI({baseURL: process.env.MODEL_URL, apiKey: 'none'}));
agents.setOpenAIAPI('chat_completions');
const weather = agents.tool({
  name: 'get_weather',
  description: 'Weather of a city.',
  parameters: z.object({city: z.string()}),
  execute: async () => JSON.stringify(WEATHER),
});
const agent = new agents.Agent({
  name: 'weather',
  instructions: SYSTEM,
  model: 'gpt-4o-mini',
  tools: [weather],
});
await agents.run(agent, QUESTION);
await provider.shutdown();
