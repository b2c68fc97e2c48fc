// Writes one row of ingest_ledger for every stored range of the log. A row has the number of spans that the envelopes state, and the
// numbers of stored, dead-lettered and denied spans. Different code computes each number, so the numbers do not add up if a span is lost.
import { randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { LedgerRecord } from '@svc-server/schema/ledger-record'
import { ledgerColumns } from '@svc-server/schema/ledger-table'
import { ledgerNamesOf, ledgerTokenOf } from './ledger-destination.ts'
import { spansOnLog } from './spans-on-log.ts'

export interface LedgerEntry extends Omit<LedgerRecord, 'group'> {
  readonly destination: string
  /** Hash of the stored block; an empty text if no block was stored. */
  readonly bodyHash: string
}

interface LedgerRow extends LedgerEntry {
  readonly group: string
}

export interface Ledger {
  /** Must be called when partitions are assigned: forgets where their last ledger rows end, because other owners may have written rows. */
  assigned(partitions: readonly { readonly topic: string; readonly partition: number }[]): void
  /**
   * Writes a ledger row for the range of `entry`. The row also covers the offsets since the previous range if none of these offsets has a
   * record with spans. Otherwise, the row covers none of these offsets, and they remain a gap. `again` means that an earlier attempt may
   * have written the row. The new row then replaces the earlier row. Rejects with a column_store_* AppError.
   */
  record(entry: LedgerEntry, options: { readonly again: boolean }): Promise<void>
}

export interface LedgerDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly group: string
}

interface RowBefore {
  readonly first_offset: string
  readonly last_offset: string
}

const columns = ledgerColumns.filter(({ name }) => name !== 'written_at')
export const ledgerRowNames = columns.map(({ name }) => name).join(', ')
const parameters = columns.map(({ name, type }) => `{${name}:${type.replace('LowCardinality(String)', 'String')}}`).join(', ')

export const ledgerRow = (
  logId: string,
  { group, topic, partition, destination, first, last, records, spans, rows, deadLettered, denied, bodyHash, versions }: LedgerRow,
) => ({
  log_id: logId,
  consumer_group: group,
  topic,
  partition,
  destination,
  first_offset: first,
  last_offset: last,
  records,
  spans,
  rows,
  dead_lettered: deadLettered,
  denied,
  body_hash: bodyHash,
  versions,
})

const partitionOf = ({ topic, partition }: { topic: string; partition: number }) => `${topic}/${partition}/`
const keyOf = (entry: LedgerEntry) => `${partitionOf(entry)}${entry.destination}`

export function createLedger({ log, columnStore, group }: LedgerDeps): Ledger {
  /** For each partition and destination, the first offset for which this owner has not written a ledger row. */
  const covered = new Map<string, number>()

  async function rowBefore({ topic, partition, destination, first }: LedgerEntry): Promise<RowBefore | undefined> {
    const [row] = await columnStore.query<RowBefore>(
      `SELECT first_offset, last_offset FROM ingest_ledger
       WHERE log_id = {logId:String} AND consumer_group = {group:String} AND topic = {topic:String} AND partition = {partition:UInt32}
         AND destination IN {destinations:Array(String)} AND first_offset < {first:UInt64}
       ORDER BY first_offset DESC, written_at DESC LIMIT 1`,
      { logId: log.logId(topic), group, topic, partition, destinations: ledgerNamesOf(destination), first },
    )
    return row
  }

  /**
   * Returns the destination that the new ledger row must have. A new row replaces a stored row only if both rows have the same destination
   * and begin at the same offset. If a stored row begins at `first`, the function therefore returns this row's destination (can be empty).
   */
  async function nameIn({ topic, partition, destination }: LedgerEntry, first: number): Promise<string> {
    const destinations = ledgerNamesOf(destination)
    if (destinations.length === 1) return destination
    const [row] = await columnStore.query<{ destination: string }>(
      `SELECT destination FROM ingest_ledger
       WHERE log_id = {logId:String} AND consumer_group = {group:String} AND topic = {topic:String} AND partition = {partition:UInt32}
         AND destination IN {destinations:Array(String)} AND first_offset = {first:UInt64}
       ORDER BY written_at DESC LIMIT 1`,
      { logId: log.logId(topic), group, topic, partition, destinations, first },
    )
    return row?.destination ?? destination
  }

  async function startOf(entry: LedgerEntry, again: boolean): Promise<number> {
    const { first, last } = entry
    const known = covered.get(keyOf(entry))
    if (!again && known !== undefined) return bridge(entry, Math.min(known, first))
    const before = await rowBefore(entry)
    if (before === undefined) return first
    const end = Number(before.last_offset) + 1
    if (end > first) return end === last + 1 ? Number(before.first_offset) : first
    return bridge(entry, end)
  }

  /**
   * The previous ledger entry ends before the offset `end`, and this entry begins at `first`. The gap between the two entries is the
   * offsets from `end` to `first - 1`. Returns `end` if all records of the gap were read and contain no spans. Otherwise returns `first`.
   */
  async function bridge({ topic, partition, first }: LedgerEntry, end: number): Promise<number> {
    if (end === first) return first
    const { spans, unread } = await spansOnLog(log, { topic, partition, from: end, until: first }, { stopAtFirst: true })
    return spans === 0 && unread === 0 ? end : first
  }

  return {
    assigned(partitions) {
      for (const partition of partitions) {
        for (const key of [...covered.keys()]) if (key.startsWith(partitionOf(partition))) covered.delete(key)
      }
    },

    async record(entry, { again }) {
      const { topic, partition, destination, first, last, bodyHash } = entry
      const logId = log.logId(topic)
      // A repeated insert gets a new token. With the token of the first attempt, the engine could report success but store nothing. If both
      // attempts store the row, a merge removes one of the two rows.
      const attempt = again ? randomUUID() : '0'
      const token = [logId, group, topic, partition, `${first}-${last}`, ...ledgerTokenOf(destination), bodyHash, attempt].join('/')
      const start = await startOf(entry, again)
      const name = again ? await nameIn(entry, start) : destination
      await columnStore.command(
        `INSERT INTO ingest_ledger (${ledgerRowNames})
         SETTINGS async_insert = 0, insert_deduplication_token = '${token.replaceAll(/['\\]/g, '')}'
         SELECT ${parameters}`,
        ledgerRow(logId, { ...entry, group, first: start, destination: name }),
      )
      covered.set(keyOf(entry), last + 1)
    },
  }
}
