import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { attributes, encodeTraceRequest, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explainObservation, whereTrace } from '../src/operations/web-where/where.ts'
import type { Dependencies } from '../src/request/dependencies.ts'
import type { Handler } from '../src/request/handler.ts'
import { startApi } from './api.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'
import { addPerson, signedInAs } from './people.ts'

const traceId = 'ab'.repeat(16)
const spanId = 'cd'.repeat(8)

let directory: TemporaryDirectory
let log: EventLog
let datasets: OpenedDatasets
let path: string
beforeAll(async () => {
  directory = await temporaryDirectory('svc-api-')
  log = await openEmbeddedLog({ directory: directory.path, topics: topicSpecs({ embedded: true, enabledReaders: [] }) })
  datasets = await openDatasets()
  const time = String(BigInt(Date.now()) * 1_000_000n)
  const span = { traceId, spanId, name: 'ask', startTimeUnixNano: time, endTimeUnixNano: time, attributes: attributes({ 'user.id': 'u' }) }
  const payload = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  const value = encodeSpanBatch({
    ...{ projectId: 'project-0', apiKey: 'pk', sdkName: '', sdkVersion: '', ingestionVersion: 3, receivedAtMs: Date.now(), ingestId: 'i' },
    ...{
      contentEncoding: 'identity',
      decodedBytes: payload.length,
      spanCount: 1,
      payload,
      traceAttributes: null,
      writeMode: 'events_only',
    },
  })
  const [at] = await log.append(topicNames.staging, [{ key: Buffer.from(`project-0/${traceId}`), value }])
  path = `${topicNames.staging}/${at!.partition}/${at!.offset}#0`
})
afterAll(async () => {
  await datasets[Symbol.asyncDispose]()
  await log.close()
  await directory.remove()
})

/** Runs a handler on fixed rows instead of a column store. Checks that the response matches its schema. */
async function run(handler: Handler, params: object, rows: readonly object[] = []) {
  const deps = {
    ...{ log, relational: datasets.store, writeMode: 'events_only', windowTimes: { windowMs: 180_000, graceMs: 2_000 }, brandAliases: [] },
    ...{ columnStore: { query: async () => rows } },
  } as unknown as Dependencies
  const request = { project: { projectId: 'project-0' }, params, query: {}, signal: new AbortController().signal }
  const { status, body } = await handler.run(request as never, deps)
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  const wire = JSON.parse(JSON.stringify(body)) as any
  handler.operation.responses[status]!.parse(wire)
  return { status, wire }
}

test('a staged trace is reported as in a window, with its end', async () => {
  const { wire } = await run(whereTrace, { projectId: 'project-0', traceId })
  expect(wire).toMatchObject({ state: 'in_window', isWhole: true, deletedAt: null, stored: { observations: 0, newestAt: null } })
  expect(wire.inWindow).toMatchObject({ spans: 1, until: expect.any(String), records: [{ topic: 'spans.staging', spans: 1 }] })
  expect(wire.message).toContain(wire.inWindow.until)
})

test('the response for a stored observation names its record, and the rule of each column', async () => {
  const row = { trace_id: traceId, path, source: 'otel', key: 'pk', sdk_name: 'unknown', sdk_version: 'unknown', stored: '1700000000000' }
  const { wire } = await run(explainObservation, { projectId: 'project-0', observationId: spanId }, [row])
  expect(wire).toMatchObject({ traceId, place: { topic: 'spans.staging', index: 0 }, storedAt: '2023-11-14T22:13:20.000Z' })
  expect(wire.columns.user_id).toEqual({ value: 'u', rule: expect.any(String), attributes: ['user.id'] })
  expect(wire.columns.blob_storage_file_path.value).toBe(path)
})

test('a person may look up traces only in their own projects', async () => {
  await using api = await startApi({ relational: datasets.store })
  const viewer = await signedInAs(datasets.store, await addPerson(datasets.store, 'viewer@example.com', 'VIEWER'))
  const ask = (project: string, headers: Readonly<Record<string, string>>) =>
    api.send('GET', `/api/ui/projects/${project}/where/${traceId}`, { authorization: null, headers })
  expect(await ask('project-0', viewer)).toMatchObject({ status: 200, json: { state: 'unknown' } })
  expect((await ask('project-nowhere', viewer)).status).toBe(404)
  expect((await ask('project-0', {})).status).toBe(401)
})

test('an observation that is not stored gets 404', async () => {
  await expect(run(explainObservation, { projectId: 'project-0', observationId: 'nothing' })).rejects.toMatchObject({ code: 'not_found' })
})
