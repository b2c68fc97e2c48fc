// Writes the schemas in fixtures/schemas. A test uses these schemas to validate rendered objects without a network. After you add a
// Kubernetes version or a kind of object, run: node tools/chart/write-schemas.ts <unpacked wheel of kubernetes-validate> <files of custom
// resource definitions…>
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { kubernetesVersions, schemaFolder } from './kubernetes-versions.ts'

const kinds = [
  ...['deployment-apps-v1', 'statefulset-apps-v1', 'job-batch-v1', 'service-v1', 'serviceaccount-v1', 'configmap-v1', 'secret-v1'],
  ...['ingress-networking-v1', 'networkpolicy-networking-v1', 'poddisruptionbudget-policy-v1', 'horizontalpodautoscaler-autoscaling-v2'],
]
const custom = new Set(['PodMonitor', 'PrometheusRule', 'ScaledObject', 'TriggerAuthentication', 'HTTPRoute'])

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes URLs and descriptions. Replaces every reference to another file by a reference to a definition within the schema. */
function local(value: unknown, onDefinition: (name: string) => void): unknown {
  if (Array.isArray(value)) return value.map(each => local(each, onDefinition))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, inner]) =>
          key !== '$id' && key !== '$schema' && !(key === 'description' && typeof inner === 'string') && !key.startsWith('x-'),
      )
      .map(([key, inner]) => {
        if (key !== '$ref' || typeof inner !== 'string') return [key, local(inner, onDefinition)]
        const name = inner.split('/').at(-1)!
        onDefinition(name)
        return [key, `#/definitions/${name}`]
      }),
  )
}

/** Adds all definitions to which the schema refers, directly or indirectly. */
function closed(schema: Json, definitions: Json): Json {
  const reached = new Map<string, unknown>()
  const waiting: string[] = []
  const collect = (name: string) => void waiting.push(name)
  const own = local(schema, collect) as Json
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue
    reached.set(name, undefined)
    reached.set(name, local(definitions[name], collect))
  }
  return { ...own, definitions: Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

/** Makes the schema reject unknown members, as the strict Kubernetes schemas do. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict)
  if (!isObject(value)) return value
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, strict(each)]))
  const isClosed =
    isObject(value['properties']) && value['additionalProperties'] === undefined && !value['x-kubernetes-preserve-unknown-fields']
  return isClosed && value['type'] === 'object' ? { ...inner, additionalProperties: false } : inner
}

function main([wheel, ...crds]: readonly string[]): void {
  if (wheel === undefined) throw new Error('Pass the folder of the unpacked wheel, followed by files of custom resource definitions.')
  rmSync(schemaFolder, { recursive: true, force: true })
  for (const version of kubernetesVersions) {
    const folder = join(schemaFolder, `v${version}-standalone-strict`)
    mkdirSync(folder, { recursive: true })
    const from = join(wheel, 'kubernetes_validate/kubernetes-json-schema', `v${version}-local-strict`)
    const read = (name: string) => JSON.parse(readFileSync(join(from, `${name}.json`), 'utf8')) as Json
    const definitions = read('_definitions')['$defs'] as Json
    for (const kind of kinds) writeFileSync(join(folder, `${kind}.json`), JSON.stringify(closed(read(kind), definitions)))
  }
  mkdirSync(join(schemaFolder, 'custom'))
  for (const document of crds.flatMap(file => parseAllDocuments(readFileSync(file, 'utf8')))) {
    const { spec } = document.toJS() as {
      spec: { group: string; names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Json } }[] }
    }
    if (!custom.has(spec.names.kind)) continue
    for (const { name, schema } of spec.versions) {
      const resource = strict(schema.openAPIV3Schema) as Json
      const properties = { ...(resource['properties'] as Json), metadata: { type: 'object' } }
      const text = JSON.stringify(local({ ...resource, properties }, () => undefined))
      writeFileSync(join(schemaFolder, 'custom', `${spec.names.kind.toLowerCase()}-${spec.group.split('.')[0]}-${name}.json`), text)
    }
  }
}

main(process.argv.slice(2))
