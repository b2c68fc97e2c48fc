// Helm must refuse conflicting or unknown values with a suggestion, and must render only the enabled components.
import { expect, test } from 'vitest'
import { validateMigrationVariables } from '../../libs/modes/src/migration-variables.ts'
import { otelBehaviours, writeModes } from '../../libs/modes/src/write-mode.ts'
import { settingsBeside } from '../../libs/service/src/definition/index.ts'
import workspace from '../../package.json' with { type: 'json' }
import { components } from './components.ts'
import { evaluationValues, example, type Manifest, type PodSpec, refusal, render, template } from './helm.ts'
import { freeVariables } from './service-values.ts'

const small = [example('small')]
const json = JSON.stringify

let manifestsOfSmall: Promise<readonly Manifest[]> | undefined
/** Many tests compare with the same chart, so it is rendered only once. */
function renderedSmall(): Promise<readonly Manifest[]> {
  manifestsOfSmall ??= render(small)
  return manifestsOfSmall
}

test.each([
  ['a misspelled value', { 'gateway.replica': '2' }, 'replica'],
  ['a misspelled variable', { 'gateway.env': json({ SVC_MAX_BODY_BYTE: '1MiB' }) }, 'SVC_MAX_BODY_BYTE'],
  ['a variable of another service', { 'gateway.env': json({ SVC_WRITER_PAUSE_MS: '1s' }) }, 'SVC_WRITER_PAUSE_MS'],
  ['a variable that a template sets', { 'writer.env': json({ SVC_KAFKA_BROKERS: 'a:1' }) }, 'SVC_KAFKA_BROKERS'],
  ['a variable of one service for all', { 'global.env': json({ SVC_WRITER_PAUSE_MS: '1s' }) }, 'SVC_WRITER_PAUSE_MS'],
  ['a text for a number', { 'writer.replicas': json('two') }, 'replicas'],
  ['a secret in plain sight', { 'writer.env': json({ SVC_KAFKA_TLS_KEY_PASSPHRASE: 'x' }) }, 'SVC_KAFKA_TLS_KEY_PASSPHRASE'],
  ['an unknown mode', { 'migration.writeMode': json('both') }, 'writeMode'],
  ['brokers without a port', { 'kafka.brokers': json(['kafka']) }, 'brokers'],
  ['a base path with a slash at its end', { basePath: json('/svc/') }, 'basePath'],
  ['an authority given as text', { certificateAuthority: json('-----BEGIN') }, 'certificateAuthority'],
  ['an invalid digest', { 'image.digest': json('latest') }, 'digest'],
] as const)('the schema refuses %s', async (_, set, named) => {
  expect(await refusal(small, set)).toMatch(new RegExp(`don't meet the specifications of the schema[\\s\\S]*${named}`))
})

const behind = { enabled: true, minReplicas: 1, maxReplicas: 9 }
test.each([
  [{ 'kafka.brokers': '[]' }, 'kafka.brokers is empty: name some brokers'],
  [{ 'columnStore.url': json('') }, 'columnStore.url is empty: set it to'],
  [{ 'database.existingSecret.name': json('') }, 'database.existingSecret.name is empty: create a secret'],
  [{ 'salt.existingSecret.name': json('') }, 'salt.existingSecret.name is empty: create a secret'],
  [{ 'kafka.sasl.mechanism': json('plain') }, 'set kafka.sasl.existingSecret.name to the secret that contains the password'],
  [{ 'kafka.tls.caSecret.name': json('ca') }, 'set kafka.tls.enabled to true'],
  [{ 'strimzi.topics': json({ enabled: true, cluster: 'c' }) }, 'set kafka.createTopics to false'],
  [{ 'strimzi.user': json({ enabled: true, name: 'u' }) }, 'strimzi.topics.cluster is empty'],
  [
    { 'strimzi.topics': json({ enabled: true, cluster: 'c', replicas: 2, minInsyncReplicas: 2 }) },
    'minInsyncReplicas is not below replicas',
  ],
  [
    { migration: json({ writeMode: 'legacy', otelBehaviour: 'dual_write', previewOptIn: false }), 'backfill.enabled': 'true' },
    'the backfill cannot begin in legacy',
  ],
  [{ 'migration.writeMode': json('dual'), 'merger.enabled': 'false' }, 'in dual, the tables of v3 would get no traces'],
  [{ 'writer.replicas': '9' }, 'writer: with 9 replicas for 8 partitions'],
  [{ 'propagator.autoscaling': json(behind) }, 'lower propagator.autoscaling.maxReplicas'],
  [{ 'gateway.autoscaling': json({ ...behind, minReplicas: 10 }) }, 'minReplicas 10 is above maxReplicas 9'],
  [{ 'gateway.autoscaling.enabled': 'true', 'gateway.resources': json({ requests: { cpu: null } }) }, 'set gateway.resources.requests.cpu'],
  [
    { 'writer.autoscaling': json({ enabled: true, stabilizationSeconds: 30 }) },
    'writer.autoscaling.stabilizationSeconds 30 does not exceed the drain',
  ],
  [{ fullnameOverride: json('n'.repeat(42)) }, 'Set fullnameOverride to at most 41 characters'],
  [
    { certificateAuthority: json({ existingSecret: { name: 'a' }, configMap: { name: 'b' } }) },
    'certificateAuthority names a secret and a config map',
  ],
  [
    { 'certificateAuthority.configMap.name': json('ca'), 'tls.existingSecret': json({ name: 'public-tls', caKey: 'ca.crt' }) },
    'leave tls.existingSecret.caKey empty',
  ],
  [
    { 'writer.extraVolumes': json([{ name: 'tmp', emptyDir: {} }]) },
    'writer.extraVolumes: the chart itself has a volume with the name tmp',
  ],
  [{ basePath: json('/api') }, 'choose a path that begins with neither /api nor /v1'],
  [{ 'ingress.enabled': 'true' }, 'ingress.host is empty'],
  [{ 'httpRoute.enabled': 'true' }, 'httpRoute needs parentRefs'],
  [{ 'evaluation.stores': 'true' }, 'set schemaJob.enabled to false'],
] as const)('%j is refused with what to do', async (set, sentence) => {
  expect(await refusal(small, set)).toContain(sentence)
})

const combinations = writeModes.flatMap(writeMode =>
  otelBehaviours.flatMap(otelBehaviour => [true, false].map(previewOptIn => ({ writeMode, otelBehaviour, previewOptIn }))),
)
test.each(combinations)(
  'the chart takes $writeMode, $otelBehaviour, opt-in $previewOptIn exactly where the services do',
  async migration => {
    const { ok, output } = await template(small, { migration: json(migration) })
    expect([ok, ok || output.includes('These values contradict each other')]).toEqual([validateMigrationVariables(migration).ok, true])
  },
)

test('all faults are reported in one error', async () => {
  const said = await refusal(small, { 'writer.replicas': '9', 'ingress.enabled': 'true' })
  expect(said).toContain('writer: with 9 replicas')
  expect(said).toContain('ingress.host')
})

const named = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find(each => each.kind === kind && each.metadata.name === name)
const podOf = (manifests: readonly Manifest[], service: string) =>
  named(manifests, 'Deployment', `traces-svc-${service}`)!.spec!.template!.spec

test('values of a service override global values, even when they are false or empty', async () => {
  const manifests = await render(small, {
    'global.env': json({ SVC_LOG_LEVEL: 'warn' }),
    'global.podAnnotations': json({ a: 'all', b: 'all' }),
    'gateway.env': json({ SVC_LOG_LEVEL: 'debug' }),
    'gateway.podAnnotations': json({ a: 'own' }),
    'gateway.pdb': json({ enabled: false }),
    'gateway.replicas': '3',
    'publicApi.replicas': '3',
    'gateway.preStopSeconds': '0',
  })
  const level = (service: string) => podOf(manifests, service).containers[0].env.find(({ name }) => name === 'SVC_LOG_LEVEL')?.value
  expect([level('gateway'), level('writer')]).toEqual(['debug', 'warn'])
  const annotations = named(manifests, 'Deployment', 'traces-svc-gateway')!.spec!.template!.metadata
  expect(annotations).toMatchObject({ annotations: { a: 'own', b: 'all' } })
  expect(named(manifests, 'PodDisruptionBudget', 'traces-svc-gateway')).toBeUndefined()
  expect(named(manifests, 'PodDisruptionBudget', 'traces-svc-api')).toBeDefined()
  expect(podOf(manifests, 'gateway').containers[0]).not.toHaveProperty('lifecycle')
})

test('one replica has no disruption budget, and scaling replaces replicas, with at most one per partition', async () => {
  const kinds = (manifests: readonly Manifest[]) => new Set(manifests.map(({ kind }) => kind))
  expect(kinds(await renderedSmall())).not.toContain('PodDisruptionBudget')
  const scaled = await render(small, { 'writer.autoscaling.enabled': 'true', 'gateway.autoscaling.enabled': 'true' })
  for (const service of ['writer', 'gateway'])
    expect(named(scaled, 'Deployment', `traces-svc-${service}`)!.spec).not.toHaveProperty('replicas')
  const scaler = named(scaled, 'ScaledObject', 'traces-svc-writer')!.spec!
  expect(scaler).toMatchObject({
    maxReplicaCount: 8,
    triggers: [{ metadata: { consumerGroup: 'svc.writer', topic: 'svc.spans.direct' } }, {}],
  })
})

test('services migrate by themselves only without the job', async () => {
  const forbids = (manifests: readonly Manifest[]) =>
    podOf(manifests, 'writer')
      .containers[0].env.filter(({ name }) => name.startsWith('SVC_AUTO_'))
      .map(({ value }) => value)
  const with_ = await renderedSmall()
  expect([forbids(with_), with_.some(({ kind }) => kind === 'Job')]).toEqual([['true', 'true'], true])
  const without = await render(small, { 'schemaJob.enabled': 'false' })
  expect([forbids(without), without.some(({ kind }) => kind === 'Job')]).toEqual([[], false])
})

test('no variable that values may set in plain text is a secret', () => {
  for (const component of components) {
    const { definition } = component
    const settings = [...Object.values(definition.variables), ...Object.values(settingsBeside(definition))]
    const secrets = settings.filter(({ isSecret }) => isSecret).map(({ env }) => env)
    expect([component.key, freeVariables(component).filter(name => secrets.includes(name))]).toEqual([component.key, []])
  }
})

test('with egress denied, the job reaches the stores: its policy is created before it and deleted with it', async () => {
  const manifests = await render(small, {
    'kafka.brokers': json(['a:9092', 'b:9092', 'c:9094']),
    'networkPolicy.moreEgress': json([{ ports: [{ port: 4318 }] }]),
  })
  const policy = named(manifests, 'NetworkPolicy', 'traces-svc-schema')!
  const job = manifests.find(({ kind }) => kind === 'Job')!
  expect(job.spec!.template!.metadata.labels).toMatchObject(
    (policy.spec as { podSelector: { matchLabels: object } }).podSelector.matchLabels,
  )
  const weight = ({ metadata }: Manifest) => Number(metadata.annotations!['helm.sh/hook-weight'])
  expect(weight(policy)).toBeLessThan(weight(job))
  const ports = (of: Manifest) =>
    (of.spec as { egress: { ports: { port: number }[] }[] }).egress.map(({ ports }) => ports.map(({ port }) => port).join())
  expect(ports(policy)).toEqual(['53,53', '9092,9094', '8123', '5432', '4318'])
  expect(ports(named(manifests, 'NetworkPolicy', 'traces-svc-gateway')!)).toEqual(['53,53', '9092,9094', '5432', '4318'])
  expect(ports(named(manifests, 'NetworkPolicy', 'traces-svc-propagator')!)).toEqual(['53,53', '9092,9094', '4318'])
})

test('the job checks grants and schemas with the operators’ image, before the rest of the release', async () => {
  const { metadata, spec } = (await renderedSmall()).find(({ kind }) => kind === 'Job')!
  expect(metadata.annotations!['helm.sh/hook']).toBe('pre-install,pre-upgrade')
  const { initContainers, containers } = spec!.template!.spec
  expect([...initContainers!, ...containers].map(({ image, command }) => [image, command.slice(1).join(' ')])).toEqual([
    [`svc-operator:${workspace.version}`, 'apps/svc/src/main.ts migrate status'],
    [`svc-operator:${workspace.version}`, 'apps/svc/src/main.ts migrate up'],
  ])
})

test('an ingress and a route send spans to the gateway, and everything else to the API and its web app', async () => {
  const paths = (manifests: readonly Manifest[], kind: string) => JSON.stringify(manifests.find(each => each.kind === kind)!.spec)
  const ingress = paths(await render([example('events-only')]), 'Ingress')
  expect(ingress.indexOf('/api/public/otel')).toBeLessThan(ingress.indexOf('"path":"/"'))
  expect(ingress).toMatch(/\/api\/public\/otel","pathType":"Prefix","backend":\{"service":\{"name":"traces-svc-gateway"/)
  const route = paths(await render([example('ha')]), 'HTTPRoute')
  expect(route).toMatch(/"\/api\/public\/otel"\}\}\],"backendRefs":\[\{"name":"traces-svc-gateway","port":4318/)
})

test('with a base path, every route has it, and gateway and API know it', async () => {
  const below = { basePath: json('/svc') }
  const routes = async (values: Readonly<Record<string, string>>) => {
    const manifests = (await render(small, { ...below, ...values })).filter(({ kind }) => ['Ingress', 'HTTPRoute'].includes(kind))
    return manifests.flatMap(({ spec }) => [...json(spec).matchAll(/"(?:path|value)":"([^"]+)"/g)].map(([, path]) => path))
  }
  const all = ['/svc/api/public/otel', '/svc', '/svc/v1']
  expect(await routes({ ingress: json({ enabled: true, host: 'a.example', otlpHost: 'b.example' }) })).toEqual(all)
  const parents = { parentRefs: [{ name: 'public' }], hostnames: ['a.example'], otlpHostnames: ['b.example'] }
  expect(await routes({ httpRoute: json({ enabled: true, ...parents }) })).toEqual(all)
  const manifests = await render(small, below)
  const told = (service: string) => podOf(manifests, service).containers[0].env.find(({ name }) => name === 'SVC_BASE_PATH')?.value
  expect(['gateway', 'api', 'writer'].map(told)).toEqual(['/svc', '/svc', undefined])
  expect(json(await renderedSmall())).not.toContain('SVC_BASE_PATH')
})

const everyPod = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind)).map(({ spec }) => spec!.template!.spec)
const containersOf = ({ containers, initContainers = [] }: PodSpec) => [...initContainers, ...containers]

test.each([
  ['existingSecret', '{"name":"authority","secret":{"secretName":"company-ca","items":[{"key":"bundle.pem","path":"bundle.pem"}]}}'],
  ['configMap', '{"name":"authority","configMap":{"name":"company-ca","items":[{"key":"bundle.pem","path":"bundle.pem"}]}}'],
])('a private authority from a %s is mounted in every pod and passed to Node', async (from, volume) => {
  const authority = { [`certificateAuthority.${from}`]: json({ name: 'company-ca', key: 'bundle.pem' }) }
  const pods = everyPod(await render(small, { ...authority, 'backfill.enabled': 'true' }))
  expect(pods).toHaveLength(6)
  for (const pod of pods) {
    expect(pod.volumes.map(each => json(each))).toContain(volume)
    for (const { env, volumeMounts } of containersOf(pod)) {
      expect(env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value).toBe('/etc/svc/authority/bundle.pem')
      expect(volumeMounts).toContainEqual({ name: 'authority', mountPath: '/etc/svc/authority', readOnly: true })
    }
  }
  expect(json(everyPod(await renderedSmall()))).not.toMatch(/NODE_EXTRA_CA_CERTS|authority/)
})

test('the autoscaler gets the certificate authority of the brokers, whichever value contains it', async () => {
  const scaled = { 'writer.autoscaling.enabled': 'true', 'kafka.tls.enabled': 'true' }
  const told = async (values: Readonly<Record<string, string>>) => {
    const spec = (await render(small, { ...scaled, ...values })).find(({ kind }) => kind === 'TriggerAuthentication')!.spec!
    return [spec['secretTargetRef'] ?? null, spec['configMapTargetRef'] ?? null]
  }
  const ca = (name: string) => [{ parameter: 'ca', name, key: 'ca.crt' }]
  expect(await told({ 'certificateAuthority.existingSecret.name': json('own') })).toEqual([ca('own'), null])
  expect(await told({ 'certificateAuthority.configMap.name': json('own') })).toEqual([null, ca('own')])
  expect(await told({ 'certificateAuthority.configMap.name': json('own'), 'kafka.tls.caSecret.name': json('strimzi') })).toEqual([
    ca('strimzi'),
    null,
  ])
})

test('extra volumes are in every pod and the schema job, and those of a service replace them', async () => {
  const extra = (name: string) => ({
    extraVolumes: [{ name, emptyDir: {} }],
    extraVolumeMounts: [{ name, mountPath: `/mnt/${name}` }],
  })
  const manifests = await render(small, {
    ...Object.fromEntries(Object.entries(extra('all')).map(([key, value]) => [`global.${key}`, json(value)])),
    ...Object.fromEntries(Object.entries(extra('own')).map(([key, value]) => [`writer.${key}`, json(value)])),
  })
  const mounted = (pod: PodSpec) => [
    pod.volumes.map(({ name }) => name).filter(name => ['all', 'own'].includes(name)),
    ...containersOf(pod).map(({ volumeMounts }) => volumeMounts.map(({ mountPath }) => mountPath).filter(path => path.startsWith('/mnt'))),
  ]
  const seen = everyPod(manifests).map(pod => [pod.containers[0].name, ...mounted(pod)])
  const of = (name: string) => [[name], [`/mnt/${name}`]]
  expect(Object.fromEntries(seen.map(([name, ...rest]) => [name, rest]))).toEqual({
    api: of('all'),
    gateway: of('all'),
    propagator: of('all'),
    writer: of('own'),
    up: [...of('all'), ['/mnt/all']],
  })
})

test('a trial installation has its own stores and uses no secret of other stores', async () => {
  const text = JSON.stringify(await render([evaluationValues]))
  for (const store of ['kafka', 'clickhouse', 'postgres']) expect(text).toContain(`traces-svc-${store}`)
  const secrets = [...text.matchAll(/secretKeyRef":\{"name":"([^"]+)"/g)].map(([, name]) => name)
  expect(new Set(secrets)).toEqual(new Set(['traces-svc-evaluation']))
})

test('services send their own traces when enabled, with headers from a secret', async () => {
  const url = 'https://collector:4318/v1/traces'
  const manifests = await render(small, { traces: json({ url, existingSecret: { name: 'collector' } }) })
  for (const service of ['api', 'gateway', 'writer']) {
    const env = podOf(manifests, service).containers[0]!.env!
    expect(env.find(({ name }) => name === 'SVC_TRACES_URL')?.value).toBe(url)
    expect(env.find(({ name }) => name === 'SVC_TRACES_HEADERS')).toMatchObject({
      valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } },
    })
  }
  expect(json(await renderedSmall())).not.toContain('SVC_TRACES')
})

test('with a certificate, client ports use TLS, only their pods mount its files, and probes stay without TLS', async () => {
  const secret = { name: 'public-tls', certKey: 'tls.crt', keyKey: 'tls.key', caKey: 'ca.crt' }
  const manifests = await render(small, { 'tls.existingSecret': json(secret) })
  for (const service of ['gateway', 'api']) {
    const { containers, volumes } = podOf(manifests, service)
    const [container] = containers
    const env = new Map(container!.env!.map(({ name, value }) => [name, value]))
    expect([env.get('SVC_TLS_CERT_FILE'), env.get('SVC_TLS_KEY_FILE')]).toEqual(['/etc/svc/tls/tls.crt', '/etc/svc/tls/tls.key'])
    expect(env.get('NODE_EXTRA_CA_CERTS')).toBe('/etc/svc/tls/ca.crt')
    expect(json(volumes)).toContain('"secretName":"public-tls"')
    expect(json(container)).not.toContain('subPath')
    expect(json([container!.readinessProbe, container!.livenessProbe])).not.toContain('HTTPS')
    if (service === 'api') expect(env.get('SVC_OTLP_URL')).toBe('https://traces-svc-gateway:4318')
    expect(json(named(manifests, 'Service', `traces-svc-${service}`)!.spec)).not.toMatch(/"appProtocol":"(http|kubernetes.io\/h2c)"/)
  }
  expect(json(podOf(manifests, 'writer'))).not.toContain('public-tls')
  expect(json(await renderedSmall())).not.toContain('SVC_TLS')
})
