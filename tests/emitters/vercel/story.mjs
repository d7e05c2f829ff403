// What every emitter tells: the conversation of `../scripts/story.py` for the Vercel AI SDK.
import {readFileSync} from 'node:fs';
import {OTLPTraceExporter} from '@opentelemetry/exporter-trace-otlp-proto';
import {resourceFromAttributes} from '@opentelemetry/resources';
import {BatchSpanProcessor, NodeTracerProvider} from '@opentelemetry/sdk-trace-node';
import {z} from 'zod';

export const SYSTEM = 'Answer in one sentence.';
export const QUESTION = 'What is the weather in Zürich?';
export const ANSWER = 'It is 21 °C and clear in Zürich.';
export const CALL = {
  type: 'tool-call',
  toolCallId: 'call_1',
  toolName: 'get_weather',
  input: JSON.stringify({city: 'Zürich'}),
};

/** The tool that the model asks for. */
export const toolOptions = {
  description: 'Weather of a city.',
  inputSchema: z.object({city: z.string()}),
  execute: async () => ({temperature_c: 21, sky: 'clear'}),
};

/** Return a tracer provider that sends by OTLP to where the environment says. */
export function register(...folders) {
  const packages = folders.map((folder) => {
    const file = new URL(`node_modules/${folder}/package.json`, import.meta.url);
    const {name, version} = JSON.parse(readFileSync(file, 'utf8'));
    return `${name}==${version}`;
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': `emitter-${folders[0]}`,
      'emitter.packages': packages,
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return provider;
}

/** Whether the tool has answered. */
export const isAnswered = (prompt) => prompt.at(-1).role === 'tool';
