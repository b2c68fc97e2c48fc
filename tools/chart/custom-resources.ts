// Loads the definitions of the custom resources that the chart renders. The Kubernetes operators that handle these resources publish the
// definitions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { waitFor } from '../../libs/dev-servers/src/index.ts'
import { moduleFolder } from '../programs/programs.ts'
import type { KubernetesClient } from './kubernetes-client.ts'

const published: readonly (readonly [module: string, folder: string, files: readonly string[]])[] = [
  [
    'github.com/prometheus-operator/prometheus-operator',
    'example/prometheus-operator-crd',
    ['monitoring.coreos.com_podmonitors.yaml', 'monitoring.coreos.com_prometheusrules.yaml'],
  ],
  ['github.com/kedacore/keda/v2', 'config/crd/bases', ['keda.sh_scaledobjects.yaml', 'keda.sh_triggerauthentications.yaml']],
  [
    'sigs.k8s.io/gateway-api',
    'config/crd/standard',
    ['gateway.networking.k8s.io_httproutes.yaml', 'gateway.networking.k8s.io_grpcroutes.yaml'],
  ],
]

/** Returns a definition that accepts any content. No registry has Strimzi's definitions. */
const ofStrimzi = (kind: string) => {
  const names = { kind, listKind: `${kind}List`, singular: kind.toLowerCase(), plural: `${kind.toLowerCase()}s` }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.kafka.strimzi.io` },
    spec: { group: 'kafka.strimzi.io', names, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true, schema }] },
  }
}

interface Definition {
  readonly metadata: { readonly name: string }
}

export async function installCustomResources(client: KubernetesClient): Promise<readonly string[]> {
  const definitions: Definition[] = [ofStrimzi('KafkaTopic'), ofStrimzi('KafkaUser')]
  for (const [module, folder, files] of published) {
    const at = await moduleFolder('custom-resources', module)
    definitions.push(...files.map(file => parse(readFileSync(join(at, folder, file), 'utf8')) as Definition))
  }
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const definition of definitions) {
    const { status, body } = await client.request('POST', path, definition)
    if (status !== 201) throw new Error(`${definition.metadata.name} was not accepted: ${JSON.stringify(body['message'])}`)
  }
  for (const { metadata } of definitions) {
    const isServed = async () => {
      const { conditions = [] } = ((await client.request('GET', `${path}/${metadata.name}`)).body['status'] ?? {}) as {
        readonly conditions?: readonly { readonly type: string; readonly status: string }[]
      }
      return conditions.some(({ type, status }) => type === 'Established' && status === 'True')
    }
    await waitFor(isServed, { what: `${metadata.name} to be served`, everyMs: 100 })
  }
  return definitions.map(({ metadata }) => metadata.name)
}
