// What every emitter tells: the conversation of `../scripts/story.py` for the Vercel AI SDK.
import {OTLPTraceExporter} from '@opentelemetry/exporter-trace-otlp-proto';
import {resourceFromAttributes} from '@opentelemetry/resources';
import {BatchSpanProcessor, NodeTracerProvider} from '@opentelemetry/sdk-trace-node';
import {z} from 'zod';
import {CITY, packages, WEATHER} from '../story.mjs';

export {ANSWER, QUESTION, SYSTEM} from '../story.mjs';
export const CALL = {
  type: 'tool-call',
  toolCallId: 'call_1',
  toolName: 'get_weather',
  input: JSON.stringify(CITY),
};

/** The tool that the model asks for. */
export const toolOptions = {
  description: 'Weather of a city.',
  inputSchema: z.object({city: z.string()}),
  execute: async () => WEATHER,
};

/** Return a tracer provider that sends by OTLP to where the environment says. */
export function register(...folders) {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': `emitter-${folders[0]}`,
      'emitter.packages': packages(import.meta.url, ...folders),
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return provider;
}

/** Whether the tool has answered. */
export const isAnswered = (prompt) => prompt.at(-1).role === 'tool';
