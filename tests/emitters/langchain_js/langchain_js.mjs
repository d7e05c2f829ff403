// LangChain.js with OpenInference: an agent, its LLM calls and its tool.
import * as manager from '@langchain/core/callbacks/manager';
import {BaseChatModel} from '@langchain/core/language_models/chat_models';
import {AIMessage} from '@langchain/core/messages';
import {tool} from '@langchain/core/tools';
import {LangChainInstrumentation} from '@arizeai/openinference-instrumentation-langchain';
import {OTLPTraceExporter} from '@opentelemetry/exporter-trace-otlp-proto';
import {resourceFromAttributes} from '@opentelemetry/resources';
import {BatchSpanProcessor, NodeTracerProvider} from '@opentelemetry/sdk-trace-node';
import {createAgent} from 'langchain';
import {z} from 'zod';
import {ANSWER, CITY, packages, QUESTION, SYSTEM, WEATHER} from '../story.mjs';

const INSTRUMENTATION = '@arizeai/openinference-instrumentation-langchain';
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({
    'service.name': 'emitter-langchain-js',
    'emitter.packages': packages(import.meta.url, '@langchain/core', 'langchain', INSTRUMENTATION),
  }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
new LangChainInstrumentation({tracerProvider: provider}).manuallyInstrument(manager);

const PARAMETERS = {model: 'gpt-4o-mini', temperature: 0.2};

class Model extends BaseChatModel {
  _llmType() {
    return 'openai';
  }

  bindTools(tools) {
    const told = tools.map(({name, description, schema}) => ({
      type: 'function',
      function: {name, description, parameters: z.toJSONSchema(schema)},
    }));
    return this.withConfig({tools: told});
  }

  getLsParams(options) {
    const named = {ls_provider: 'openai', ls_model_name: 'gpt-4o-mini'};
    return {...super.getLsParams(options), ...named};
  }

  invocationParams(options) {
    return {...PARAMETERS, tools: options?.tools};
  }

  async _generate(messages) {
    const isAnswered = messages.at(-1).getType() === 'tool';
    const finish_reason = isAnswered ? 'stop' : 'tool_calls';
    const [input_tokens, output_tokens, cache_read] = isAnswered ? [150, 12, 128] : [120, 18, 64];
    const message = new AIMessage({
      content: isAnswered ? ANSWER : '',
      tool_calls: isAnswered
        ? []
        : [{id: 'call_1', name: 'get_weather', args: CITY, type: 'tool_call'}],
      usage_metadata: {
        input_tokens,
        output_tokens,
        total_tokens: input_tokens + output_tokens,
        input_token_details: {cache_read},
      },
      response_metadata: {finish_reason, model_name: 'gpt-4o-mini'},
    });
    return {generations: [{message, text: message.content, generationInfo: {finish_reason}}]};
  }
}

const weather = tool(async () => JSON.stringify(WEATHER), {
  name: 'get_weather',
  description: 'Weather of a city.',
  schema: z.object({city: z.string()}),
});
const agent = createAgent({
  model: new Model({}),
  tools: [weather],
  systemPrompt: SYSTEM,
  name: 'weather',
});
await agent.invoke({messages: [{role: 'user', content: QUESTION}]});
await provider.shutdown();
