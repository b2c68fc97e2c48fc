"""Cases of Pydantic AI. Logfire instruments the application and exports to the collector."""

import logfire
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from recording import CASE, MODEL

# The environment contains the endpoint, as Logfire's manual says for other backends.
logfire.configure(send_to_logfire=False, console=False, service_name="weather-app", service_version="1.2.3", environment="staging", inspect_arguments=False)
logfire.instrument_pydantic_ai()


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    degrees: float = 21


def agent(model="gpt-5-mini", **options):
    provider = OpenAIProvider(base_url=f"{MODEL}/v1", api_key="sk-model")
    return Agent(OpenAIChatModel(model, provider=provider), name="weather-agent", system_prompt="You are a weather service.", **options)


def agent_tools():
    weather = agent()

    @weather.tool_plain
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return f"{city}: 21 °C"

    weather.run_sync("How is the weather in Zürich?")


def structured_output():
    agent(output_type=Weather).run_sync("How is the weather in Zürich?")


def error():
    try:
        agent("unknown-model").run_sync("How is the weather in Zürich?")
    except ModelHTTPError:
        pass


run = {"agent-tools": agent_tools, "structured-output": structured_output, "error": error}[CASE]
with logfire.span("answer {question}", question="weather", **{"user.id": "user-1", "session.id": "session-1"}):
    logfire.info("asking", degrees=21.5, nested={"list": [1, "two"]})
    run()
logfire.force_flush()
logfire.shutdown()
