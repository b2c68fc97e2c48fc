import { AppError } from '@svc-server/errors'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { RelationalStore } from '@svc-server/relational/store'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { encodeTraceRequest, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../src/run.ts'
import { type OpenedColumnStore, openColumnStore } from './column-store.ts'

let directory: TemporaryDirectory
let tables: OpenedColumnStore
let log: EmbeddedLog

beforeAll(async () => {
  directory = await temporaryDirectory()
  tables = await openColumnStore(`${directory.path}/engine`)
  const topics = topicSpecs({ embedded: true, enabledReaders: [groupNames.writer] })
  log = await openEmbeddedLog({ directory: `${directory.path}/log`, topics })
})
afterAll(async () => {
  await log.close()
  await tables.close()
  await directory.remove()
})

/** If undefined, the relational store does not respond. */
let relational: RelationalStore | undefined

/** The project keeps its rows for three days. Nobody has deleted data of the project. */
function keepsThreeDays(projectId: string): RelationalStore {
  const rows = (table: string) => (table === 'projects' ? [{ id: projectId, retention_days: 3 }] : [])
  const query = (table: string): object =>
    new Proxy({}, { get: (_, name) => (name === 'execute' ? async () => rows(table) : () => query(table)) })
  return { db: { selectFrom: query } } as unknown as RelationalStore
}

/** If true, the command runs alone: no instance of the server is running. */
let runsAlone = false

async function check(...args: string[]) {
  const out: string[] = []
  const errors: string[] = []
  const unused = () => Promise.reject(new Error('not part of this test'))
  const context = {
    keys: unused,
    relational: async () => relational ?? Promise.reject(new AppError('relational_unavailable', 'nobody is there')),
    log: async () => log,
    columnStore: async () => tables.columnStore,
    migrations: () => Promise.reject(new Error('not part of this test')),
    writeMode: 'events_only' as const,
    servicesRunning: !runsAlone,
    dataDirectory: directory.path,
    print: (line: string) => void out.push(line),
  }
  const code = await runCommand(['check', ...args], context, line => errors.push(line))
  return { code, out: out.join('\n'), error: errors.join('\n') }
}

const traceId = 'a'.repeat(32)
const spanIds = ['b'.repeat(16), 'c'.repeat(16)]

async function appendTwoSpans(): Promise<number> {
  const spans = spanIds.map(spanId => ({ traceId, spanId, name: 'span', startTimeUnixNano: '1', endTimeUnixNano: '2' }))
  const payload = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  const batch = {
    ...{ projectId: 'chat', apiKey: 'pk', sdkName: '', sdkVersion: '', ingestionVersion: 4, receivedAtMs: 1, ingestId: 'i' },
    ...{ contentEncoding: 'identity' as const, decodedBytes: payload.length, spanCount: 2, payload, traceAttributes: null },
  }
  const [position] = await log.append(topicNames.direct, [{ key: null, value: encodeSpanBatch(batch), partition: 0 }])
  return position!.timestampMs
}

async function acknowledgeEverything(): Promise<void> {
  const done = Promise.withResolvers<void>()
  const consumer = await log.consume({
    ...{ group: groupNames.writer, topics: [topicNames.direct], minBytes: 1, maxWaitMs: 10, maxBatchBytes: 1e6, concurrency: 1 },
    async onBatch(batch, context) {
      await context.commit(batch.nextOffset, '')
      done.resolve()
      return { kind: 'done' }
    },
    onFatal: done.reject,
  })
  await done.promise
  await consumer.stop()
}

test('reports an empty log, then waiting offsets, then missing spans by name, then a gap of the ledger, then conservation', async () => {
  expect(await check()).toMatchObject({ code: 0, out: expect.stringContaining('CONSERVED: 0 spans') })

  const appendedMs = await appendTwoSpans()
  expect(await check()).toMatchObject({ code: 0, out: expect.stringContaining('1 offset is not stored yet') })
  expect(await check('--wait', '0')).toMatchObject({ code: 1, error: expect.stringContaining('not stored within 0 s') })

  // If no instance of the server is running, the command must not wait, even with `--wait`.
  runsAlone = true
  expect(await check('--wait', '3600')).toMatchObject({
    ...{ code: 1, out: expect.stringContaining('No instance runs'), error: expect.stringContaining('stored once an instance runs') },
  })
  runsAlone = false
  await acknowledgeEverything()
  const lost = await check('--wait', '5')
  expect(lost).toMatchObject({ code: 1, error: expect.stringContaining('unaccounted-spans.md') })
  expect(lost.out).toContain(`spans.direct/0/0: 2 spans neither stored nor a dead letter, such as chat/${traceId}/${spanIds[0]}`)
  expect(lost.out).toContain('NOT CONSERVED: 2 spans, 0 stored, 0 dead letters; missing: 2, ledger gap: 2.')

  expect(lost.out).toContain('The relational store cannot be queried')
  // The spans are from 1970. Retention has therefore deleted their rows.
  relational = keepsThreeDays('chat')
  const expired = await check()
  expect(expired.out).toMatch(/NOT CONSERVED: 2 spans, 0 stored, .*2 deleted.*; ledger gap: 2\./)
  relational = keepsThreeDays('other')
  expect((await check()).out).toContain('missing: 2')

  await tables.columnStore.command(
    `INSERT INTO events_full (project_id, trace_id, span_id, event_ts, blob_storage_file_path)
     SELECT 'chat', '${traceId}', ['${spanIds.join("','")}'][number + 1], fromUnixTimestamp64Milli(${appendedMs}), concat('spans.direct/0/0#', toString(number))
     FROM numbers(2)`,
  )
  const report = JSON.parse((await check('--json')).out) as object
  expect(report).toMatchObject({
    conserved: false,
    atRest: true,
    findings: [{ kind: 'ledger_gap', topic: 'spans.direct', partition: 0, first: 0, last: 0, spans: 2 }],
    verdict: 'NOT CONSERVED: 2 spans, 2 stored, 0 dead letters; ledger gap: 2.',
  })

  await tables.columnStore.command(
    `INSERT INTO ingest_ledger (log_id, consumer_group, topic, partition, first_offset, last_offset, records, spans, rows)
     VALUES ('${log.logId(topicNames.direct)}', '${groupNames.writer}', 'spans.direct', 0, 0, 0, 1, 2, 2)`,
  )
  const healthy = await check('--newest', '10')
  expect(healthy).toMatchObject({ code: 0, error: '' })
  expect(healthy.out).toContain('CONSERVED: 2 spans = 2 stored + 0 dead letters.')
})

test.each([
  ['--wait', 'soon'],
  ['--newest', '0'],
  ['--nonsense', ''],
])('rejects %s %s', async (option, value) => {
  expect(await check(option, value)).toMatchObject({ code: 2, error: expect.stringContaining(option) })
})
