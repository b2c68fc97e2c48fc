// If a trace is deleted while the backfill inserts rows of this trace, the backfill restores deleted rows. This module removes such rows.
// The rows are removed from the events tables and from the backfill's own tables.
import { literal } from '@svc-server/column-store/literal'
import { isBackfilled } from './event-columns.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'
import type { Once, Scope } from './step.ts'

interface Denied {
  readonly project_id: string
  readonly trace_id: string
  /** `first` and `last` are times in microseconds. */
  readonly first: string
  readonly last: string
}

interface Place {
  readonly table: string
  /**
   * `trace` is the column with the trace id. `time` is the column with the time that determines the partition of a row. This time is also
   * part of the row's key.
   */
  readonly trace: string
  readonly time: string
  readonly condition: string
}

/** Maximum pairs in one statement. The limit keeps the statement's text small. */
const maxPairs = 500

const us = (time: string) => `toUnixTimestamp64Micro(CAST(${time}, 'DateTime64(6)'))`

async function removeFrom({ dialect, query, run }: Session, { table: name, trace, time, condition }: Place): Promise<void> {
  const [table, denied] = [dialect.table(name), dialect.table(scratchNames.denied)]
  for (;;) {
    const found = await query<Denied>(
      `SELECT project_id, ${trace} AS trace_id, min(${us(time)}) AS first, max(${us(time)}) AS last FROM ${table} WHERE ${condition} AND is_deleted = 0
         AND ((project_id, ${trace}) IN (SELECT project_id, trace_id FROM ${denied})
           OR project_id IN (SELECT project_id FROM ${denied} WHERE trace_id = '')) GROUP BY project_id, trace_id LIMIT ${maxPairs}`,
    )
    if (found.length === 0) return
    // A deletion reads every part and granule that its condition does not exclude. The condition therefore names projects and times.
    const list = (values: readonly string[]) => [...new Set(values)].map(literal).join(', ')
    const times = found.flatMap(row => [BigInt(row.first), BigInt(row.last)]).sort((x, y) => (x < y ? -1 : 1))
    const at = (micros: bigint) => `fromUnixTimestamp64Micro(toInt64(${micros}))`
    await run(
      `DELETE FROM ${table} WHERE ${condition} AND project_id IN (${list(found.map(row => row.project_id))}) AND ${time} >= ${at(times[0]!)} AND ${time} <= ${at(times.at(-1)!)}
         AND (project_id, ${trace}) IN (${found.map(row => `(${literal(row.project_id)}, ${literal(row.trace_id)})`).join(', ')})`,
    )
  }
}

const places: readonly Place[] = [
  ...['events_full', 'events_core'].map(table => ({ table, trace: 'trace_id', time: 'start_time', condition: isBackfilled })),
  { table: scratchNames.observations, trace: 'trace_id', time: 'start_time', condition: '1' },
  { table: scratchNames.traces, trace: 'id', time: 'timestamp', condition: '1' },
  { table: scratchNames.experiments, trace: 'trace_id', time: 'created_at', condition: '1' },
]

export const removeDenied: Once = {
  name: 'deleted traces',
  source: null,
  async prepare({ session }: Scope) {
    for (const place of places) await removeFrom(session, place)
  },
}
