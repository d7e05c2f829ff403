"""A session of the demo: connect the servers, run one story, report how it ended."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from mcp import MCPError
from mcp.types import ElicitResult

from inspector import context as session_context
from inspector.agent_side.control.elicitation import SIGNAL, make_elicit
from inspector.demo.agent import Agent
from inspector.demo.connection import McpConnection, RunContext, Tool
from inspector.demo.house_rules import PERSON_S, ShortSearches, send_back_without_sources
from inspector.demo.model import Model, ScriptedModel
from inspector.demo.openai_model import OpenAIModel
from inspector.demo.pace import Pace
from inspector.demo.servers import ServerSpec, connect_all
from inspector.demo.story import Role, Story
from instrument import _emit as emit
from instrument import operation


@dataclass(slots=True)
class StorySession:
    """A run of one story; `rng` decides everything that varies in it except the ids."""

    story: Story
    rng: random.Random
    pace: Pace
    servers: Sequence[ServerSpec]
    endpoint: OpenAIModel | None = None
    id: str = field(default_factory=lambda: f"demo-{uuid.uuid4().hex[:12]}")

    async def run(self) -> str:
        """Run the story to its end and return the final answer."""
        session_context.set(self.id)
        about = {"engine": "asyncio", "app_name": "inspector-demo", "title": self.story.title}
        await emit("session_started", session_id=self.id, metadata=about)
        status, error = "failed", None
        try:
            answer = await self._run_workflow()
            status = "completed"
            return answer
        except BaseException as exc:
            status = "cancelled" if isinstance(exc, asyncio.CancelledError) else "failed"
            error = exc
            raise
        finally:
            await emit("session_finished", session_id=self.id, status=status, error=error)

    async def _run_workflow(self) -> str:
        context = RunContext(self.id)
        async with (
            operation(
                "workflow_run",
                workflow=self.story,
                context=context,
                args=dict(self.story.prompt_arguments),
            ) as op,
            connect_all(self.servers, context, self._elicit) as connections,
        ):
            tools = [tool for link in connections.values() for tool in await link.tools()]
            task = await self._compose_task(connections["workshop"])
            with ExitStack() as rules:
                planner = await self._build_planner(tools, context, rules)
                op.result = answer = await planner.run(task)
        return answer

    async def _compose_task(self, workshop: McpConnection) -> str:
        """Render the prompt, and put the resources that can be read below it."""
        parts = [await workshop.apply_prompt(self.story.prompt_name, self.story.prompt_arguments)]
        for uri in self.story.resource_uris:
            try:
                parts.append(
                    f"<resource uri={uri!r}>\n{await workshop.read_resource(uri)}\n</resource>"
                )
            except MCPError as error:
                parts.append(f"(The resource {uri} could not be read: {error})")
        return "\n\n".join(parts)

    async def _build_planner(
        self, tools: Sequence[Tool], context: RunContext, rules: ExitStack
    ) -> Agent:
        helpers = [
            await self._build_agent(role, tools, context, rules) for role in self.story.helpers
        ]
        planner = await self._build_agent(self.story.planner, tools, context, rules)
        planner.tools = [*(helper.as_tool() for helper in helpers), *planner.tools]
        return planner

    async def _build_agent(
        self, role: Role, tools: Sequence[Tool], context: RunContext, rules: ExitStack
    ) -> Agent:
        hooks = [ShortSearches()] if "search_notes" in role.tools else []
        agent: Agent = Agent(
            name=role.name,
            description=role.description,
            instruction=role.instruction,
            model=await self._select_model(role, context),
            tools=[tool for tool in tools if tool.name in role.tools],
            context=context,
            pace=self.pace,
            time_limits_s=self.story.time_limits_s,
            cites_sources=role.cites_sources,
            hooks=hooks,  # type: ignore[call-arg] # taken by the metaclass of HookHost
        )
        rules.callback(agent.hooks.clear)
        if role.cites_sources:
            rules.callback(send_back_without_sources(agent).remove)
        return agent

    async def _select_model(self, role: Role, context: RunContext) -> Model:
        wish = role.intelligence_priority
        fit = {"scripted-large": wish, "scripted-small": round(1 - wish, 2)}
        scores = {self.endpoint.model: 1.0} if self.endpoint else fit
        preferences = {"intelligencePriority": wish, "costPriority": round(1 - wish, 2)}
        async with operation(
            "model_select", preferences=preferences, available_models=list(scores), context=context
        ) as op:
            selected = max(scores, key=lambda name: scores[name])
            op.result = selected
            op.set(scores=scores)
        # Each agent draws from a source of its own: agents that run at once stay repeatable.
        own_rng = random.Random(self.rng.getrandbits(64))
        return self.endpoint or ScriptedModel(role.script, own_rng, self.pace, model=selected)

    async def _elicit(self, context: Any, params: Any) -> ElicitResult:
        """Pass a server's question to viewers of the inspector, else answer by the script."""
        await emit("session_paused", session_id=self.id, signal_name=SIGNAL, prompt=params.message)
        ask = make_elicit(
            timeout_s=self.pace.real_s(PERSON_S),
            server_name="workshop",
            otherwise=self._answer_by_script,
        )
        answer: ElicitResult = await ask(context, params)
        await emit(
            "session_resumed",
            session_id=self.id,
            signal_name=SIGNAL,
            payload={"action": answer.action, "content": answer.content},
        )
        return answer

    async def _answer_by_script(self, context: Any, params: Any) -> ElicitResult:
        """Answer after a few seconds; agree four times in five."""
        await self.pace.wait(self.rng.uniform(3.5, 6.0))
        if self.rng.random() < 0.2:
            return ElicitResult(action="decline")
        fields = params.requested_schema["properties"]
        content = {name: field.get("default", True) for name, field in fields.items()}
        return ElicitResult(action="accept", content=content)
