// Installs the chart on a real Kubernetes API server, upgrades it from its first version, rolls it back, and uninstalls it. No controller
// and no kubelet runs, so the test cannot show that a pod starts. The test itself marks jobs as ended.
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TemporaryDirectory, temporaryDirectory } from '../../libs/dev-servers/src/index.ts'
import { ensureProgram } from '../programs/programs.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { installCustomResources } from './custom-resources.ts'
import { chartFolder, evaluationValues, example, helm, type Manifest, render } from './helm.ts'
import { type JobEnder, startJobEnder } from './kubelet.ts'

const run = promisify(execFile)
const root = resolve(chartFolder, '../..')
const topologies = {
  small: example('small'),
  ha: example('ha'),
  'events-only': example('events-only'),
  dual: example('dual'),
  evaluation: evaluationValues,
}
const print = (title: string, said: string) => void process.stdout.write(`\n── ${title}\n${said.trimEnd()}\n`)

let server: ApiServer
let directory: TemporaryDirectory
let jobs: JobEnder
beforeAll(async () => {
  await ensureProgram('helm')
  directory = await temporaryDirectory()
  server = await startApiServer()
  const { body } = await server.client.request('GET', '/version')
  print('the API server', `Kubernetes ${String(body['gitVersion'])}`)
  print('custom resources', (await installCustomResources(server.client)).join('\n'))
  for (const namespace of ['tracing', 'trial', 'checked']) {
    await server.client.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  }
  jobs = startJobEnder(server.client, 'tracing')
}, 1_500_000)
afterAll(async () => {
  await jobs?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  await directory?.remove()
})

const ours = 'app.kubernetes.io/instance=svc'
const connect = () => ['--kubeconfig', server.kubeconfig, '--namespace', 'tracing']
async function helmSays(...args: readonly string[]) {
  const outcome = await helm(...args, ...connect())
  print(`helm ${args.map(arg => arg.replace(`${root}/`, '').replace(directory.path, '')).join(' ')}`, outcome.output)
  return outcome
}

async function object(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await server.client.request('GET', path)
  expect([path, status]).toEqual([path, 200])
  return body
}
const imagesOf = async (name: string) => {
  const { spec } = (await object(`/apis/apps/v1/namespaces/tracing/deployments/${name}`)) as unknown as Manifest
  return spec!.template!.spec.containers.map(({ image }) => image)
}

async function firstChart(): Promise<string> {
  const git = async (...args: readonly string[]) => (await run('git', args, { cwd: root, maxBuffer: 1 << 26 })).stdout.trim()
  const added = await git('log', '--diff-filter=A', '--format=%H', '--', 'deploy/helm/Chart.yaml').catch(() => '')
  const commit = added.split('\n').at(-1)
  if (!commit) throw new Error('The test needs the first version of the chart from the history of the repository. Clone all of it.')
  const folder = join(directory.path, 'first')
  mkdirSync(folder)
  await run('/bin/sh', ['-c', 'git archive "$0" deploy/helm | tar -x -C "$1"', commit, folder], { cwd: root })
  return join(folder, 'deploy/helm')
}

test.each(Object.entries(topologies))(
  'the server takes every object of %s as it is, with no field that it does not know',
  async (name, values) => {
    const said: string[] = []
    for (const manifest of await render([values])) {
      const { status, body } = await server.client.tryOut(manifest, 'checked')
      if (status !== 201) said.push(`${manifest.kind}/${manifest.metadata.name}: ${status} ${String(body['message'])}`)
    }
    expect(said).toEqual([])
    print(`server-side validation of ${name}`, 'taken, all of it')
  },
)

test('the API server refuses invalid objects: a misspelled field, a text for a number, a route without required fields', async () => {
  const manifests = await render([example('ha')])
  const broken = async (kind: string, from: string, to: string) => {
    const text = JSON.stringify(manifests.find(manifest => manifest.kind === kind))
    expect([kind, text.includes(from)]).toEqual([kind, true])
    const { status, body } = await server.client.tryOut(JSON.parse(text.replace(from, to)) as Manifest, 'checked')
    print(`a broken ${kind}`, `${status} ${String(body['message'])}`)
    return status
  }
  expect(await broken('Deployment', '"containerPort":4318', '"containerPort":"otlp"')).toBe(400)
  expect(await broken('Deployment', '"terminationGracePeriodSeconds"', '"terminationGraceSeconds"')).toBe(400)
  expect(await broken('ScaledObject', '"minReplicaCount"', '"minReplicas"')).toBe(400)
  expect(await broken('HTTPRoute', '"PathPrefix"', '"Beginning"')).toBe(422)
})

test('installs with the job first, leaves no object of the release if the job fails, upgrades from the first chart, rolls back, and uninstalls', async () => {
  const before = await firstChart()
  const [small, values] = [example('small'), join(before, 'examples/small.yaml')]

  jobs.let('fail')
  const refused = await helmSays('install', 'svc', before, '--values', values)
  expect([refused.ok, refused.output]).toEqual([false, expect.stringContaining('pre-install')])
  expect((await server.client.list('tracing', ours)).filter(each => !each.startsWith('Job/'))).toEqual([])
  expect((await helmSays('uninstall', 'svc')).ok).toBe(true)

  jobs.let('succeed')
  expect((await helmSays('install', 'svc', before, '--values', values)).ok).toBe(true)
  expect(jobs.ended.at(-1)).toBe('svc-schema-1')
  const installed = await server.client.list('tracing', ours)
  print('installed', installed.join('\n'))
  expect(installed.filter(each => /^(Deployment|StatefulSet)\//.test(each))).toHaveLength(4)
  expect(installed.filter(each => each.startsWith('Job/'))).toEqual([])
  const old = await imagesOf('svc-writer')

  const upgrade = await helmSays('upgrade', 'svc', chartFolder, '--values', small, '--set', 'image.tag=next')
  expect([upgrade.ok, upgrade.output]).toEqual([true, expect.stringContaining('REVISION: 2')])
  expect(jobs.ended.at(-1)).toBe('svc-schema-2')
  expect(await imagesOf('svc-writer')).toEqual(['svc-service:next'])
  // As the chart's README requires, this upgrade changes writers and propagators first: the gateway and the API keep the tag `next`.
  const gatewaysWait = ['--set', 'image.tag=newer', '--set', 'gateway.image.tag=next', '--set', 'publicApi.image.tag=next']
  expect((await helmSays('upgrade', 'svc', chartFolder, '--values', small, ...gatewaysWait)).ok).toBe(true)
  expect([await imagesOf('svc-writer'), await imagesOf('svc-gateway')]).toEqual([['svc-service:newer'], ['svc-service:next']])

  expect((await helmSays('rollback', 'svc', '1')).ok).toBe(true)
  expect(await imagesOf('svc-writer')).toEqual(old)
  expect(await server.client.list('tracing', ours)).toEqual(installed)
  const history = await helmSays('history', 'svc')
  expect(history.output.match(/superseded|deployed/g)).toEqual(['superseded', 'superseded', 'superseded', 'deployed'])

  expect((await helmSays('uninstall', 'svc')).ok).toBe(true)
  expect(await server.client.list('tracing', ours)).toEqual([])
})

test('installs with every option, and objects that must outlive the release stay', async () => {
  expect((await helmSays('install', 'svc', chartFolder, '--values', example('ha'))).ok).toBe(true)
  const installed = await server.client.list('tracing', ours)
  print('installed with everything', installed.join('\n'))
  for (const kind of [
    'ScaledObject',
    'TriggerAuthentication',
    'HTTPRoute',
    'PodMonitor',
    'PrometheusRule',
    'HorizontalPodAutoscaler',
    'KafkaUser',
  ]) {
    expect([kind, installed.some(each => each.startsWith(`${kind}/`))]).toEqual([kind, true])
  }
  expect((await helmSays('uninstall', 'svc')).ok).toBe(true)
  const left = await server.client.list('tracing', ours)
  expect(left).toEqual(installed.filter(each => each.startsWith('KafkaTopic/')))
  expect(left).not.toEqual([])
})

test('an upgrade that would lose data is refused, and no object changes', async () => {
  const install = ['svc', chartFolder, '--values', example('small')]
  expect((await helmSays('install', ...install, '--set', 'propagator.storage.enabled=true')).ok).toBe(true)
  const before = await object('/apis/apps/v1/namespaces/tracing/deployments/svc-writer')
  const refusals = [
    ['kafka.partitions.staging=16', 'kafka.partitions.staging was 8'],
    ['kafka.topicPrefix=other.', 'kafka.topicPrefix was svc.'],
    ['propagator.storage.enabled=false', 'propagator.storage was enabled'],
  ] as const
  for (const [change, because] of refusals) {
    const { ok, output } = await helmSays('upgrade', ...install, '--set', 'propagator.storage.enabled=true', '--set', change)
    expect([change, ok, output]).toEqual([change, false, expect.stringContaining(because)])
  }
  expect(await object('/apis/apps/v1/namespaces/tracing/deployments/svc-writer')).toEqual(before)
  expect((await helmSays('uninstall', 'svc')).ok).toBe(true)
})

test('a trial installation keeps its generated passwords over an upgrade', async () => {
  const install = ['svc', chartFolder, '--values', evaluationValues]
  expect((await helmSays('install', ...install)).ok).toBe(true)
  const secret = async () => (await object('/api/v1/namespaces/tracing/secrets/svc-evaluation'))['data']
  const made = await secret()
  expect((await helmSays('upgrade', ...install, '--set', 'image.tag=next')).ok).toBe(true)
  expect(await secret()).toEqual(made)
  expect((await helmSays('uninstall', 'svc')).ok).toBe(true)
})
