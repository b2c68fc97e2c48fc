// Fills a month of events_core from events_full. The view writes its part after the table's own; an engine that dies in
// between leaves rows that are stored but not listed.
import type { ColumnStore } from '@svc-server/column-store'
import { eventsColumns, insertSettings, viewSelect } from '@svc-server/schema'
import type { ChunkRange } from './look.ts'

export interface HealRequest {
  readonly range: ChunkRange
  readonly month: number
  readonly projects: readonly string[]
  readonly token: string
}

const columns = eventsColumns.map(({ name }) => name).join(', ')
const settings = Object.entries({
  ...insertSettings,
  // One thread and one block: what is de-duplicated by a token must be cut the same way each time.
  max_threads: 1,
  max_block_size: 1_000_000,
  min_insert_block_size_rows: 1_000_000,
})
  .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`)
  .join(', ')

const monthStart = (month: number) => `${Math.floor(month / 100)}-${String(month % 100).padStart(2, '0')}-01 00:00:00`

export async function healCore(columnStore: ColumnStore, { range, month, projects, token }: HealRequest): Promise<void> {
  const times = [...range.rowTimesUs.values()]
  await columnStore.command(
    `INSERT INTO events_core (${columns})
     SELECT ${viewSelect}
     FROM events_full
     WHERE project_id IN {projects:Array(String)}
       AND start_time >= toDateTime64({monthStart:String}, 6, 'UTC') AND start_time < addMonths(toDateTime64({monthStart:String}, 6, 'UTC'), 1)
       AND event_ts BETWEEN fromUnixTimestamp64Micro({fromUs:Int64}) AND fromUnixTimestamp64Micro({untilUs:Int64})
       AND startsWith(blob_storage_file_path, {prefix:String})
       AND toUInt64OrZero(substringIndex(substring(blob_storage_file_path, length({prefix:String}) + 1), '#', 1)) BETWEEN {first:UInt64} AND {last:UInt64}
     SETTINGS ${settings}, insert_deduplication_token = '${token.replaceAll(/['\\]/g, '')}'`,
    {
      projects,
      monthStart: monthStart(month),
      fromUs: Math.min(...times),
      untilUs: Math.max(...times),
      prefix: `${range.topic}/${range.partition}/`,
      first: range.first,
      last: range.last,
    },
  )
}
