"""Sends requests as this product's Python SDK does, with the SDK's exporter: as protobuf, and with gzip since version 5."""

import base64
import datetime
import json

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.trace import Status, StatusCode

from recording import CASE, CLIENT, COLLECTOR, QUESTION, start_sdk

MAJOR = int(CLIENT.rsplit("-", 1)[1])
VERSION = {4: "4.18.0", 5: "5.0.4"}[MAJOR]
ENVIRONMENT = "sdk-experiment" if CASE == "experiment" else "staging"

headers = {
    "Authorization": "Basic " + base64.b64encode(b"pk-fixture:sk-fixture").decode(),
    "x-svc-sdk-name": "python",
    "x-svc-sdk-version": VERSION,
    "x-svc-public-key": "pk-fixture",
    **({"x-svc-ingestion-version": "4"} if MAJOR >= 5 else {}),
}

PROPAGATED = {
    "user.id": "user-1",
    "session.id": "session-1",
    "svc.version": "7",
    "svc.trace.name": "weather-trace",
    "svc.trace.tags": ["weather", "zürich"],
}


class SdkProcessor(SpanProcessor):
    """Sets the attributes that the SDK's processor sets when a span starts."""

    def on_start(self, span, parent_context=None):
        span.set_attributes({"svc.environment": ENVIRONMENT, "svc.release": "v1.2.3"})
        if CASE == "generation":
            span.set_attributes({**PROPAGATED, **metadata("svc.trace.metadata", {"plan": "pro", "seats": 3, "nested": {"a": {"b": 0}}})})
        if span.parent is None:
            span.set_attribute("svc.internal.is_app_root", True)


def metadata(prefix, values):
    """Version 5 encodes every value as JSON. Version 4 sends strings, integers and booleans unchanged, and floats as text."""

    def encode(value):
        if MAJOR >= 5:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return value if isinstance(value, (str, bool, int)) else json.dumps(value, ensure_ascii=False)

    return {f"{prefix}.{key}": encode(value) for key, value in values.items()}


def flattened(prefix, value):
    """Version 4 sends each value of an experiment's metadata as a text. Its key is a path with dots."""
    if not isinstance(value, dict):
        return {prefix: value if isinstance(value, str) else json.dumps(value)}
    return {key: leaf for name, inner in value.items() for key, leaf in flattened(f"{prefix}.{name}", inner).items()}


def experiment_metadata(prefix, value):
    return flattened(prefix, value) if MAJOR < 5 else {prefix: json.dumps(value)}


def text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


provider = start_sdk(
    {"svc.environment": ENVIRONMENT, "svc.release": "v1.2.3"},
    {
        "endpoint": f"{COLLECTOR}/api/public/otel/v1/traces",
        "headers": headers,
        "compression": Compression.Gzip if MAJOR >= 5 else Compression.NoCompression,
    },
    SdkProcessor(),
)
tracer = provider.get_tracer("svc-sdk", VERSION, attributes={"public_key": "pk-fixture"})


def observe(name, kind, attributes=None, parent=None, **io):
    span = tracer.start_span(name, context=trace.set_span_in_context(parent) if parent else None)
    span.set_attribute("svc.observation.type", kind)
    span.set_attributes({f"svc.observation.{key}": text(value) for key, value in io.items()})
    span.set_attributes(attributes or {})
    return span


def generation(parent, attributes=None):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    observe(
        "ask-model",
        "generation",
        {
            "svc.observation.model.name": "gpt-5-mini-2025-08-07",
            "svc.observation.model.parameters": json.dumps({"temperature": 0.2, "max_tokens": 200}),
            "svc.observation.usage_details": json.dumps({"input": 26, "input_cached_tokens": 16, "output": 9, "output_reasoning_tokens": 8, "total": 59}),
            "svc.observation.cost_details": json.dumps({"total": 0.0000245}),
            "svc.observation.completion_start_time": json.dumps(now),
            "svc.observation.prompt.name": "weather",
            "svc.observation.prompt.version": 2,
            **(attributes or {}),
        },
        parent,
        input=QUESTION,
        output={"role": "assistant", "content": "It is sunny in Zürich: 21 °C. ☀️"},
    ).end()


def answer_question():
    values = {
        "plain": "text",
        "digits": "123",
        "num": 0,
        "float": 1.5,
        "flag": True,
        "nested": {"a": {"b": 0}, "list": [1, "two"]},
        "list": ["x", {"y": 1}],
        "unicode": "Zürich ☀️",
    }
    # If a number is too large for JavaScript, version 5 sends its digits as a JSON string.
    values["big"] = str(2**60) if MAJOR >= 5 else 2**60
    root = observe("answer-question", "agent", metadata("svc.observation.metadata", values), input="How is the weather in Zürich?", output="Sunny.")
    generation(root)
    observe("get_weather", "tool", None, root, input={"city": "Zürich"}, output={"degrees": 21}).end()
    failed = observe("failed-step", "span", {"svc.observation.level": "ERROR", "svc.observation.status_message": "The sky fell."}, root)
    failed.set_status(Status(StatusCode.ERROR, "The sky fell."))
    failed.end()
    root.end()


def experiment_item(item_id, city, expected, item_metadata):
    shared = {
        "svc.experiment.id": "00f1e2d3c4b5a697",
        "svc.experiment.name": "weather-run - 2026-11-21T10:00:00.000000Z",
        "svc.experiment.dataset.id": "dataset-1",
        "svc.experiment.item.id": item_id,
        **experiment_metadata("svc.experiment.metadata", {"model": "gpt-5-mini", "nested": {"a": [1, 2]}}),
        **experiment_metadata("svc.experiment.item.metadata", item_metadata),
    }
    own = {"svc.experiment.description": "Is the weather right?", "svc.experiment.item.expected_output": text(expected)}
    run = observe("experiment-item-run", "span", None, None, input={"city": city}, output={"degrees": 21})
    task = observe("experiment-item-task", "span", None, run, input={"city": city}, output={"degrees": 21})
    # The root observation of the item is the task and not the first span of the trace.
    shared["svc.experiment.item.root_observation_id"] = trace.format_span_id(task.get_span_context().span_id)
    for span in (run, task):
        span.set_attributes({**shared, **own})
    generation(task, shared)
    task.end()
    evaluation = observe("experiment-item-evaluation", "span", shared, run)
    observe("is_right", "evaluator", shared, evaluation, input={"expected": expected}, output={"value": 1}).end()
    evaluation.end()
    run.end()


if CASE == "experiment":
    experiment_item("item-1", "Zürich", "42", {"deep": {"x": 1}, "source": "manual"})
    experiment_item("item-2", "Genève", {"degrees": 42, "sky": "clear"}, {"deep": {"x": 2}, "source": "import"})
else:
    answer_question()
provider.shutdown()
