"""Cases of MLflow. MLflow exports its traces to the collector if an environment variable names the endpoint."""

import mlflow
import openai
from mlflow.tracing.provider import provider

from recording import MODEL, QUESTION, WEATHER_TOOL

mlflow.openai.autolog()
client = openai.OpenAI(api_key="sk-model", base_url=f"{MODEL}/v1", max_retries=0)


@mlflow.trace(span_type="TOOL")
def get_weather(city: str) -> dict:
    return {"city": city, "degrees": 21}


@mlflow.trace(name="answer-question", attributes={"plan": "pro", "seats": 3})
def answer(question: str) -> str:
    mlflow.update_current_trace(tags={"team": "weather"}, metadata={"mlflow.trace.user": "user-1", "mlflow.trace.session": "session-1"})
    first = client.chat.completions.create(model="gpt-5-mini", messages=QUESTION, tools=[WEATHER_TOOL])
    get_weather("Zürich")
    return first.choices[0].message.tool_calls[0].function.name


answer("How is the weather in Zürich?")
provider.get().force_flush()
