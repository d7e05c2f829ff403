# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "openinference-instrumentation-langchain>=0.1.50",
#     "langchain-openai>=1",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""OpenInference for LangChain: a chain, its prompt, the model twice, and the tool between."""

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from story import MODEL, QUESTION, SYSTEM, TOOL, WEATHER, model_server, provider

made = provider("openinference-instrumentation-langchain", "langchain-core", "langchain-openai")
LangChainInstrumentor().instrument(tracer_provider=made)


@tool(TOOL)
def get_weather(city: str) -> dict[str, object]:
    """Weather of a city."""
    return dict(WEATHER)


def answer(question: str) -> str:
    messages = [SystemMessage(SYSTEM), HumanMessage(question)]
    model = ChatOpenAI(model=MODEL, api_key="none", base_url=url, max_retries=0, temperature=0.2)
    calling = model.bind_tools([get_weather])
    first = calling.invoke(messages)
    answers = [get_weather.invoke(call) for call in first.tool_calls]
    return calling.invoke([*messages, first, *answers]).text


with model_server() as url:
    RunnableLambda(answer, name="weather").invoke(QUESTION)
made.shutdown()
