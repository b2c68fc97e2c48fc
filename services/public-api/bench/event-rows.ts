// Makes the rows that the benches read. Each row has 1.5 KB. The rows are in 14 unmerged parts. If the data directory already contains the
// rows of an earlier run, a bench reuses them.
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { startEngine } from '@svc-server/embedded-engine'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'

const dayMs = 86_400_000
export const spanMs = 28 * dayMs
const [parts, versions] = [12, 2] as const

/** SQL for texts of a given length. The texts consist of 4,096 different words. */
const texts = `WITH (SELECT arrayStringConcat(arrayMap(i -> concat(hex(bitAnd(cityHash64(i), 4095)), 'word'), range(1000000)), ' ')) AS words`
const text = (seed: string, length: number) => `substring(words, 1 + cityHash64(${seed}) % 8000000, ${length})`

/** Each trace has a root, a model call and a tool. One project has a quarter of the traces. Twelve other projects share the rest. */
const rowsOf = (startMs: number) => `project_id, trace_id, span_id, parent_span_id, start_time, end_time, name, type,
  environment, level, user_id, session_id, provided_model_name, usage_details, cost_details, input, output, metadata_names, metadata_values, metadata_types,
  event_ts)
  ${texts} SELECT if(t % 4 = 0, 'project-0', concat('other-', toString(t % 12))), lower(hex(sipHash128(t))), lower(hex(cityHash64(n))),
    if(n % 3 = 0, '', lower(hex(cityHash64(n - n % 3)))), fromUnixTimestamp64Milli(${startMs} + toInt64(cityHash64(t) % ${spanMs}) + n % 3 * 40, 'UTC') AS s,
    s + toIntervalMillisecond(cityHash64(n) % 4000), ['answer', 'chat', 'search'][n % 3 + 1], ['SPAN', 'GENERATION', 'TOOL'][n % 3 + 1],
    'default', if(n % 50 = 0, 'ERROR', 'DEFAULT'), if(t % 40000 = 0, 'rare', concat('user-', toString(t % 5000))), concat('session-', toString(intDiv(t, 20))),
    if(n % 3 = 1, concat('model-', toString(t % 12)), ''), map('input', n % 4000, 'output', n % 700, 'total', n % 4000 + n % 700),
    map('total', toDecimal64(n % 100 / 1000, 12)), ${text('n, 1', 600)}, ${text('n, 2', 425)}, ['plan', 'region', 'attempt'], ['pro', 'eu', toString(n % 5)], [0, 0, 1],
    now64(6)`

/** With these settings, each insert creates one large part, as a merge would. */
const settingsOf = (
  rows: number,
) => `SETTINGS exclude_materialize_skip_indexes_on_insert = '', optimize_on_insert = 0, max_threads = 2, parallel_view_processing = 1,
  max_block_size = ${rows}, min_insert_block_size_rows = ${rows}, min_insert_block_size_bytes = 0`

export async function countRows(columnStore: ColumnStore, from: string): Promise<number> {
  return Number((await columnStore.query<{ readonly n: string }>(`SELECT count() AS n FROM ${from}`))[0]!.n)
}

export async function stopMerges(columnStore: ColumnStore): Promise<void> {
  for (const table of ['events_full', 'events_core']) await columnStore.command(`SYSTEM STOP MERGES ${table}`)
}

/** Fills the directory of an engine with rows. An insert takes about 5 KB of memory per row, so the memory limit grows with `share`. */
export async function fillDirectory(dataDir: string, rows: number): Promise<void> {
  const password = 'password-of-the-rows'
  const share = Math.ceil(rows / parts)
  const engine = await startEngine({ dataDir, port: 0, password, memoryLimitBytes: 3 * 2 ** 30 + 8_192 * share })
  const access = { url: engine.url, user: 'svc', password, database: 'svc', requestTimeoutMs: 3_600_000 }
  const columnStore = createColumnStore(access)
  await migrateColumnStore(columnStore, { database: 'svc', clustered: false })
  const now = new Date()
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)
  const insert = (numbers: string) =>
    columnStore.command(`INSERT INTO events_full (${rowsOf(startMs)} FROM (${numbers}) ${settingsOf(share)}`)
  await stopMerges(columnStore)
  const stored = await countRows(columnStore, 'events_full')
  for (let from = stored; from < rows; from += share)
    await insert(`SELECT number AS n, intDiv(n, 3) AS t FROM numbers(${from}, ${Math.min(share, rows - from)})`)
  const again = Math.ceil(rows / 100)
  for (let to = Math.max(stored, rows); to < rows + versions * again; to += again)
    await insert(`SELECT number * 100 AS n, intDiv(n, 3) AS t FROM numbers(${again})`)
  await columnStore.close()
  await engine.stop()
}
