// The tests store handwritten rows and a handwritten ledger. The check must report each fault in the data, and report nothing else.
import { randomUUID } from 'node:crypto'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { commandKey, encodeCommand } from '@svc-server/schema/command'
import { encodeDeadLetter } from '@svc-server/schema/dead-letter'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkConservation } from '../src/check/check.ts'
import { createLedger } from '../src/ledger.ts'
import { auditedRows, topic } from './audited-rows.ts'
import { spansOf } from './log.ts'
import { deleteRows, type HandRow, insertRows } from './tables.ts'

const it = auditedRows()
const tables = ['events_full', 'events_core']

beforeEach(async () => {
  for (const table of [...tables, 'ingest_ledger']) await it.columnStore.command(`TRUNCATE TABLE ${table}`)
})

/** Appends one record per count. Stores the rows, ledger rows and offset that the writer would store for these records. */
async function stored(counts: readonly number[]): Promise<HandRow[][]> {
  const ledger = createLedger({ log: it.opened.log, columnStore: it.columnStore, group: groupNames.writer })
  const all: HandRow[][] = []
  for (const [offset, count] of counts.entries()) {
    const rows = (await it.append(spansOf(count, offset * 100))).map((row, n) => ({ ...row, provenance: `${topic}/0/${offset}#${n}` }))
    await insertRows(it.columnStore, rows)
    const range = { topic, partition: 0, destination: 'events_full', first: offset, last: offset, records: 1 }
    await ledger.record({ ...range, spans: count, rows: count, deadLettered: 0, denied: 0, bodyHash: '', versions: {} }, { again: false })
    all.push(rows)
  }
  await it.acknowledge(counts.length)
  return all
}

const check = (newest?: number) =>
  checkConservation({
    ...{ log: it.opened.log, columnStore: it.columnStore, group: groupNames.writer, topics: [topic] },
    ...(newest === undefined ? {} : { newest }),
  })
const partition = async () => (await check()).partitions.find(({ records }) => records > 0)
const from = (places: readonly string[]) => `blob_storage_file_path IN (${places.map(place => `'${topic}/0/${place}'`)})`

test('a fully stored log is conserved, with the counts of both sides', async () => {
  await stored([10, 20, 30])
  expect(await check()).toMatchObject({ conserved: true, atRest: true, findings: [], unreadableDeadLetters: 0 })
  expect(await partition()).toMatchObject({
    ...{ topic, partition: 0, from: 0, until: 3, waiting: 0, records: 3, spans: 60, stored: 60, superseded: 0, deadLettered: 0 },
    ...{ missing: 0, rawRows: 60, finalRows: 60, coreFinalRows: 60, ledgerSpans: 60, unaccounted: 0 },
  })
})

test('unacknowledged records are reported as waiting and not as missing', async () => {
  await it.append(spansOf(10))
  expect(await check()).toMatchObject({ conserved: true, atRest: false, findings: [] })
})

describe('rows', () => {
  test('missing in both tables are reported with range, number and one example', async () => {
    await stored([10, 20, 30])
    for (const table of tables) await deleteRows(it.columnStore, table, from(['1#3', '1#4']))
    const { conserved, findings } = await check()
    expect(conserved).toBe(false)
    expect(findings).toMatchObject([{ kind: 'missing', topic, partition: 0, first: 1, last: 1, spans: 2 }])
    expect(findings[0]!.example).toMatch(new RegExp(`^${it.projectId}/[0-9a-f]{32}/[0-9a-f]{16}$`))
    expect(await partition()).toMatchObject({ stored: 58, missing: 2 })
  })

  test('missing from neighboring records are one range', async () => {
    await stored([10, 20, 30])
    for (const table of tables) await deleteRows(it.columnStore, table, `NOT startsWith(blob_storage_file_path, '${topic}/0/0#')`)
    expect((await check()).findings).toMatchObject([{ kind: 'missing', first: 1, last: 2, spans: 50 }])
  })

  test('of older offsets are not checked when only the newest offsets are requested', async () => {
    await stored([10, 20, 30])
    for (const table of tables) await deleteRows(it.columnStore, table, from(['0#0', '2#0']))
    expect((await check(1)).findings).toMatchObject([{ kind: 'missing', first: 2, last: 2, spans: 1 }])
    expect((await check(3)).findings).toMatchObject([
      { kind: 'missing', spans: 1 },
      { kind: 'missing', spans: 1 },
    ])
  })

  test('in only one of the tables are found by key although the counts agree', async () => {
    await stored([10])
    const copy = (what: string, of: string) =>
      it.columnStore.command(
        `INSERT INTO events_core SELECT * REPLACE (${what}) FROM events_core WHERE ${from([of])}
         SETTINGS insert_deduplication_token = '${randomUUID()}'`,
      )
    await copy("'unknown' AS span_id", '0#0')
    await deleteRows(it.columnStore, 'events_core', `${from(['0#0'])} AND span_id != 'unknown'`)
    expect(await partition()).toMatchObject({ finalRows: 10, coreFinalRows: 10 })
    expect((await check()).findings).toMatchObject([{ kind: 'core', topic, partition: 0, first: 0, last: 0, spans: 2 }])
    await copy('event_ts + 1 AS event_ts', '0#3')
    expect((await check()).findings).toMatchObject([{ kind: 'core', spans: 3, example: expect.stringContaining(`${it.projectId}/`) }])
  })

  test('whose joined ids are equal but split differently are two', async () => {
    const [rows] = await stored([10])
    await insertRows(it.columnStore, [{ ...rows![0]!, traceId: 'a/b', spanId: 'c', provenance: `${topic}/0/0#10` }])
    await it.columnStore.command(
      `INSERT INTO events_core SELECT * REPLACE ('a' AS trace_id, 'b/c' AS span_id) FROM events_core WHERE ${from(['0#10'])}
       SETTINGS insert_deduplication_token = '${randomUUID()}'`,
    )
    await deleteRows(it.columnStore, 'events_core', "trace_id = 'a/b'")
    const found = (await check()).findings.filter(({ kind }) => kind === 'core')
    expect(found).toMatchObject([{ first: 0, last: 0, spans: 2, example: expect.stringMatching(/a\/b\/c$/) }])
  })

  test('of a deleted project that exist in only one table are no difference', async () => {
    const rows = await stored([10, 20])
    await deleteRows(it.columnStore, 'events_core', from(rows.flat().map((_, at) => (at < 10 ? `0#${at}` : `1#${at - 10}`))))
    expect((await check()).findings.reduce((sum, { kind, spans }) => sum + (kind === 'core' ? spans : 0), 0)).toBe(30)
    const command = {
      projectId: it.projectId,
      traceId: null,
      kind: 'delete_project',
      value: null,
      acceptedAtMs: 0,
      writeMode: 'dual',
    } as const
    await it.opened.log.append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
    expect(await check()).toMatchObject({ conserved: true, findings: [] })
  })

  test('stored twice are reported as doubled', async () => {
    const rows = await stored([10, 20])
    await insertRows(it.columnStore, rows[1]!.slice(0, 5))
    expect((await check()).findings).toMatchObject([{ kind: 'doubled', first: 1, last: 1, spans: 5 }])
    expect(await partition()).toMatchObject({ stored: 30, rawRows: 35, finalRows: 30 })
  })

  test('of an older log with the same offsets are ignored', async () => {
    const [rows] = await stored([10])
    const old = { ...rows![0]!, projectId: 'old', traceId: 'old', spanId: 'old', provenance: `${topic}/0/0#0` }
    await insertRows(it.columnStore, [{ ...old, eventTsUs: old.eventTsUs - 86_400_000_000 }])
    expect(await check()).toMatchObject({ conserved: true, findings: [] })
  })

  test('of a span that is also a dead letter are a surplus', async () => {
    await stored([10])
    const deadLetter = {
      stage: 'encode',
      reason: 'by hand',
      message: '',
      projectId: null,
      topic,
      partition: 0,
      offset: 0,
      index: 4,
      atMs: 0,
    }
    const value = encodeDeadLetter({ ...deadLetter, id: `${topic}/0/0/4`, raw: Buffer.alloc(0) })
    await it.opened.log.append(topicNames.deadLetter, [{ key: null, value, partition: 0 }])
    expect((await check()).findings).toMatchObject([{ kind: 'surplus', first: 0, last: 0, spans: 1 }])
  })
})

describe('the ledger', () => {
  test('without a row in the middle reports a gap', async () => {
    await stored([10, 20, 30])
    await deleteRows(it.columnStore, 'ingest_ledger', 'first_offset = 1')
    expect((await check()).findings).toMatchObject([{ kind: 'ledger_gap', first: 1, last: 1, spans: 20 }])
  })

  test('without any row reports one gap', async () => {
    await stored([10, 20])
    await it.columnStore.command('TRUNCATE TABLE ingest_ledger')
    expect((await check()).findings).toMatchObject([{ kind: 'ledger_gap', first: 0, last: 1, spans: 30 }])
  })
})
