// The objects of the chart must be valid for every supported Kubernetes version. The objects may set only variables that the services know.
// With `-u`, the test writes the rendered examples.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadSettings } from '../../libs/service/src/configuration/index.ts'
import { settingsOfService, variablesOfService } from '../../libs/service/src/definition/index.ts'
import { processSettings } from '../../libs/service/src/lifecycle/index.ts'
import { ensureProgram } from '../programs/programs.ts'
import { type Component, components } from './components.ts'
import { chartFolder, evaluationValues, example, helm, type Manifest, type PodSpec, parse, template } from './helm.ts'
import { kubernetesVersions, schemaFolder } from './kubernetes-versions.ts'

const topologies = {
  small: [example('small')],
  ha: [example('ha')],
  'events-only': [example('events-only')],
  dual: [example('dual')],
  evaluation: [evaluationValues],
} as const
const names = Object.keys(topologies) as (keyof typeof topologies)[]

const printed = new Map<string, string>()
const rendered = new Map<string, readonly Manifest[]>()
beforeAll(async () => {
  await Promise.all([ensureProgram('helm'), ensureProgram('kubeconform')])
  for (const name of names) {
    const { ok, output } = await template(topologies[name])
    if (!ok) throw new Error(output)
    printed.set(name, output)
    rendered.set(name, parse(output))
  }
}, 1_500_000)

const of = (topology: string, kind: string): readonly Manifest[] => rendered.get(topology)!.filter(manifest => manifest.kind === kind)
const workloads = (topology: string) => [...of(topology, 'Deployment'), ...of(topology, 'StatefulSet')]
const podOf = (topology: string, label: string): PodSpec =>
  workloads(topology).find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === label)!.spec!.template!.spec

/** Replaces the random passwords and keys that a trial installation generates. */
const withoutRandom = (text: string) =>
  text.replaceAll(/^( {2}(?:columnStorePassword|postgresPassword|databaseUrl|salt|publicKey|secretKey): ).*$/gm, '$1…')

test.each(names)('%s is rendered exactly as in examples/rendered', async name => {
  await expect(withoutRandom(printed.get(name)!)).toMatchFileSnapshot(join(chartFolder, 'examples/rendered', `${name}.yaml`))
})

test.each(names)('helm lint reports no problem of %s', async name => {
  const { ok, output } = await helm(
    'lint',
    '--strict',
    '--kube-version',
    '1.33.0',
    chartFolder,
    ...topologies[name].flatMap(file => ['-f', file]),
  )
  expect([ok, output]).toEqual([true, expect.stringContaining('0 chart(s) failed')])
})

async function conforms(version: string, text: string): Promise<{ readonly ok: boolean; readonly said: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-chart-'))
  const file = join(directory, 'rendered.yaml')
  writeFileSync(file, text)
  const at = (folder: string) => join(schemaFolder, folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json')
  const locations = [at('{{ .NormalizedKubernetesVersion }}-standalone{{ .StrictSuffix }}'), at('custom')]
  // No registry has Strimzi's definitions, so the test only parses Strimzi's objects.
  const args = ['-strict', '-summary', '-skip', 'KafkaTopic,KafkaUser', '-kubernetes-version', version]
  try {
    const all = [...args, ...locations.flatMap(location => ['-schema-location', location]), file]
    const { stdout } = await promisify(execFile)(await ensureProgram('kubeconform'), all)
    return { ok: true, said: stdout }
  } catch (error) {
    return { ok: false, said: (error as { readonly stdout: string }).stdout }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

test.each(kubernetesVersions)('all rendered objects are valid for Kubernetes %s', async version => {
  const { ok, said } = await conforms(version, names.map(name => printed.get(name)).join('\n---\n'))
  expect([ok, said]).toEqual([true, expect.stringContaining('Invalid: 0, Errors: 0')])
})

test('reports invalid objects: a misspelled field, a text for a number, an unknown field of a custom resource', async () => {
  const broken: readonly [RegExp, string][] = [
    [/^ {2}replicas: 1$/m, '  replicaz: 1'],
    [/containerPort: 4318/, 'containerPort: "otlp"'],
  ]
  for (const [pattern, instead] of broken) {
    expect((await conforms('1.33.0', printed.get('small')!.replace(pattern, instead))).ok).toBe(false)
  }
  expect((await conforms('1.33.0', printed.get('ha')!.replace('minReplicaCount:', 'minReplicas:'))).ok).toBe(false)
})

/** True if the installation has the component. Only `dual` has the backfill and the merger, because only `dual` has v3 data to migrate. */
const isThere = (topology: string, { key }: Component) => (key !== 'backfill' && key !== 'merger') || topology === 'dual'
const all = names.flatMap(topology =>
  components.filter(each => isThere(topology, each)).map(component => ({ topology, component, name: component.definition.name })),
)

test('the backfill runs only when enabled, as one pod that ends before the next one starts', () => {
  const found = names.filter(name => workloads(name).some(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'backfill'))
  expect(found).toEqual(['dual'])
  const { spec } = workloads('dual').find(({ metadata }) => metadata.name.endsWith('-backfill'))!
  expect([spec!.replicas, spec!['strategy']]).toEqual([1, { type: 'Recreate' }])
})

describe.each(all)('$name of $topology', ({ topology, component: { definition, label } }) => {
  const root = resolve(chartFolder, '../..')

  test('runs an existing entry point with all required variables, and only with variables that it knows and valid values', () => {
    const { command, env } = podOf(topology, label).containers[0]
    expect([command[0], existsSync(join(root, command[1]!))]).toEqual(['node', true])
    const known = [...variablesOfService(definition), 'NODE_EXTRA_CA_CERTS']
    expect(env.map(({ name }) => name).filter(name => !known.includes(name))).toEqual([])
    expect(env).toHaveLength(new Set(env.map(({ name }) => name)).size)
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value ?? secretLike(name)]))
    const loaded = loadSettings([...settingsOfService(definition), processSettings], given, {
      service: definition.name,
      validate: definition.problems,
    })
    expect(loaded.unknown).toEqual([])
  })

  test('has probes at the ports where it responds, and time to drain', () => {
    const pod = podOf(topology, label)
    const [{ env, ports, startupProbe, livenessProbe, readinessProbe }] = pod.containers
    const given = (name: string) => env.find(each => each.name === name)?.value
    const opened = [definition.probePort, ...definition.ports.map(({ port }) => port)].map(port => Number(given(port.env)))
    expect(ports.map(({ containerPort }) => containerPort).sort()).toEqual(opened.sort())
    expect(ports.find(({ name }) => name === 'metrics')!.containerPort).toBe(Number(given(definition.probePort.env)))
    const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port}${httpGet.path}`)
    expect(asked).toEqual(['metrics/health/startup', 'metrics/health/live', 'metrics/health/ready'])
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(Number.parseInt(given('SVC_DRAIN_GRACE_MS')!, 10) * 1000)
  })

  test('does not run as root, writes only to the directories that it needs, and has a volume for every mount', () => {
    const { securityContext, volumes, containers } = podOf(topology, label)
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const claimed = ['propagator', 'merger'].includes(label) ? ['state'] : []
    const there = [...volumes.map(({ name }) => name), ...claimed]
    expect(containers[0].volumeMounts.map(({ name }) => name).filter(name => !there.includes(name))).toEqual([])
  })

  test('keeps its state in a directory below the mount, because a volume’s root belongs to root and is open to its group', () => {
    const [{ env, volumeMounts }] = podOf(topology, label).containers
    const mount = volumeMounts.find(({ name }) => name === 'state')?.mountPath
    const directory = env.find(({ name }) => name === 'SVC_DATA_DIR')?.value
    expect(directory).toBe(mount && `${mount}/state`)
  })
})

/** Returns a value in the format that the secret variable requires. */
function secretLike(name: string): string {
  if (name === 'DATABASE_URL') return 'postgresql://svc:secret@postgres/svc'
  if (name.endsWith('PUBLIC_KEY')) return 'pk-svc-0123456789abcdef'
  if (name.endsWith('SECRET_KEY')) return 'sk-svc-0123456789abcdef'
  return '0123456789abcdef0123456789abcdef'
}

test.each(names)('%s: selectors match only their own pods, and names are unique', topology => {
  const pods = workloads(topology).map(({ spec }) => spec!.template!.metadata.labels)
  for (const { kind, metadata, spec } of [...workloads(topology), ...of(topology, 'Service'), ...of(topology, 'PodDisruptionBudget')]) {
    const wanted = (kind === 'Service' ? spec!.selector : spec!.selector!.matchLabels) as Readonly<Record<string, string>>
    const matched = pods.filter(labels => Object.entries(wanted).every(([label, value]) => labels[label] === value))
    expect([kind, metadata.name, matched.length]).toEqual([kind, metadata.name, 1])
  }
  const identities = rendered.get(topology)!.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  expect(identities).toHaveLength(new Set(identities).size)
})
