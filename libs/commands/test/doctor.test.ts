import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { writeModes } from '@svc-server/modes/write-mode'
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CommandContext } from '../src/command.ts'
import type { CertificateFiles } from '../src/doctor/certificates.ts'
import { examineColumnStore } from '../src/doctor/column-store.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { examineLog } from '../src/doctor/log.ts'
import { phaseOf } from '../src/doctor/migration.ts'
import { runCommand } from '../src/run.ts'
import { database, eachTestHasADatabase, log } from './empty-stores.ts'

let store: ColumnStore
let relational: RelationalStore
let certificate: CertificateFiles

beforeAll(async () => {
  relational = await openTestStore()
})
afterAll(async () => {
  await relational.close()
})

eachTestHasADatabase('doctor', ['svc.writer'])

let pending: () => Promise<readonly string[]>
let opening: () => Promise<RelationalStore>
beforeEach(() => {
  store = database
  pending = async () => []
  opening = async () => relational
  certificate = {}
})

async function svc(...argv: string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const context = {
    log: async () => log,
    columnStore: async () => store,
    migrations: async () => ({
      columnStore: store,
      placement: { database: store.database, clustered: false, clusterName: 'default' },
      relational: { pending: () => pending(), apply: async () => [] },
      exclusive: <T>(work: () => Promise<T>) => work(),
    }),
    relational: () => opening(),
    certificate,
    writeMode: 'events_only',
    servicesRunning: false,
    print: (line: string) => void lines.push(line),
  } as unknown as CommandContext
  const code = await runCommand(argv, context, line => void errors.push(line))
  return { code, text: lines.join('\n'), errors: errors.join('\n') }
}

const report = async () => {
  const { code, text } = await svc('doctor', '--json')
  return { code, ...(JSON.parse(text) as { readonly state: string; readonly findings: readonly Finding[] }) }
}

test('tells a new deployment to migrate, and finds no fault afterwards', async () => {
  const before = await svc('doctor')
  expect(before.text).toContain('svc migrate up')
  expect((await svc('migrate', 'up')).code).toBe(0)
  const after = await report()
  expect(after.findings.filter(({ state }) => state === 'fault')).toEqual([])
  expect(after.findings.map(({ area, says }) => `${area}: ${says}`)).toEqual(
    expect.arrayContaining([
      'column store: The settings of the tables keep all acknowledged rows through a crash, and prevent a block from being inserted twice.',
      'accounts: The ledger balances, and the audit finds no missing rows.',
      'migration: The column store’s schema has the newest version.',
    ]),
  )
  expect(after.code).toBe(0)
})

test('names a table that may lose acknowledged rows, with the statement that repairs it', async () => {
  await svc('migrate', 'up')
  await store.command('ALTER TABLE events_full MODIFY SETTING fsync_after_insert = 0')
  const { code, findings } = await report()
  const fault = findings.find(({ state }) => state === 'fault')!
  expect([code, fault.do]).toEqual([1, 'ALTER TABLE events_full MODIFY SETTING fsync_after_insert = 1'])
  await store.command(fault.do!)
  expect((await report()).code).toBe(0)
})

test('reports an unbalanced ledger as a fault', async () => {
  await svc('migrate', 'up')
  await store.command(
    `INSERT INTO ingest_ledger (log_id, consumer_group, topic, partition, first_offset, last_offset, spans, rows, dead_lettered, denied)
     VALUES ('a', 'svc.writer', 'spans.direct', 0, 0, 9, 10, 7, 1, 0)`,
  )
  const { code, findings } = await report()
  expect([code, findings.find(({ area }) => area === 'accounts')]).toMatchObject([
    1,
    { says: 'The ledger of spans.direct is out of balance by 2 items.' },
  ])
})

test('reports missing rows as a fault until the audit finds them, and ignores missing rows of an earlier log', async () => {
  await svc('migrate', 'up')
  const audited = (logId: string, partition: number, missing: string) =>
    store.command(
      `INSERT INTO ingest_audit (log_id, topic, partition, next_offset, missing) VALUES ('${logId}', 'spans.direct', ${partition}, 9, '${missing}')`,
    )
  await audited('another log', 0, '[{"first":0,"last":4,"spans":7}]')
  expect((await report()).code).toBe(0)
  await audited(log.logId('spans.direct'), 0, '[{"first":0,"last":4,"spans":10},{"first":6,"last":6,"spans":1}]')
  await audited(log.logId('spans.direct'), 1, '[]')
  const { code, findings } = await report()
  expect([code, findings.find(({ area }) => area === 'accounts')]).toMatchObject([
    1,
    { says: 'The audit cannot find the rows of 11 items on spans.direct, in 2 ranges of offsets.' },
  ])
  await audited(log.logId('spans.direct'), 0, '[]')
  expect((await report()).code).toBe(0)
})

test('reports an embedded relational store of a newer release as a fault, although no migration is pending', async () => {
  await svc('migrate', 'up')
  opening = () => Promise.reject(new AppError('migration_failed', 'A newer release has migrated the relational database.'))
  expect((await report()).findings.filter(({ area }) => area === 'relational store')).toMatchObject([
    { state: 'fault', says: 'A newer release has migrated the relational database.' },
  ])
  expect((await svc('migrate', 'status')).text).toContain('relational store  A newer release has migrated the relational database.')
})

test('reports unfinished migrations of v3 with their own message, and an unavailable store does not hide findings about other stores', async () => {
  await svc('migrate', 'up')
  pending = async () => {
    throw new AppError('migration_failed', 'Background migrations of v3 are not finished: copy.')
  }
  expect((await report()).findings).toContainEqual(
    expect.objectContaining({ area: 'relational store', state: 'fault', says: expect.stringContaining('copy') }),
  )
  await store.close()
  store = createColumnStore({ url: 'http://127.0.0.1:9', user: 'svc', password: 'test-password', database: 'svc', requestTimeoutMs: 2_000 })
  const { code, findings } = await report()
  expect(code).toBe(1)
  expect(findings).toContainEqual(
    expect.objectContaining({ area: 'column store', state: 'fault', do: expect.stringContaining('COLUMNSTORE_URL') }),
  )
  expect(findings).toContainEqual(expect.objectContaining({ area: 'event log', state: 'ok' }))
})

const logWith = (lagMs: number, deadLetters = 0, filled = 8) =>
  ({
    kind: 'kafka',
    warnings: ['Topic svc.spans.direct has one replica.'],
    describe: async () => [
      { spec: { name: 'spans.direct', retentionMs: 7 * 86_400_000 }, partitions: [] },
      { spec: { name: 'spans.staging' }, partitions: Array(8).fill({ records: 0 }) },
      { spec: { name: 'spans.filled' }, partitions: Array(filled).fill({ records: 0 }) },
      { spec: { name: 'dead-letter' }, partitions: [{ records: deadLetters }] },
    ],
    lag: async () => [{ group: 'svc.writer', topic: 'spans.direct', partition: 0, committed: 0, lagRecords: 5, lagMs }],
  }) as unknown as EventLog

test.each([
  ['a reader that is behind', logWith(3_600_000), 'warning', 'svc.writer on spans.direct is 5 records behind'],
  ['a reader whose records retention deletes soon', logWith(5 * 86_400_000), 'fault', 'more than half of the topic’s retention'],
  ['dead letters', logWith(0, 3), 'warning', 'The log contains 3 dead letters.'],
  ['one dead letter', logWith(0, 1), 'warning', 'The log contains 1 dead letter.'],
  ['one reader', logWith(0), 'ok', '1 reader: none is more than'],
  ['partitions that do not fit', logWith(0, 0, 4), 'fault', 'different numbers of partitions: spans.staging 8, spans.filled 4'],
  ['what the log warns of', logWith(0), 'warning', 'has one replica'],
] as const)('reports on the log: %s', async (_, given, state, says) => {
  expect(await examineLog(given, 'dual')).toContainEqual(expect.objectContaining({ state, says: expect.stringContaining(says) }))
})

const merging = (...waiting: readonly (readonly [topic: string, lagRecords: number, lagMs: number])[]) => ({
  ...logWith(0),
  lag: async () =>
    waiting.map(([topic, lagRecords, lagMs]) => ({ group: 'svc.merger', topic, partition: 0, committed: 0, lagRecords, lagMs })),
})

test.each([
  ['it has merged everything', merging(['ingestion', 0, 0], ['spans.direct', 3, 500]), ['ok'], 'The merger can be removed'],
  ['an event waits', merging(['ingestion', 1, 10], ['spans.direct', 0, 0]), ['warning'], 'The merger has not yet read 1 record '],
  ['spans wait that may be of dual', merging(['spans.direct', 7, 3_600_000]), ['warning'], 'The merger has not yet read 7 records '],
] as const)('reports after a cutover whether the merger may stop: %s', async (_, given, states, says) => {
  const found = (await examineLog(given as unknown as EventLog, 'events_only')).filter(finding => finding.says.startsWith('The merger'))
  expect([found.map(({ state }) => state), found[0]!.says]).toEqual([states, expect.stringContaining(says)])
})

test('reports nothing about a merger that never ran, or before a cutover', async () => {
  const saidOf = async (log: unknown, mode: (typeof writeModes)[number]) =>
    (await examineLog(log as EventLog, mode)).filter(({ says }) => says.startsWith('The merger'))
  expect([await saidOf(logWith(0), 'events_only'), await saidOf(merging(['ingestion', 0, 0]), 'dual')]).toEqual([[], []])
})

test.each([
  ['24.8.1', 'fault'],
  ['25.12.2.1', 'warning'],
  ['26.4.1', 'ok'],
])('judges version %s of the column store', async (version, state) => {
  const queries = async (sql: string) =>
    sql.includes('now64') ? [{ ms: '90000' }] : sql.includes('disks') ? [{ name: 'd', path: '/d/', free: '1', total: '100' }] : []
  const fake = { identify: async () => ({ version, startedAt: '' }), query: queries } as unknown as ColumnStore
  const findings = await examineColumnStore(fake, { clustered: false, now: () => 0 })
  expect(findings[0]).toMatchObject({ state })
  expect(findings.map(({ says }) => says)).toEqual(
    expect.arrayContaining([
      'The clock of the column store differs by 90.0 s from the clock of this machine.',
      '1 % of disk d is free (1 B).',
    ]),
  )
})

test.each(writeModes)('names the next step of mode %s, or reports that nothing is left', writeMode => {
  const { says, do: next } = phaseOf(writeMode, false)
  expect([says.includes(writeMode), next !== undefined || says.includes('nothing is left')]).toEqual([true, true])
})
