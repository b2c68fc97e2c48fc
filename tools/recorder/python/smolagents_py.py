"""Cases of an agent of smolagents with the instrumentation of OpenInference."""

from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

from recording import MODEL, start_sdk

provider = start_sdk()
SmolagentsInstrumentor().instrument(tracer_provider=provider)


@tool
def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: The name of the city.
    """
    return f"{city}: 21 °C"


model = OpenAIServerModel(model_id="gpt-5-mini", api_base=f"{MODEL}/v1", api_key="sk-model", client_kwargs={"max_retries": 0})
ToolCallingAgent(tools=[get_weather], model=model, max_steps=2, verbosity_level=0).run("How is the weather in Zürich?")
provider.shutdown()
