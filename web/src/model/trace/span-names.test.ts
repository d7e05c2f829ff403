import { expect, test } from 'vitest';
import { exampleSpan } from '../examples.ts';
import { agentOf, toolName } from './span-names.ts';

test.each([
  ['invoke_agent planner', 'planner'],
  ['weather.agent', 'weather'],
  ['.agent', '.agent'],
  ['invoke_agent', 'invoke_agent'],
])('%s is the agent %s', (name, agent) => {
  expect(agentOf(exampleSpan({ name }), new Map())).toBe(agent);
});

test.each(['execute_tool read', 'MCP send tools/call read', 'read.tool', 'read'])(
  '%s calls the tool read',
  (name) => expect(toolName(name)).toBe('read'),
);
