// From rendered manifests to the first span: the job, then every pod as a process with the command, environment and probes that stand there, on real
// stores. Linux: each pod has a loopback address of its own.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createColumnStore } from '../../libs/column-store/src/client.ts'
import { type TemporaryDirectory, temporaryDirectory, waitFor } from '../../libs/dev-servers/src/index.ts'
import { type KafkaCluster, startKafkaCluster } from '../../libs/dev-servers/src/kafka/cluster.ts'
import { type PostgresServer, startPostgres } from '../../libs/dev-servers/src/postgres/server.ts'
import { type Engine, startEngine } from '../../libs/embedded-engine/src/index.ts'
import { chartFolder, example, render } from './helm.ts'
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

test('the job migrates, every pod becomes ready as its probes ask, a span is a row, and every pod drains', async () => {
  const manifests = await render([example('small')], {
    'kafka.brokers': JSON.stringify(kafka.brokers),
    'columnStore.url': JSON.stringify(engine.url),
    'columnStore.user': JSON.stringify(engine.user),
    'columnStore.database': JSON.stringify(engine.database),
    // On the way from v3 there is one more pod.
    'backfill.enabled': 'true',
  })
  const [publicKey, secretKey] = ['pk-svc-0123456789abcdef', 'sk-svc-0123456789abcdef']
  const around = {
    secrets: {
      'clickhouse/password': password,
      'postgres/uri': postgres.url,
      'svc/salt': '0123456789abcdef0123456789abcdef',
      'svc/publicKey': publicKey,
      'svc/secretKey': secretKey,
    },
    image: Object.fromEntries([...imageVariables.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!])),
    folder: root,
    mounts: (pod: string, mountPath: string) => join(directory.path, pod, mountPath),
  }
  const [status, up] = await runJob(manifests.find(({ kind }) => kind === 'Job')!, around)
  expect(status).toContain('steps to go')
  expect(up).toContain('The column store is at version')

  const pods = startPods(manifests, around)
  closers.push(() => Promise.all(pods.map(stopPod)))
  expect(pods.map(({ name }) => name.split('-').at(-1)).toSorted()).toEqual(['api', 'backfill', 'gateway', 'propagator', 'writer'])
  const readiness = async (pod: Pod) => {
    if (pod.child.exitCode !== null) throw new Error(`${pod.name} ended with ${pod.child.exitCode}:\n${pod.said()}`)
    return (await probe(pod, 'readinessProbe')) === 200
  }
  for (const pod of pods) await waitFor(() => readiness(pod), { what: `${pod.name} to be ready`, timeoutMs: 180_000, everyMs: 200 })
  for (const pod of pods)
    expect([pod.name, await probe(pod, 'startupProbe'), await probe(pod, 'livenessProbe')]).toEqual([pod.name, 200, 200])

  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const now = `${BigInt(Date.now()) * 1_000_000n}`
  const span = { traceId, spanId: 'b7ad6b7169203331', name: 'first', startTimeUnixNano: now, endTimeUnixNano: now }
  const api = pods.find(({ name }) => name.endsWith('-api'))!
  const answer = await fetch(`http://${api.address}:3000/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
      'content-type': 'application/json',
      'x-svc-ingestion-version': '4',
    },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  const store = createColumnStore({ url: engine.url, user: engine.user, password, database: engine.database, requestTimeoutMs: 20_000 })
  closers.push(() => store.close())
  const isStored = async () => (await store.query(`SELECT name FROM events_core WHERE trace_id = '${traceId}'`)).length === 1
  await waitFor(isStored, { what: 'the span to be readable', timeoutMs: 60_000, everyMs: 200 })

  expect(await Promise.all(pods.map(async pod => [pod.name, await stopPod(pod)]))).toEqual(pods.map(({ name }) => [name, 0]))
})
