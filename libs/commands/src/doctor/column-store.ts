import { join } from 'node:path'
import type { ColumnStore } from '@svc-server/column-store/port'
import { ledgerDifferences, missingOfAudit } from '@svc-server/conservation/recorded'
import { counted } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { hasTable } from '../has-table.ts'
import { roomFinding } from './disk.ts'
import type { Finding } from './finding.ts'

const area = 'column store'
const oldest = [25, 12] as const
const recommended = [26, 4] as const
/** The column store's clock matters only in queries with now(), because the times of rows come from the brokers. */
const clockToleranceMs = 2_000

const isBelow = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [ours = 0, ourMinor = 0] = version.split('.').map(Number)
  return ours < major || (ours === major && ourMinor < minor)
}

async function version(store: ColumnStore): Promise<Finding> {
  const { version } = await store.identify()
  if (isBelow(version, oldest))
    return {
      area,
      state: 'fault',
      says: `The column store has version ${version}, which is older than ${oldest.join('.')}.`,
      do: `Upgrade the column store. Version ${recommended.join('.')} is recommended.`,
    }
  if (isBelow(version, recommended))
    return {
      area,
      state: 'warning',
      says: `The column store has version ${version}.`,
      do: `Version ${recommended.join('.')} is recommended.`,
    }
  return { area, state: 'ok', says: `The column store responds. Its version is ${version}.` }
}

async function clock(store: ColumnStore, now: () => number): Promise<Finding> {
  const before = now()
  const [row] = await store.query<{ ms: string }>('SELECT toUnixTimestamp64Milli(now64(3)) AS ms')
  const [off, tookMs] = [Number(row!.ms) - (before + now()) / 2, now() - before]
  if (Math.abs(off) <= clockToleranceMs + tookMs)
    return { area, state: 'ok', says: 'The clock of the column store agrees with the clock of this process.' }
  return {
    area,
    state: 'warning',
    says: `The clock of the column store differs by ${(off / 1000).toFixed(1)} s from the clock of this machine.`,
    do: 'Synchronize both clocks (NTP).',
  }
}

/** Checks the disks of a server. Leaves out the disk of the embedded engine, because a different check covers the data directory. */
async function disks(store: ColumnStore, dataDirectory: string | undefined): Promise<readonly Finding[]> {
  const rows = await store.query<{ name: string; path: string; free: string; total: string }>(
    `SELECT name, path, toString(free_space) AS free, toString(total_space) AS total FROM system.disks WHERE type = 'Local'`,
  )
  return rows
    .filter(({ path }) => dataDirectory === undefined || !path.startsWith(join(dataDirectory, 'column-store')))
    .map(({ name, free, total }) => roomFinding(area, `disk ${name}`, { freeBytes: Number(free), totalBytes: Number(total) }))
}

/** Weaker settings of the events tables could lose an acknowledged insert in a crash, or store it twice after a retry. */
async function durability(store: ColumnStore, clustered: boolean): Promise<Finding> {
  const wanted = clustered
    ? { replicated_deduplication_window: 10_000, replicated_deduplication_window_seconds: 604_800 }
    : { fsync_after_insert: 1, fsync_part_directory: 1, non_replicated_deduplication_window: 10_000 }
  const tables = await store.query<{ name: string; made: string }>(
    `SELECT name, create_table_query AS made FROM system.tables WHERE database = currentDatabase() AND name IN ('events_full', 'events_core')`,
  )
  if (tables.length === 0) return { area, state: 'warning', says: 'The events tables do not exist yet.', do: 'svc migrate up' }
  const weak = tables.flatMap(({ name, made }) =>
    Object.entries(wanted)
      .filter(([setting, least]) => Number(new RegExp(`\\b${setting} = (\\d+)`).exec(made)?.[1] ?? 0) < least)
      .map(([setting, least]) => `ALTER TABLE ${name} MODIFY SETTING ${setting} = ${least}`),
  )
  if (weak.length === 0)
    return {
      area,
      state: 'ok',
      says: 'The settings of the tables keep all acknowledged rows through a crash, and prevent a block from being inserted twice.',
    }
  return {
    area,
    state: 'fault',
    says: 'Tables lack settings that keep acknowledged rows through a crash, or that prevent a block from being inserted twice.',
    do: weak.join('; '),
  }
}

interface Examined {
  readonly clustered: boolean
  readonly now: () => number
  readonly dataDirectory?: string | undefined
}

export async function examineColumnStore(store: ColumnStore, { clustered, now, dataDirectory }: Examined): Promise<readonly Finding[]> {
  return [await version(store), await clock(store, now), ...(await disks(store, dataDirectory)), await durability(store, clustered)]
}

const whatToDo = 'svc check --wait 300, then docs/runbooks/unaccounted-spans.md.'

export async function examineAccounts(store: ColumnStore, log: Pick<EventLog, 'logId'>): Promise<readonly Finding[]> {
  const area = 'accounts'
  if (!(await hasTable(store, 'ingest_ledger')))
    return [{ area, state: 'warning', says: 'The ledger table does not exist yet.', do: 'svc migrate up' }]
  const differences = await ledgerDifferences(store)
  const faults = differences.map(({ topic, items }) => `The ledger of ${topic} is out of balance by ${counted(items, 'item')}.`)
  const missing = await missingRows(store, log)
  if (faults.length + missing.length === 0)
    return [{ area, state: 'ok', says: 'The ledger balances, and the audit finds no missing rows.' }]
  return [...faults, ...missing].map(says => ({ area, state: 'fault', says, do: whatToDo }))
}

async function missingRows(store: ColumnStore, log: Pick<EventLog, 'logId'>): Promise<readonly string[]> {
  if (!(await hasTable(store, 'ingest_audit'))) return []
  const missing = await missingOfAudit(store, log)
  return missing.map(
    ({ topic, ranges, items }) =>
      `The audit cannot find the rows of ${counted(items, 'item')} on ${topic}, in ${counted(ranges, 'range')} of offsets.`,
  )
}
