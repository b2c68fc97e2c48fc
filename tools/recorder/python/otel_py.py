"""Cases of the Python SDK and exporter of OpenTelemetry, with every field that an application can set through the API."""

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

from recording import CASE, start_sdk

provider = start_sdk(
    {"service.name": "weather-app", "deployment.environment.name": "staging", "replica.count": 3, "feature.flags": ["a", "b"]},
    {"compression": Compression.Gzip if CASE.endswith("gzip") else Compression.NoCompression, "headers": {"authorization": "Basic cGstZml4dHVyZTpzay1maXh0dXJl"}},
)
tracer = trace.get_tracer("weather-app.http", "4.5.6", schema_url="https://opentelemetry.io/schemas/1.37.0", attributes={"scope.attribute": 1})
remote = SpanContext(
    trace_id=0x0AF7651916CD43DD8448EB211C80319C,
    span_id=0xB7AD6B7169203331,
    is_remote=True,
    trace_flags=TraceFlags(TraceFlags.SAMPLED),
    trace_state=TraceState([("vendor", "value")]),
)
attributes = {
    "text": "Zürich ☀️ 𝄞",
    "text.empty": "",
    "text.control": "tab\there\nnul\0end",
    "yes": True,
    "no": False,
    "int.zero": 0,
    "int.negative": -7,
    "int.beyond-safe": 2**53 + 1,
    "int.max": 2**63 - 1,
    "int.min": -(2**63),
    "double": 1.5,
    "double.whole": 2.0,
    "double.nan": float("nan"),
    "double.infinity": float("inf"),
    "texts": ["a", "ü", ""],
    "numbers": [1, -2],
    "doubles": [1.0, 2.5],
    "empty": [],
    "bytes": b"\x00\x7f\x80\xff",
    "map": {"inner": {"leaf": 1, "list": ["x", {"deep": True}]}, "text": "y"},
}
parent = trace.set_span_in_context(trace.NonRecordingSpan(remote))
with tracer.start_as_current_span("GET /weather", context=parent, kind=SpanKind.SERVER, attributes=attributes) as server:
    server.set_status(Status(StatusCode.OK))
    link = Link(server.get_span_context(), {"link.reason": "cause"})
    try:
        with tracer.start_as_current_span("ask", kind=SpanKind.CLIENT, links=[link]) as client:
            client.add_event("first-token", {"index": 0, "text": "It"})
            raise TypeError("The sky fell.")
    except TypeError:
        pass
    tracer.start_span("plain", kind=SpanKind.INTERNAL).end()
provider.shutdown()
