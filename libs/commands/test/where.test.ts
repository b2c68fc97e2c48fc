import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { noteTraceDeletions } from '@svc-server/relational/deletions'
import type { RelationalStore } from '@svc-server/relational/store'
import { inProject } from '@svc-server/relational/tenancy'
import { openTestStore } from '@svc-server/relational/test-stores'
import { deadLetterForm } from '@svc-server/schema/dead-letter'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { attributes, encodeTraceRequest, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import type { WhereTrace } from '@svc-server/where/trace'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../src/run.ts'
import { type OpenedColumnStore, openColumnStore } from './column-store.ts'

let directory: TemporaryDirectory
let tables: OpenedColumnStore
let log: EventLog
let relational: RelationalStore

beforeAll(async () => {
  directory = await temporaryDirectory()
  tables = await openColumnStore(`${directory.path}/engine`)
  log = await openEmbeddedLog({ directory: `${directory.path}/log`, topics: topicSpecs({ embedded: true, enabledReaders: [] }) })
  relational = await openTestStore()
  const { db } = relational
  await db.insertInto('organizations').values({ id: 'org', name: 'org' }).execute()
  await db.insertInto('projects').values({ id: 'p', org_id: 'org', name: 'p' }).execute()
})
afterAll(async () => {
  await relational.close()
  await log.close()
  await tables.close()
  await directory.remove()
})

async function where(...args: string[]) {
  const out: string[] = []
  const errors: string[] = []
  const context = {
    keys: () => Promise.reject(new Error('not part of this test')),
    migrations: () => Promise.reject(new Error('not part of this test')),
    relational: async () => relational,
    log: async () => log,
    columnStore: async () => tables.columnStore,
    writeMode: 'events_only' as const,
    windowTimes: { windowMs: 180_000, graceMs: 2_000 },
    servicesRunning: true,
    print: (line: string) => void out.push(line),
  }
  const code = await runCommand(['where', '--project', 'p', ...args], context, line => errors.push(line))
  return { code, out: out.join('\n'), error: errors.join('\n') }
}

const whereTrace = async (traceId: string) => JSON.parse((await where(traceId, '--json')).out) as WhereTrace

const traceIdOf = (digit: string) => digit.repeat(32)
const nowNs = String(BigInt(Date.now()) * 1_000_000n)
const span = (traceId: string, spanId: string, own: Parameters<typeof attributes>[0] = {}) => ({
  ...{ traceId, spanId, name: 'ask', startTimeUnixNano: nowNs, endTimeUnixNano: nowNs, attributes: attributes(own) },
})

function batchOf(spans: readonly ReturnType<typeof span>[], projectId = 'p') {
  const payload = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'acme' }, spans: [...spans] }] }] })
  return encodeSpanBatch({
    ...{
      projectId,
      apiKey: 'pk',
      sdkName: 'javascript',
      sdkVersion: '6.0.0',
      ingestionVersion: 4,
      receivedAtMs: Date.now(),
      ingestId: 'i',
    },
    ...{ contentEncoding: 'identity', decodedBytes: payload.length, spanCount: spans.length, payload, traceAttributes: null },
    writeMode: 'events_only',
  })
}

async function append(topic: string, value: Uint8Array, key: string | null = null) {
  const [position] = await log.append(topic, [{ key: key === null ? null : Buffer.from(key), value }])
  return position!
}

async function committedAll(group: string, topic: string): Promise<void> {
  const done = Promise.withResolvers<void>()
  const consumer = await log.consume({
    ...{ group, topics: [topic], minBytes: 1, maxWaitMs: 1, maxBatchBytes: 1 << 20, concurrency: 1 },
    async onBatch({ nextOffset, highWatermark }, context) {
      await context.commit(nextOffset, '')
      if (nextOffset >= highWatermark) done.resolve()
      return { kind: 'done' }
    },
    onFatal: done.reject,
  })
  await done.promise
  await consumer.stop()
}

const insert = (row: object) => tables.columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${JSON.stringify(row)}`)
const rowOf = (trace_id: string, span_id: string, blob_storage_file_path = '') => ({
  ...{ project_id: 'p', trace_id, span_id, name: 'ask', type: 'SPAN', blob_storage_file_path, ingestion_sdk_name: 'javascript' },
  ...{ start_time: '2026-11-01 00:00:00.000000', event_ts: '2026-11-01 00:00:01.000000' },
})

test('reports first that a trace is on the log, and later that it is stored', async () => {
  const traceId = traceIdOf('a')
  const spans = [span(traceId, '1'.repeat(16)), span(traceIdOf('f'), '2'.repeat(16)), span(traceId, '3'.repeat(16))]
  const { partition, offset } = await append(topicNames.direct, batchOf(spans))
  expect(await whereTrace(traceId)).toMatchObject({
    state: 'on_the_log',
    message: expect.stringMatching(/^2 spans on the log since 20/),
    onTheLog: { spans: 2, records: [{ topic: topicNames.direct, partition, offset, spans: 2 }] },
    isWhole: true,
  })
  await committedAll(groupNames.writer, topicNames.direct)
  expect(await whereTrace(traceId)).toMatchObject({ state: 'unknown', onTheLog: { spans: 0 } })
  await insert(rowOf(traceId, '1'.repeat(16)))
  await insert({ ...rowOf(traceId, '3'.repeat(16)), parent_span_id: '1'.repeat(16) })
  expect(await whereTrace(traceId)).toMatchObject({
    state: 'stored',
    message: 'Stored: 2 observations. No data of the trace is waiting.',
    stored: { observations: 2, roots: 1, newestMs: Date.parse('2026-11-01T00:00:01Z') },
  })
})

test('reports that a staged span waits in a window, with the end of the window', async () => {
  const traceId = traceIdOf('b')
  const { timestampMs } = await append(topicNames.staging, batchOf([span(traceId, '1'.repeat(16))]), `p/${traceId}`)
  const found = await whereTrace(traceId)
  expect(found).toMatchObject({ state: 'in_window', inWindow: { spans: 1 } })
  const { untilMs } = found.inWindow
  expect(untilMs).toBeGreaterThan(timestampMs)
  expect(untilMs).toBeLessThanOrEqual(timestampMs + 182_000)
  const { out } = await where(traceId)
  expect(out).toContain(`1 span in a window until ${new Date(untilMs!).toISOString()}`)
})

test('reports a dead-lettered span with its reason', async () => {
  const traceId = traceIdOf('c')
  const raw = Buffer.concat([Buffer.from([0x0a, 0x10]), Buffer.from(traceId, 'hex')])
  const deadLetter = { stage: 'encode', reason: 'too_large', message: 'The span is too large.', raw, atMs: Date.now(), owner: 'p' }
  await append(topicNames.deadLetter, deadLetterForm.encode({ ...deadLetter, topic: topicNames.direct, partition: 0, offset: 7, index: 0 }))
  await append(
    topicNames.deadLetter,
    deadLetterForm.encode({ ...deadLetter, topic: topicNames.direct, partition: 0, offset: 8, index: 0, owner: 'another' }),
  )
  expect(await whereTrace(traceId)).toMatchObject({
    state: 'dead_lettered',
    message: 'Dead-lettered, too_large: The span is too large.',
    deadLetters: [{ reason: 'too_large', id: 'spans.direct/0/7/0' }],
  })
})

test('reports a deleted trace as deleted, even with spans on the log', async () => {
  const traceId = traceIdOf('d')
  await noteTraceDeletions(inProject(relational, 'p'), { actor: 'operator', at: new Date() }, [traceId])
  await append(topicNames.direct, batchOf([span(traceId, '1'.repeat(16))]))
  expect(await whereTrace(traceId)).toMatchObject({ state: 'deleted', onTheLog: { spans: 1 } })
})

test('reports a missing trace, an id that is not from OTLP, and a trace of another project as unknown', async () => {
  await append(topicNames.direct, batchOf([span(traceIdOf('e'), '1'.repeat(16))], 'another'))
  for (const id of [traceIdOf('e'), 'no-such-trace']) expect((await whereTrace(id)).state).toBe('unknown')
  expect((await where()).code).toBe(2)
})

test('names the record of a stored observation, and the rule and attributes of each column', async () => {
  const traceId = traceIdOf('9')
  const spans = [
    span(traceId, '1'.repeat(16)),
    span(traceId, '5'.repeat(16), { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5' }),
  ]
  const { topic, partition, offset } = await append(topicNames.direct, batchOf(spans))
  await insert(rowOf(traceId, '5'.repeat(16), `${topic}/${partition}/${offset}#1`))
  const { out, error } = await where('--stored', '5'.repeat(16))
  expect(error).toBe('')
  expect(out).toContain(`place: ${topic}, partition ${partition}, offset ${offset}, span 1`)
  expect(out).toMatch(/provided_model_name +\S+ +gen_ai\.request\.model/)
})

test('reports a row whose record is no longer on the log, and a row that names no record', async () => {
  await insert(rowOf(traceIdOf('8'), '8'.repeat(16), `${topicNames.direct}/0/99999#0`))
  expect((await where('--stored', '8'.repeat(16))).out).toContain(`The log no longer retains ${topicNames.direct}/0/99999.`)
  await insert(rowOf('of-events', 'o-1'))
  expect((await where('--stored', 'o-1')).out).toContain('place: none')
  expect(await where('--stored', 'nothing')).toMatchObject({ code: 1, error: expect.stringContaining('No observation nothing is stored') })
})
