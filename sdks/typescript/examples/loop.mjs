// An agent that is a client and a loop: it asks before it deletes.
//
// OPENAI_BASE_URL is any provider that speaks chat completions.

import { agent, attach, session, tool } from '@mcp-agent-inspector/agent';

const BASE = process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1';
const MODEL = process.env.MODEL ?? 'gpt-4o-mini';
const MAX_STEPS = 5;

attach({ serviceName: 'cleaner' });

const tools = {
  delete_file: tool(async ({ path }) => `deleted ${path}`, {
    name: 'delete_file',
    description: 'Deletes a file.',
    ask: ({ path }) => `Delete ${path}?`,
  }),
};
const definitions = [
  {
    type: 'function',
    function: {
      name: 'delete_file',
      description: 'Deletes a file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
];

async function complete(messages) {
  const reply = await fetch(`${BASE}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${process.env.OPENAI_API_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: MODEL, messages, tools: definitions }),
  });
  if (!reply.ok) throw new Error(`the model answered ${reply.status}`);
  return (await reply.json()).choices[0].message;
}

const clean = agent(
  async (wish) => {
    const messages = [{ role: 'user', content: wish }];
    for (let step = 0; step < MAX_STEPS; step++) {
      const message = await complete(messages);
      messages.push(message);
      if (!message.tool_calls) return message.content;
      for (const { id, function: call } of message.tool_calls) {
        // A refusal is an error like any other: the model is told, and goes on.
        const content = await tools[call.name](JSON.parse(call.arguments)).catch(String);
        messages.push({ role: 'tool', tool_call_id: id, content });
      }
    }
    return 'I gave up.';
  },
  { name: 'cleaner' },
);

const wish = process.argv[2] ?? 'Delete /tmp/a.';
const said = await session({ id: `clean-${Date.now()}`, title: wish }, () => clean(wish));
console.log(said);
