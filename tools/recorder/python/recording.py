"""Code for all Python clients: the case to run, a provider, and stack traces without paths of this machine."""

import os
import traceback

CLIENT = os.environ["RECORD_CLIENT"]
CASE = os.environ["RECORD_CASE"]
COLLECTOR = os.environ["RECORD_COLLECTOR"]
MODEL = os.environ["RECORD_MODEL"]

_own_folders = [os.environ["RECORD_FOLDER"], os.path.dirname(__file__), os.path.dirname(os.__file__)]
_frame_init = traceback.FrameSummary.__init__


def _frame_without_machine(self, filename, *args, **kwargs):
    for folder in _own_folders:
        filename = filename.replace(folder, "/app")
    _frame_init(self, filename, *args, **kwargs)


traceback.FrameSummary.__init__ = _frame_without_machine


def start_sdk(resource=None, exporter_options=None, processor=None):
    """Registers a provider that exports spans as protobuf in batches."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    attributes = resource if resource is not None else {"service.name": "weather-app", "service.version": "1.2.3"}
    provider = TracerProvider(resource=Resource.create(attributes))
    if processor is not None:
        provider.add_span_processor(processor)
    exporter = OTLPSpanExporter(**{"endpoint": f"{COLLECTOR}/v1/traces", **(exporter_options or {})})
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return provider


QUESTION = [
    {"role": "system", "content": "You are a weather service."},
    {"role": "user", "content": "How is the weather in Zürich?"},
]

WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
