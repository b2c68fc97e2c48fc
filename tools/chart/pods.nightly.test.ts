// Runs the steps of the chart's README until the first span is stored. The test runs the README's commands and the schema job, and starts
// each pod as a local process with real stores. The test needs Linux, because each pod has its own loopback address.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createColumnStore } from '../../libs/column-store/src/client.ts'
import { type TemporaryDirectory, temporaryDirectory, waitFor } from '../../libs/dev-servers/src/index.ts'
import { type KafkaCluster, startKafkaCluster } from '../../libs/dev-servers/src/kafka/cluster.ts'
import { type PostgresServer, startPostgres } from '../../libs/dev-servers/src/postgres/server.ts'
import { type Engine, startEngine } from '../../libs/embedded-engine/src/index.ts'
import { blocksUnder, createOperator, withoutOwn } from './as-written.ts'
import { chartFolder, helm, parse } from './helm.ts'
import { copyWithNotes, notesOf } from './notes.ts'
import { type Pod, probe, runJob, startPods, stopPod } from './pods.ts'

const password = 'a-password-of-the-column-store'
const closers: (() => Promise<unknown>)[] = []
let directory: TemporaryDirectory
let kafka: KafkaCluster
let postgres: PostgresServer
let engine: Engine
beforeAll(async () => {
  directory = await temporaryDirectory()
  closers.push(() => directory.remove())
  kafka = await startKafkaCluster({ own: true })
  closers.push(() => kafka.stop())
  postgres = await startPostgres()
  closers.push(() => postgres.stop())
  engine = await startEngine({ dataDir: join(directory.path, 'engine'), port: 0, password })
  closers.push(() => engine.stop())
})
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

const root = resolve(chartFolder, '../..')
const imageVariables = /^ENV ((?:.*\\\n)*.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))![1]!

const pathOf = (folder: string) => (arg: string) => {
  if (arg.startsWith('deploy/')) return join(root, arg)
  return arg === 'values.yaml' ? join(folder, arg) : arg
}

test('with the commands of its README and notes, the job migrates, every pod becomes ready by its probes, a span becomes a row, and every pod drains', async () => {
  const operator = createOperator(directory.path)
  const own = {
    REGISTRY: 'registry.example.com/svc',
    BROKERS: kafka.brokers.join(', '),
    CLICKHOUSE_URL: engine.url,
    CLICKHOUSE_PASSWORD: password,
    DATABASE_URL: postgres.url,
  }
  const [images, install] = ['## From an empty cluster to the first span', '### To use your own stores'].map(heading =>
    blocksUnder(heading, 'sh'),
  )
  for (const script of [images![0]!, install![0]!]) await operator.run(withoutOwn(script), own)
  expect(operator.asked('docker').filter(([what]) => what === 'push')).toHaveLength(2)
  const [asked] = operator.asked('helm')
  const [upgrade, flag, release, chart, ...values] = asked!.map(pathOf(operator.folder))
  expect([upgrade, flag, chart]).toEqual(['upgrade', '--install', chartFolder])
  // An installation that comes from v3 has two more pods.
  const rendered = await helm(
    'template',
    release!,
    chart!,
    '--kube-version',
    '1.33.0',
    ...values,
    '--set',
    'backfill.enabled=true,merger.enabled=true',
  )
  if (!rendered.ok) throw new Error(rendered.output)
  const manifests = parse(rendered.output)
  const web = join(directory.path, 'web')
  mkdirSync(web)
  writeFileSync(join(web, 'index.html'), '<html><head></head></html>')
  const around = {
    secrets: operator.secrets(),
    files: { '/srv/web': web },
    image: Object.fromEntries([...imageVariables.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!])),
    folder: root,
    mounts: (pod: string, mountPath: string) => join(directory.path, pod, mountPath),
  }
  const [status, up] = await runJob(manifests.find(({ kind }) => kind === 'Job')!, around)
  expect(status).toContain('steps to apply')
  expect(up).toContain('The column store is at version')

  const pods = startPods(manifests, around)
  closers.push(() => Promise.all(pods.map(stopPod)))
  expect(pods.map(({ name }) => name.split('-').at(-1)).toSorted()).toEqual([
    'api',
    'backfill',
    'gateway',
    'merger',
    'propagator',
    'writer',
  ])
  const readiness = async (pod: Pod) => {
    if (pod.child.exitCode !== null) throw new Error(`${pod.name} ended with ${pod.child.exitCode}:\n${pod.said()}`)
    return (await probe(pod, 'readinessProbe')) === 200
  }
  for (const pod of pods) await waitFor(() => readiness(pod), { what: `${pod.name} to be ready`, timeoutMs: 180_000, everyMs: 200 })
  for (const pod of pods)
    expect([pod.name, await probe(pod, 'startupProbe'), await probe(pod, 'livenessProbe')]).toEqual([pod.name, 200, 200])

  const copy = join(directory.path, 'chart')
  mkdirSync(copy)
  copyWithNotes(copy)
  const notes = await notesOf(copy, release!, ...values)
  const commands = notes.slice(notes.indexOf('2. Send the first span:\n') + 24, notes.indexOf('   Seconds later'))
  const api = pods.find(({ name }) => name.endsWith('-api'))!
  // In the chart's installation notes, kubectl forwards the pod's port to 127.0.0.1. The test uses the pod's own address instead.
  expect(await operator.run(commands.replaceAll('127.0.0.1:3000', `${api.address}:3000`))).toMatch(/^\{/)

  const store = createColumnStore({ url: engine.url, user: engine.user, password, database: engine.database, requestTimeoutMs: 20_000 })
  closers.push(() => store.close())
  const [question] = /SELECT name, start_time .*/.exec(notes)!
  const isStored = async () => (await store.query<{ name: string }>(question)).some(({ name }) => name === 'first')
  await waitFor(isStored, { what: 'the span to be readable', everyMs: 200 })

  expect(await Promise.all(pods.map(async pod => [pod.name, await stopPod(pod)]))).toEqual(pods.map(({ name }) => [name, 0]))
})
