# The published Python SDK writes a trace and a score, and its client reads them. The client fails if it cannot parse a response into its models.
# Arguments: the name of the package, the address of the server, a key pair, and the operations for reading (`v2` or `legacy`).
import datetime
import importlib
import json
import sys
import time
import urllib.request
from base64 import b64encode

package, base_url, public_key, secret_key, operations = sys.argv[1:]
module = importlib.import_module(package)
client = getattr(module, package.capitalize())(public_key=public_key, secret_key=secret_key, base_url=base_url, environment="staging")


def same(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


def eventually(read):
    for attempt in range(240):
        try:
            return read()
        except Exception:
            if attempt == 239:
                raise
            time.sleep(0.5)


with module.propagate_attributes(user_id="ada", session_id="s-py", tags=["red"], trace_name="order-py"):
    with client.start_as_current_observation(name="order-py", input={"q": "How?"}, output="So.", metadata={"plan": "pro", "seats": 3}) as root:
        usage = {"usage_details": {"input": 3, "output": 4, "total": 7}, "cost_details": {"input": 0.5, "total": 0.5}}
        with root.start_as_current_observation(name="chat", as_type="generation", model="a-python-model", **usage) as chat:
            chat.update(level="ERROR", status_message="failed")
        trace_id, root_id, chat_id = root.trace_id, root.id, chat.id
client.create_score(name="quality", value=0.5, trace_id=trace_id, observation_id=chat_id, data_type="NUMERIC", comment="fair")
client.flush()

api = client.api
now = datetime.datetime.now(datetime.timezone.utc)
hour = datetime.timedelta(hours=1)
times = {"fromTimestamp": (now - hour).isoformat(), "toTimestamp": (now + hour).isoformat()}


def metrics(view, measure, aggregation, dimension):
    asked = {"view": view, "metrics": [{"measure": measure, "aggregation": aggregation}], "dimensions": [{"field": dimension}]}
    return json.dumps({**asked, "filters": [], **times})


def read_v2():
    fields = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"
    page = eventually(lambda: both(api.observations.get_many(trace_id=trace_id, fields=fields)))
    found = {each.id: each for each in page.data}
    same([found[root_id].name, found[root_id].user_id, found[root_id].metadata["seats"]], ["order-py", "ada", 3])
    same([found[chat_id].level, found[chat_id].status_message, found[chat_id].parent_observation_id], ["ERROR", "failed", root_id])
    same([found[chat_id].usage_details, found[chat_id].total_cost], [{"input": 3, "output": 4, "total": 7}, 0.5])
    rows = api.metrics.metrics(query=metrics("observations", "totalCost", "sum", "providedModelName")).data
    assert {"providedModelName": "a-python-model", "sum_totalCost": 0.5} in rows, rows
    scores = eventually(lambda: some(api.scores.get_many(trace_id=trace_id, fields="core,details,subject")))
    same([scores.data[0].name, scores.data[0].value], ["quality", 0.5])


def both(page):
    same(len(page.data), 2)
    return page


def some(page):
    assert page.data
    return page


def read_legacy():
    """Reads by HTTP, because the client of v5 has no methods for legacy reads."""

    def get(path):
        headers = {"authorization": "Basic " + b64encode(f"{public_key}:{secret_key}".encode()).decode()}
        with urllib.request.urlopen(urllib.request.Request(f"{base_url}/api/public{path}", headers=headers)) as answer:
            return json.load(answer)

    def whole():
        trace = get(f"/traces/{trace_id}")
        same([len(trace["observations"]), len(trace["scores"])], [2, 1])
        return trace

    trace = eventually(whole)
    same([trace["name"], trace["userId"], trace["tags"], trace["totalCost"]], ["order-py", "ada", ["red"], 0.5])
    same(get(f"/observations/{chat_id}")["model"], "a-python-model")
    same([each["id"] for each in get("/sessions/s-py")["traces"]], [trace_id])
    assert {"name": "order-py", "count_count": 1} in get("/metrics?query=" + urllib.request.quote(metrics("traces", "count", "count", "name")))["data"]
    same(get("/metrics/daily?traceName=order-py")["data"][0]["countObservations"], 2)


{"v2": read_v2, "legacy": read_legacy}[operations]()
print("read")
