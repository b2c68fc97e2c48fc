"""Cases of the Python client of OpenAI with the instrumentation of OpenInference or OpenLLMetry."""

import json

from recording import CASE, CLIENT, MODEL, QUESTION, WEATHER_TOOL, start_sdk

provider = start_sdk()
is_openinference = CLIENT.startswith("openinference")
if is_openinference:
    from openinference.instrumentation.openai import OpenAIInstrumentor
else:
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)

import openai  # noqa: E402  (The manual says that this import follows the instrumentation.)

client = openai.OpenAI(api_key="sk-model", base_url=f"{MODEL}/v1", max_retries=0)


def chat():
    client.chat.completions.create(model="gpt-5-mini", messages=QUESTION, temperature=0.2, max_tokens=200)


def chat_tools():
    first = client.chat.completions.create(model="gpt-5-mini", messages=QUESTION, tools=[WEATHER_TOOL])
    message = first.choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": json.dumps({"degrees": 21})}
    asked = message.model_dump(exclude_none=True)
    client.chat.completions.create(model="gpt-5-mini", messages=[*QUESTION, asked, result], tools=[WEATHER_TOOL])


def chat_stream():
    for _ in client.chat.completions.create(model="gpt-5-mini", messages=QUESTION, stream=True, stream_options={"include_usage": True}):
        pass


def embeddings():
    client.embeddings.create(model="text-embedding-3-small", input=["Zürich", "Genève"])


def error():
    try:
        client.chat.completions.create(model="unknown-model", messages=QUESTION)
    except openai.NotFoundError:
        pass


run = {"chat": chat, "chat-tools": chat_tools, "chat-stream": chat_stream, "embeddings": embeddings, "error": error}[CASE]
tracer = provider.get_tracer("weather-app", "1.2.3")
with tracer.start_as_current_span("answer-question", attributes={"user.id": "user-1", "session.id": "session-1"}):
    if is_openinference:
        from openinference.instrumentation import using_attributes

        with using_attributes(session_id="session-1", user_id="user-1", metadata={"plan": "pro", "seats": 3}, tags=["weather", "zürich"]):
            run()
    else:
        run()
provider.shutdown()
