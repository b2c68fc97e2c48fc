// Stores, for each partition, the first offset that the audit has not checked (table ingest_audit), so that the audit continues at this
// offset after a restart. A row's key contains the log's id. If the log is recreated, the id changes, and the audit starts over.
import { randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { MissingSpans } from './missing.ts'

export interface OpenRange extends MissingSpans {
  /** Time at which the audit first found that items of the range are missing, in milliseconds since the epoch. */
  readonly sinceMs: number
}

export interface Progress {
  readonly topic: string
  readonly partition: number
  /** First unchecked offset. */
  readonly next: number
  /** Ranges with missing items, which are checked repeatedly. */
  readonly open: readonly OpenRange[]
}

/** The stored form of a range. The stored name of `deadLettered` is `lettered`, as in earlier releases. */
type SavedRange = Omit<OpenRange, 'runs' | 'deadLettered'> & { readonly lettered?: number }

/** Returns undefined if the text is invalid. The partition's audit then starts over. */
function readRanges(text: string): readonly OpenRange[] | undefined {
  try {
    return (JSON.parse(text) as readonly SavedRange[]).map(({ lettered, ...range }) => ({
      ...range,
      runs: [range],
      ...(lettered !== undefined && { deadLettered: lettered }),
    }))
  } catch {
    return undefined
  }
}

const savedRange = ({ runs: _, deadLettered, ...range }: OpenRange): SavedRange => ({
  ...range,
  ...(deadLettered !== undefined && { lettered: deadLettered }),
})

export interface ProgressStore {
  /** Returns undefined if this partition of this log has never been audited. */
  load(topic: string, partition: number): Promise<Progress | undefined>
  save(progress: readonly Progress[]): Promise<void>
}

/** Rejects with column_store_* AppErrors. */
export function createProgressStore({ log, columnStore }: { readonly log: EventLog; readonly columnStore: ColumnStore }): ProgressStore {
  return {
    async load(topic, partition) {
      const [row] = await columnStore.query<{ next: string; missing: string }>(
        `SELECT next_offset AS next, missing FROM ingest_audit
         WHERE log_id = {logId:String} AND topic = {topic:String} AND partition = {partition:UInt32}
         ORDER BY written_at DESC LIMIT 1`,
        { logId: log.logId(topic), topic, partition },
      )
      const open = row && readRanges(row.missing)
      if (row === undefined || open === undefined) return undefined
      return { topic, partition, next: Number(row.next), open }
    },

    async save(progress) {
      if (progress.length === 0) return
      const rows = progress.map(({ topic, partition, next, open }) => {
        return JSON.stringify({
          log_id: log.logId(topic),
          topic,
          partition,
          next_offset: next,
          missing: JSON.stringify(open.map(savedRange)),
        })
      })
      await columnStore.command(
        `INSERT INTO ingest_audit (log_id, topic, partition, next_offset, missing)
         SETTINGS async_insert = 0, insert_deduplication_token = '${randomUUID()}'
         FORMAT JSONEachRow\n${rows.join('\n')}`,
      )
    },
  }
}
