# The published Python client walks through every operation of its resources. The client parses each response into its own models. The walk
# fails if the client cannot parse a response. Arguments: the name of the package, the address of the server, a user's id, and the key pairs
# of a project and of its organization.
import base64
import hashlib
import importlib
import json
import sys
import urllib.parse
import urllib.request

import httpx

package, base_url, user_id, *keys = sys.argv[1:]
module = importlib.import_module(f"{package}.api.client")
Client = next(getattr(module, name) for name in dir(module) if name.endswith("API") and not name.startswith("Async"))
called = set()


class Noting:
    def __init__(self, target, name):
        self.target, self.name = target, name

    def __getattr__(self, member):
        found = getattr(self.target, member)
        if callable(found):
            called.add(f"{self.name}.{member}")
            return found
        return Noting(found, f"{self.name}.{member}" if self.name else member)


def with_its_brand(response):
    """Puts the client's brand into the field names of a response."""
    response.read()
    response._content = response.content.replace(b"isSvcManaged", f"is{package.capitalize()}Managed".encode())


def client(public_key, secret_key):
    http = httpx.Client(timeout=60, event_hooks={"response": [with_its_brand]})
    return Noting(Client(base_url=base_url, username=public_key, password=secret_key, httpx_client=http), "")


def gone(call, *args):
    try:
        call(*args)
    except Exception as error:
        assert getattr(error, "status_code", None) == 404, error
        return
    raise AssertionError("is still there")


def same(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


api, organization = client(*keys[:2]), client(*keys[2:])

for name in json.loads(sys.stdin.read()):
    # The client does not encode names in a path. Its caller must do so.
    path = urllib.parse.quote(name, safe="")
    api.prompts.create(request={"type": "text", "name": name, "prompt": "Hi", "labels": ["production"], "config": {"a": 1}})
    same(api.prompts.get(path).prompt, "Hi")
    same(api.prompts.list(name=name).data[0].versions, [1])
    api.prompts.create(request={"type": "chat", "name": f"chat {name}", "prompt": [{"role": "user", "content": "a"}, {"type": "placeholder", "name": "b"}]})
    same(len(api.prompts.get(f"chat%20{path}", version=1).prompt), 2)
    same(api.prompt_version.update(path, 1, new_labels=["b"]).version, 1)
    api.prompts.delete(path)
    gone(api.prompts.get, path)
    dataset = api.datasets.create(name=name, description=None, metadata={"a": 1}, input_schema=None, expected_output_schema=None)
    same(api.datasets.get(path), dataset)
    assert dataset in api.datasets.list(limit=100).data
    item = api.dataset_items.create(dataset_name=name, id=name, input={"q": name}, metadata=None, source_trace_id=None, status=None)
    same(api.dataset_items.get(path), item)
    same(api.dataset_items.list(dataset_name=name).data, [item])
    api.dataset_items.delete(path)
    gone(api.dataset_items.get, path)

prompt = api.prompts.create(request={"type": "text", "name": "commented", "prompt": ""})
comment = api.comments.create(project_id="any", object_type="PROMPT", object_id=prompt.id, content="said")
same(api.comments.get_by_id(comment.id).content, "said")
same(api.comments.get(object_type="PROMPT", object_id=prompt.id).data[0].id, comment.id)

config = api.score_configs.create(name="stars", data_type="NUMERIC", min_value=1, max_value=5)
same(api.score_configs.update(config.id, description="d").description, "d")
same(api.score_configs.get_by_id(config.id).max_value, 5)
same(api.score_configs.get().meta.total_items, 1)

model = api.models.create(model_name="own", match_pattern="^own$", unit="TOKENS", input_price=1e-6)
same(api.models.get(model.id).input_price, 1e-6)
same(api.models.upsert(model.id, model_name="own", match_pattern="^own$", unit="TOKENS", total_price=2).total_price, 2)
same(len(api.models.list(limit=1).data), 1)
api.models.delete(model.id)
gone(api.models.get, model.id)

queues = api.annotation_queues
queue = queues.create_queue(name="q", score_config_ids=[config.id])
same(queues.list_queues().data, [queue])
same(queues.get_queue(queue.id), queue)
entry = queues.create_queue_item(queue.id, object_id="t", object_type="TRACE")
same(queues.get_queue_item(queue.id, entry.id), entry)
same(queues.update_queue_item(queue.id, entry.id, status="COMPLETED").status, "COMPLETED")
same(queues.list_queue_items(queue.id, status="COMPLETED").meta.total_items, 1)
same(queues.create_queue_assignment(queue.id, user_id=user_id).user_id, user_id)
queues.delete_queue_assignment(queue.id, user_id=user_id)
queues.delete_queue_item(queue.id, entry.id)

connection = api.llm_connections.upsert(provider="p", adapter="openai", secret_key="sk-12345678")
same(api.llm_connections.list().data, [connection])
definition = {
    "type": "llm_as_judge",
    "prompt": "Judge {{output}}",
    "modelConfig": {"provider": "p", "model": "m"},
    "variableMapping": [{"variable": "output", "source": "output"}],
    "outputDefinition": {"dataType": "BOOLEAN"},
}
evaluator = api.evaluators.create(request={"name": "e", **definition})
same(api.evaluators.update(evaluator.id, request={"name": "f"}).name, "f")
same(api.evaluators.update(evaluator.id, request=definition).version, 2)
same(api.evaluators.get(evaluator.id).status, "active")
same(len(api.evaluators.list(limit=1).data), 1)
same([each.version for each in api.evaluators.list_versions(evaluator.id).data], [2, 1])
rule = api.evaluation_rules.create(name="r", enabled=True, evaluator_assignments=[{"evaluatorId": evaluator.id}], sampling=0.5, filter=[])
same(api.evaluation_rules.update(rule.id, enabled=False).enabled, False)
same(api.evaluation_rules.get(rule.id).sampling, 0.5)
same(len(api.evaluation_rules.list().data), 1)
api.evaluation_rules.delete(rule.id)
api.evaluators.delete(evaluator.id)
gone(api.evaluators.get, evaluator.id)
api.llm_connections.delete(connection.id)

widgets, dashboards, skills = api.unstable.dashboard_widgets, api.unstable.dashboards, api.unstable.skills
widget = widgets.create(
    name="w", view="observations", dimensions=[], metrics=[{"measure": "count", "agg": "count"}], filters=[], chart_type="NUMBER"
)
same(widgets.update(widget.id, name="v").name, "v")
same(widgets.get(widget.id).name, "v")
same(len(widgets.list().data), 1)
dashboard = dashboards.create(name="d")
placement = dashboards.add_placement(dashboard.id, request={"type": "widget", "widgetId": widget.id})
same(dashboards.update_placement(dashboard.id, placement.id, x=2).x, 2)
same(dashboards.update(dashboard.id, description="e").description, "e")
same(dashboards.get(dashboard.id).definition.widgets[0].id, placement.id)
same(len(dashboards.list().data), 1)
dashboards.delete_placement(dashboard.id, placement.id)
dashboards.delete(dashboard.id)
widgets.delete(widget.id)
gone(widgets.get, widget.id)

skill = skills.create_version(files=[{"path": "SKILL.md", "content": "---\nname: a-skill\ndescription: d\n---\n"}])
same(skills.set_labels("a-skill", 1, labels=["production"]).labels, ["production", "latest"])
same(skills.update("a-skill", tags=["t"]).tags, ["t"])
same(skills.get("a-skill").version, 1)
same(skills.list(search="skill").data[0].production_version, 1)
digest = skill.files[0].sha256hash
same(skills.get_file_contents(sha256hashes=digest).data[0].sha256hash, digest)
skills.delete_version("a-skill", 1)

content = b"%PDF-1.4 bytes"
sha256hash = base64.b64encode(hashlib.sha256(content).digest()).decode()
upload = api.media.get_upload_url(
    content_type="application/pdf", content_length=len(content), sha256hash=sha256hash, field="input", trace_id="t"
)
headers = {"content-type": "application/pdf", "x-amz-checksum-sha256": sha256hash}
with urllib.request.urlopen(urllib.request.Request(upload.upload_url, content, headers, method="PUT")) as answer:
    same(answer.status, 200)
api.media.patch(upload.media_id, uploaded_at="2026-01-01T00:00:00Z", upload_http_status=200)
with urllib.request.urlopen(api.media.get(upload.media_id).url) as answer:
    same(answer.read(), content)

members = organization.organizations
same(members.update_organization_membership(user_id=user_id, role="VIEWER").role, "VIEWER")
same(len(members.get_organization_memberships().memberships), 1)
same(members.update_project_membership("project-0", user_id=user_id, role="ADMIN").role, "ADMIN")
same(len(members.get_project_memberships("project-0").memberships), 1)
members.delete_project_membership("project-0", user_id=user_id)
members.delete_organization_membership(user_id=user_id)
same(len(members.get_organization_projects().projects), 2)
assert members.get_organization_api_keys().api_keys
same(api.projects.get().data[0].id, "project-0")
projects = organization.projects
project = projects.create(name="Made", retention=0, metadata={"a": 1})
same(projects.update(project.id, name="Renamed", retention=3).retention_days, 3)
key = projects.create_api_key(project.id, note="n")
same(projects.get_api_keys(project.id).api_keys[0].note, "n")
projects.delete_api_key(project.id, key.id)
projects.delete(project.id)
scim = organization.scim
for describe in (scim.get_service_provider_config, scim.get_resource_types, scim.get_schemas):
    assert describe()
user = scim.create_user(user_name="new@example.com", name={"formatted": "New"})
same(scim.get_user(user.id).user_name, "new@example.com")
same(scim.list_users(filter='userName eq "new@example.com"').total_results, 1)
try:
    scim.delete_user(user.id)
except Exception as error:
    # The response has no body, as the contract says. The client wants JSON and reports an error.
    assert error.status_code == 204, error
gone(scim.get_user, user.id)
exports = organization.blob_storage_integrations
exports.upsert_blob_storage_integration(
    project_id="project-0", type="S3", bucket_name="b", region="eu", export_frequency="daily", enabled=False,
    force_path_style=False, file_type="JSONL", export_mode="FROM_TODAY", access_key_id="a", secret_access_key="s",
)
same(len(exports.get_blob_storage_integrations().data), 1)
same(exports.get_blob_storage_integration_status("project-0").sync_status, "disabled")
exports.delete_blob_storage_integration("project-0")

try:
    api.feedback.submit(target_type="docs", target="a", feedback="b")
    raise AssertionError("feedback was taken")
except Exception as error:
    assert getattr(error, "status_code", None) == 409, error


def operations(target, name):
    """Yields the names of all operations of a client as `namespace.method`."""
    for member, found in vars(type(target)).items():
        if member.startswith("_") or member == "with_raw_response":
            continue
        path = f"{name}.{member}" if name else member
        if isinstance(found, property):
            yield from operations(getattr(target, member), path)
        elif name:
            yield path


# Other tests cover these operations, because they need a column store.
elsewhere = ("experiments.", "health.", "metrics.", "observations.", "opentelemetry.", "scores.", "trace.")
left_out = [path for path in operations(api.target, "") if path not in called and not path.startswith(elsewhere)]
assert left_out == [], left_out
print(len(called))
